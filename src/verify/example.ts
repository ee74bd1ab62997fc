/** What the scenario of a family sends. Texts may name values, as those of steps do. */
export interface Example {
  /** Things of other families that it needs, by the name that the bodies use, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** A body with every field that can be sent without an id of somebody else. */
  readonly create: Body
  /** Another one, with as little as possible. */
  readonly second: Body
  /** A change of the first thing. */
  readonly update: Body
  /** A filter of the list that selects the first thing alone; it is changed already. */
  readonly filter?: string
  /** Bodies of further creations, by what is wrong or special. What one creates nevertheless is deleted at once. */
  readonly refused?: Readonly<Record<string, Body>>
  /** Changes of the first thing that are refused, by what is wrong. */
  readonly refusedUpdates?: Readonly<Record<string, Body>>
}

/** A thing of another family. */
export interface Need {
  readonly family: string
  /** The path of its list. Default: the name of the family. */
  readonly path?: string
  readonly body: Body
}

export type Body = Readonly<Record<string, unknown>>

/** A certificate for tests and its key, to upload. */
export interface Upload {
  readonly certificate_pem: string
  readonly private_key_pem: string
}
