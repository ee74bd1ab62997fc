import type { FieldValues } from './values.ts'

/**
 * The values in a family's scenario that cannot be derived from its schemas. Bodies contain an example of each field. Strings may refer to
 * values, as they may in steps.
 */
export interface FamilyExample {
  /** The resources of other families that the family needs, by the names used in bodies, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** The values of fields, for the creation and for the change. Null omits a field from the body. */
  readonly values?: FieldValues
  /** The body of a second resource, with few fields. Default: a description. */
  readonly second?: ExampleBody
  /** A list filter that selects only the first resource, after its change. */
  readonly filter?: string
  /** Additional create bodies, keyed by what each one exercises. Each created resource is deleted immediately. */
  readonly creations?: Readonly<Record<string, ExampleBody>>
  /** Additional changes to the first resource, keyed by what each one exercises. */
  readonly changes?: Readonly<Record<string, ExampleBody>>
}

/** A resource in another family. */
export interface Need {
  readonly family: string
  /** The path of its list. Default: the name of the family. */
  readonly path?: string
  readonly body: ExampleBody
}

export type ExampleBody = Readonly<Record<string, unknown>>

/** A test certificate and its key, for uploading. */
export interface Upload {
  readonly certificate_pem: string
  readonly private_key_pem: string
}

/** A filter that matches the metadata after a change. */
export const byMetadata = 'obj.metadata.contains("{mark}-changed")'
/** A traffic policy that rejects every request. */
export const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'
