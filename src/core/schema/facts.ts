import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError } from './errors.ts'

/** JSON Schema keywords for constraints that a schema's rules check but the schema itself does not express. */
export interface JsonFacts {
  /** The JSON type, or a list of types. */
  readonly type?: string | readonly string[]
  /** The format of a string, such as `uri`. */
  readonly format?: string
  /** A regular expression that the string must match. */
  readonly pattern?: string
  /** All allowed values. */
  readonly enum?: readonly (string | number | boolean | null)[]
  /** The only value. */
  readonly const?: string | number | boolean
  /** The minimum number of characters in a string. */
  readonly minLength?: number
  /** The maximum number of characters in a string. */
  readonly maxLength?: number
  /** The minimum number of items in an array. */
  readonly minItems?: number
  /** The maximum number of items in an array. */
  readonly maxItems?: number
  /** The minimum of a number. */
  readonly minimum?: number
  /** The maximum of a number. */
  readonly maximum?: number
  /** The value that applies if none is sent. */
  readonly default?: unknown
  /** Example values. */
  readonly examples?: readonly unknown[]
  /** Known values, to list in a string's description. Other values that match the pattern are also allowed. */
  readonly listed?: readonly string[]
  /** The keys of an object. */
  readonly propertyNames?: JsonFacts
  /** The schema for other keys, or false if no other keys are allowed. */
  readonly additionalProperties?: JsonFacts | boolean
  /** True if the field can be in requests but is never in responses. */
  readonly writeOnly?: boolean
  /** True if clients should no longer use the field. */
  readonly deprecated?: boolean
}

/** The documentation of a value, in addition to its sentence. */
export interface Facts {
  /** JSON Schema keywords; a function if they depend on the dialect. */
  readonly json?: JsonFacts | ((dialect: CommonDialect) => JsonFacts)
  /** True for a required field whose schema sets a default only to let a rule report a specific error for a missing field. */
  readonly isRequired?: true
  /** True for a value that JSON cannot express, such as a function. Documents omit it. */
  readonly isNoData?: true
  /** True for a field that is read but not documented. Types omit it. */
  readonly isUnoffered?: true
  /** The errors of the code that reads the value, if the schema does not read it. */
  readonly errors?: readonly CatalogueError[]
  /** The rule that the value follows: a page and heading in docs/decisions. */
  readonly rules?: string
  /** The TypeScript type, if the schema cannot express it, such as `Clock` or `(entry: JournalEntry) => boolean`. */
  readonly type?: string
  /** The files under `src/` that declare the names used in `type`, such as `{ Clock: 'engine/clock.ts' }`. */
  readonly imports?: Readonly<Record<string, string>>
  /** The type parameters of a named schema, such as `Name extends string = string`. */
  readonly parameters?: string
}

/** Creates a pipe step that documents a schema. The step does not change how values are read. */
export function facts<T>(facts: Facts): v.MetadataAction<T, { facts: Facts }> {
  return v.metadata({ facts })
}
