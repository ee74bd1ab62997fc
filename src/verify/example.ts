import type { FieldValues } from './values.ts'

/**
 * The values of a family's scenario that its schemas do not tell. Bodies have an example of each field. Strings may name values,
 * as in steps.
 */
export interface FamilyExample {
  /** Resources of other families that it needs, by the names in the bodies, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** The values of fields: that of the creation, and that of the change. Null leaves a field out of one of them. */
  readonly values?: FieldValues
  /** The body of a second resource, with few fields. Default: a description. */
  readonly second?: ExampleBody
  /** A filter of the list that selects only the first resource, after its change. */
  readonly filter?: string
  /** Additional create bodies, keyed by what each one exercises. Each created resource is deleted immediately. */
  readonly creations?: Readonly<Record<string, ExampleBody>>
  /** Additional changes of the first resource, keyed by what each one exercises. */
  readonly changes?: Readonly<Record<string, ExampleBody>>
}

/** A resource of another family. */
export interface Need {
  readonly family: string
  /** The path of its list. Default: the name of the family. */
  readonly path?: string
  readonly body: ExampleBody
}

export type ExampleBody = Readonly<Record<string, unknown>>

/** A certificate for tests and its key, to upload. */
export interface Upload {
  readonly certificate_pem: string
  readonly private_key_pem: string
}

/** A filter that selects by the metadata after a change. */
export const byMetadata = 'obj.metadata.contains("{mark}-changed")'
/** A traffic policy that rejects each request. */
export const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'
