import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError } from './errors.ts'

/** JSON Schema keywords for what a schema's rules check and the schema itself does not say. */
export interface JsonFacts {
  /** The JSON type, or several. */
  readonly type?: string | readonly string[]
  /** The format of a text, such as `uri`. */
  readonly format?: string
  /** The regular expression that a text matches. */
  readonly pattern?: string
  /** All allowed values. */
  readonly enum?: readonly (string | number | boolean | null)[]
  /** The only value. */
  readonly const?: string | number | boolean
  /** The fewest characters of a text. */
  readonly minLength?: number
  /** The most characters of a text. */
  readonly maxLength?: number
  /** The fewest items of an array. */
  readonly minItems?: number
  /** The most items of an array. */
  readonly maxItems?: number
  /** The least number. */
  readonly minimum?: number
  /** The greatest number. */
  readonly maximum?: number
  /** The value that counts if nothing is sent. */
  readonly default?: unknown
  /** Example values. */
  readonly examples?: readonly unknown[]
  /** Known values, which the description of a text lists. Others are allowed if they match its pattern. */
  readonly listed?: readonly string[]
  /** The keys of an object. */
  readonly propertyNames?: JsonFacts
  /** The values of further keys; false if there are none. */
  readonly additionalProperties?: JsonFacts | boolean
  /** True if requests can have the field and responses never do. */
  readonly writeOnly?: boolean
  /** True if clients should no longer use it. */
  readonly deprecated?: boolean
}

/** The documentation of a value besides its sentence. */
export interface Facts {
  /** JSON Schema keywords; a function if they depend on the dialect. */
  readonly json?: JsonFacts | ((dialect: CommonDialect) => JsonFacts)
  /** A required field whose schema has a value for its absence, so that a rule can report a specific error. */
  readonly isRequired?: true
  /** A value that no JSON can express, such as a function; documents omit it. */
  readonly isNoData?: true
  /** A field that is read but not offered: types omit it. */
  readonly isUnoffered?: true
  /** The errors of code that reads the value, if that is not the schema itself. */
  readonly errors?: readonly CatalogueError[]
  /** The rule that the value follows: page and heading of docs/decisions. */
  readonly rules?: string
  /** The type in TypeScript, where the schema cannot say it, such as `Clock` or `(entry: JournalEntry) => boolean`. */
  readonly type?: string
  /** The files below `src/` that declare the names in `type`, such as `{ Clock: 'engine/clock.ts' }`. */
  readonly imports?: Readonly<Record<string, string>>
  /** The type parameters of a named schema, such as `Name extends string = string`. */
  readonly parameters?: string
}

/** Makes a step for the pipe of a schema that documents it. It does not change how values are read. */
export function facts<T>(facts: Facts): v.MetadataAction<T, { facts: Facts }> {
  return v.metadata({ facts })
}
