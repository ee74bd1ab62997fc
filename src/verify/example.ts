/** The bodies that the scenario of a family sends. Texts may name values, as in steps. */
export interface Example {
  /** Resources of other families that it needs, by the names in the bodies, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** A body with every field that needs no id of another account. */
  readonly create: Body
  /** A second body, with only the required fields. */
  readonly second: Body
  /** A change of the first thing. */
  readonly update: Body
  /** A filter of the list that selects only the first resource, after its change. */
  readonly filter?: string
  /**
   * Bodies of further creations, by what is wrong or special. A resource that one creates nevertheless is deleted at
   * once.
   */
  readonly refused?: Readonly<Record<string, Body>>
  /** Changes of the first resource that are refused, by what is wrong. */
  readonly refusedUpdates?: Readonly<Record<string, Body>>
}

/** A resource of another family. */
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
