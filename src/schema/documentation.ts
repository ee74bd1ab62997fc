import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError } from './errors.ts'

/** What JSON Schema says of a value that the schema itself does not say, because a rule checks it. */
export interface JsonFacts {
  /** The JSON type, or several. */
  readonly type?: string | readonly string[]
  /** The format of a text, such as `uri`. */
  readonly format?: string
  /** The regular expression that a text matches. */
  readonly pattern?: string
  /** All values that there are. */
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
  /** What counts where nothing is sent. */
  readonly default?: unknown
  /** Values to show. */
  readonly examples?: readonly unknown[]
  /** What it is one of. */
  readonly anyOf?: readonly JsonFacts[]
  /** What the keys of an object are. */
  readonly propertyNames?: JsonFacts
  /** What the values of further keys are; false where there are none. */
  readonly additionalProperties?: JsonFacts | boolean
  /** Whether it is sent and never answered. */
  readonly writeOnly?: boolean
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean
}

/** What is said of a value beside its sentence. */
export interface Facts {
  /** For JSON Schema; a function where it hangs on the dialect. */
  readonly json?: JsonFacts | ((dialect: CommonDialect) => JsonFacts)
  /** A field that must be sent although its schema has a value for its absence, so that an error of its own says so. */
  readonly isRequired?: true
  /** What no JSON can be, and documents leave out. */
  readonly isNoData?: true
  /** A field that is read, but not offered to people: their types are without it. */
  readonly isUnoffered?: true
  /** The errors of what reads it, where that is not the schema itself. */
  readonly errors?: readonly CatalogueError[]
  /** The rule that it follows: page and heading of docs/decisions. */
  readonly rules?: string
}

/** Says of a schema what its rules check. It stands in documents; no value is read by it. */
export function facts<T>(facts: Facts): v.MetadataAction<T, { facts: Facts }> {
  return v.metadata({ facts })
}

/**
 * Gives a schema its one sentence: what the value is and its unit. Editors, the OpenAPI document and the service
 * reference all show it, and add the limits, the values and the default, which stand in the schema itself.
 */
export function documented<S extends v.GenericSchema>(schema: S, sentence: string, more?: Facts): S {
  return withSteps(schema, v.description(sentence), ...(more ? [facts(more)] : []))
}

/** A schema with further steps that are metadata, in the same pipe. It is read as before: these steps read nothing. */
export function withSteps<S extends v.GenericSchema>(
  schema: S,
  ...steps: v.PipeItem<v.InferOutput<S>, v.InferOutput<S>, never>[]
): S {
  // A pipe has its steps, and any other schema is the only one of its own.
  const { pipe = [schema] } = schema as { pipe?: readonly v.GenericSchema[] }
  return { ...schema, pipe: [...pipe, ...steps] }
}

/** Gives a schema the name of its type, with its sentence: documents and declarations show it once, under that name. */
export function named<S extends v.GenericSchema>(schema: S, name: string, sentence: string): S {
  return withSteps(schema, v.title(name), v.description(sentence))
}

/** What a schema says of its values. */
export interface Documentation {
  /** The name of {@link named}. */
  readonly name: string | undefined
  /** The sentence of {@link documented}; of several, the outermost one's. */
  readonly sentence: string | undefined
  /** From the innermost to the outermost. */
  readonly facts: readonly Facts[]
}

/** Reads what {@link documented} and {@link facts} said of a schema, or of what it wraps. */
export function documentationOf(schema: v.GenericSchema): Documentation {
  const steps = stepsOf(schema)
  return {
    name: v.getTitle(schema),
    sentence: steps.findLast((step) => step.description !== undefined)?.description,
    facts: steps.flatMap((step) => step.metadata?.facts ?? []),
  }
}

/** What a schema is made of, as far as documents look at it. */
interface Step {
  readonly kind: string
  readonly wrapped?: Step
  readonly pipe?: readonly Step[]
  readonly description?: string
  readonly metadata?: { readonly facts?: Facts }
}

function stepsOf({ pipe, wrapped }: Step): Step[] {
  if (pipe) return pipe.flatMap((step) => (step.kind === 'schema' ? stepsOf(step) : [step]))
  return wrapped ? stepsOf(wrapped) : []
}
