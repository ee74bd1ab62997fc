import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError, FieldError } from './errors.ts'

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
  /** The type in TypeScript, where the schema cannot say it, such as `Clock` or `(entry: JournalEntry) => boolean`. */
  readonly type?: string
  /** Where the names in `type` are declared, below `src/`, such as `{ Clock: 'engine/clock.ts' }`. */
  readonly imports?: Readonly<Record<string, string>>
  /** The type parameters of a named schema, such as `Name extends string = string`. */
  readonly parameters?: string
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

/** What fauxgate's own marks say of a field, as valibot's metadata. */
export interface Marks {
  /** "" means "not given". */
  readonly blank?: 'absent'
  /** Its value is shown nowhere. */
  readonly secret?: true
  /** It exists where the dialect names it. */
  readonly extra?: true
  /** What a schema that messages speak of as one is made of. */
  readonly whole?: v.GenericSchema
  /** The error of a value that the schema does not take. */
  readonly refusedAs?: FieldError<string, { allowed: string }>
}

/** One step of a schema that is a pipe. */
interface Step {
  readonly kind: string
  readonly type: string
  /** The errors that a rule can report. */
  readonly errors?: readonly CatalogueError[]
}

/** What a schema is made of, as far as anybody here looks into schemas. */
export interface SchemaParts {
  readonly type: string
  readonly wrapped?: v.GenericSchema
  readonly entries?: Readonly<Record<string, v.GenericSchema>>
  readonly item?: v.GenericSchema
  readonly value?: v.GenericSchema
  readonly options?: readonly unknown[]
  readonly pipe?: readonly (Step | v.GenericSchema)[]
}

/** What a schema is made of. */
export function partsOf(schema: v.GenericSchema): SchemaParts {
  // Valibot's type of any schema leaves out what only some kinds have.
  return schema as v.GenericSchema & SchemaParts
}

/** The marks of a schema and of what it wraps. */
export function marksOf(schema: v.GenericSchema): Marks {
  const { wrapped } = partsOf(schema)
  return { ...(wrapped && marksOf(wrapped)), ...v.getMetadata(schema) }
}

/** The schema at a path below another one, or undefined where that says nothing of the path. */
export function schemaAt(schema: v.GenericSchema, path: readonly unknown[]): v.GenericSchema | undefined {
  if (path.length === 0) return schema
  const { wrapped, entries, item } = partsOf(schema)
  if (wrapped) return schemaAt(wrapped, path)
  const [key, ...rest] = path
  const next = entries ? entries[String(key)] : item
  return next && schemaAt(next, rest)
}

/** The schemas right inside one: of its fields, its items, what it wraps, and its alternatives. */
function schemasIn(schema: v.GenericSchema): v.GenericSchema[] {
  const { wrapped, entries = {}, item, value, options = [], pipe = [] } = partsOf(schema)
  // The first step of a pipe is what the pipe itself looks like.
  const [base] = pipe
  const found = [wrapped, ...Object.values(entries), item, value, ...options, base]
  return found.filter(isSchema)
}

/** Whether a part of a schema is one itself. */
export function isSchema(part: unknown): part is v.GenericSchema {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'schema'
}

/** All errors that a schema and the rules in it declare; of the schemas inside it, only those that are asked. */
export function errorsIn(
  schema: v.GenericSchema,
  isAsked: (inner: v.GenericSchema) => boolean = () => true,
): Set<CatalogueError> {
  const found = new Set<CatalogueError>()
  const left = [schema]
  for (let each = left.pop(); each; each = left.pop()) {
    const { pipe = [] } = partsOf(each)
    for (const step of pipe) if ('errors' in step) for (const error of step.errors ?? []) found.add(error)
    const { refusedAs } = marksOf(each)
    if (refusedAs) found.add(refusedAs)
    for (const { errors = [] } of documentationOf(each).facts) for (const error of errors) found.add(error)
    left.push(...schemasIn(each).filter(isAsked))
  }
  return found
}
