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
  /** Bodies of further creations, by what is special; what they make is deleted at once. */
  readonly also?: Readonly<Record<string, Body>>
  /** Bodies of creations that are refused, by what is wrong. */
  readonly refused?: Readonly<Record<string, Body>>
  /** Changes of the first thing that are refused, by what is wrong. */
  readonly refusedUpdates?: Readonly<Record<string, Body>>
  /** The requests about the two things before their deletion. */
  readonly further?: readonly Further[]
}

/** A thing of another family. */
export interface Need {
  readonly family: string
  /** The path of its list. Default: the name of the family. */
  readonly path?: string
  readonly body: Body
}

export interface Further {
  readonly operation: string
  readonly what: string
  readonly method: 'GET' | 'DELETE'
  /** The whole path. */
  readonly path: string
}

export type Body = Readonly<Record<string, unknown>>

/** A certificate for tests and its key, to upload. */
export interface Upload {
  readonly certificate_pem: string
  readonly private_key_pem: string
}
