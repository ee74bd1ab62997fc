import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError, FieldError } from './errors.ts'
import { nearest } from './nearest.ts'

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

/**
 * Gives a schema its one sentence: what the value is, and its unit. Editors, the OpenAPI document and the service reference
 * show it, and add the limits, the values and the default of the schema.
 *
 * @example
 * ```ts
 * const size = documented(integerFrom(1, 10), 'The number of seats.')
 * ```
 */
export function documented<S extends v.GenericSchema>(schema: S, sentence: string, more?: Facts): S {
  return withSteps(
    isNamed(schema) ? createReference(schema) : schema,
    v.description(sentence),
    ...(more ? [facts(more)] : []),
  )
}

function isNamed(schema: v.GenericSchema): boolean {
  return v.getTitle(schema) !== undefined
}

/** Wraps a named schema, so that a further sentence does not replace its own. */
function createReference<S extends v.GenericSchema>(schema: S): S {
  return v.nonOptional(schema) as v.GenericSchema as S // It reads the same values.
}

/**
 * Gives a schema the name of its type, and its sentence. Documents and declarations show it once, under that name.
 *
 * @example
 * ```ts
 * const shape = named(v.object({ ...resourceHead, name }), 'Widget', 'A thing of a test.')
 * ```
 */
export function named<S extends v.GenericSchema>(schema: S, name: string, sentence: string, more?: Facts): S {
  return withSteps(schema, v.title(name), v.description(sentence), ...(more ? [facts<v.InferOutput<S>>(more)] : []))
}

/** Adds metadata to the pipe of a schema, or begins a pipe with it. */
export function withSteps<S extends v.GenericSchema>(
  schema: S,
  ...steps: v.PipeItem<v.InferOutput<S>, v.InferOutput<S>, never>[]
): S {
  const { pipe = [schema] } = partsOf(schema)
  return { ...schema, pipe: [...pipe, ...steps] }
}

/**
 * Returns what {@link named}, {@link documented} and {@link facts} added to a schema, or to the schemas that it wraps: the name,
 * the outermost sentence, and the facts from the innermost to the outermost schema.
 */
export function documentationOf(schema: v.GenericSchema) {
  const steps = listSteps(schema)
  return {
    name: v.getTitle(schema),
    sentence: steps.findLast((step) => step.description !== undefined)?.description,
    facts: steps.flatMap((step) => step.metadata?.facts ?? []),
  }
}

/** The properties of a schema, or of one step of its pipe, that fauxgate reads. */
interface SchemaParts {
  readonly kind: string
  readonly type: string
  readonly wrapped?: v.GenericSchema
  readonly entries?: Readonly<Record<string, v.GenericSchema>>
  readonly item?: v.GenericSchema
  readonly items?: readonly v.GenericSchema[]
  readonly rest?: v.GenericSchema
  readonly value?: v.GenericSchema
  readonly getter?: (value: unknown) => v.GenericSchema
  readonly default?: unknown
  readonly options?: readonly unknown[]
  readonly pipe?: readonly SchemaParts[]
  readonly description?: string
  readonly metadata?: { readonly facts?: Facts } & Marks
  readonly errors?: readonly CatalogueError[]
}

export function partsOf(schema: v.GenericSchema): SchemaParts {
  // Valibot's type of any schema leaves out what only some kinds have.
  return schema as v.GenericSchema & SchemaParts
}

function listSteps({ pipe, wrapped }: SchemaParts): SchemaParts[] {
  if (pipe) return pipe.flatMap((step) => (step.kind === 'schema' ? listSteps(step) : [step]))
  return wrapped ? listSteps(partsOf(wrapped)) : []
}

/** Returns the steps of a pipe and of the pipes in it. Unlike {@link listSteps}, it does not look into wrapped schemas. */
function listPipedSteps({ pipe = [] }: SchemaParts): SchemaParts[] {
  return pipe.flatMap((step) => (step.kind === 'schema' ? listPipedSteps(step) : [step]))
}

/** The marks of a field, as valibot's metadata. */
interface Marks {
  /** An empty text means that the field was not sent. */
  readonly blank?: 'absent'
  /** No message, journal, commit or snapshot has its value. */
  readonly secret?: true
  /** Returns the value as journal, commits and snapshots show it: without the secrets that are parts of it. */
  readonly shownAs?: (value: unknown) => unknown
  /** It follows from other fields, and is computed when the record is read. Snapshots and stores omit it. */
  readonly isDerived?: true
  /** Harmless fields of other operations have the same name. */
  readonly isCommonName?: true
  /** It exists only in dialects that name it. */
  readonly extra?: true
  /** The schema that {@link asOne} wraps. */
  readonly whole?: v.GenericSchema
  /** The command's flag of an option, if it is not its path with hyphens. */
  readonly flag?: string
  /** It is the path of a file. In a config file it is relative to the folder of that config file. */
  readonly isFile?: true
  /** The help shows it in place of an option's value. */
  readonly placeholder?: string
  /** The allowed values for a sender of texts only, if the message allows more. */
  readonly typed?: string
  /** The error of a value that the schema does not take. */
  readonly refusedAs?: FieldError<string, { allowed: string }>
}

export function marksOf(schema: v.GenericSchema): Marks {
  const { wrapped } = partsOf(schema)
  return { ...(wrapped && marksOf(wrapped)), ...v.getMetadata(schema) }
}

export function listExtraFields(schema: v.GenericSchema): string[] {
  const entries = Object.entries(partsOf(schema).entries ?? {})
  return entries.flatMap(([name, entry]) => (marksOf(entry).extra ? [name] : []))
}

/** Returns the extra fields of a response that this dialect does not have. */
export function listForeignFields(schema: v.GenericSchema, { extraFields }: CommonDialect): string[] {
  const known = Object.values(extraFields).flat()
  return listExtraFields(schema).filter((name) => !known.includes(name))
}

/** Returns the extra fields of a response that the dialect always has. */
export function listRequiredExtraFields(schema: v.GenericSchema, { extraFields }: CommonDialect): string[] {
  const always = Object.entries(extraFields).flatMap(([key, names]) => (key.includes('.') ? [] : names))
  return listExtraFields(schema).filter((name) => always.includes(name))
}

export function findSchema(schema: v.GenericSchema, path: readonly unknown[]): v.GenericSchema | undefined {
  if (path.length === 0) return schema
  const inner = innerOf(schema)
  if (inner) return findSchema(inner, path)
  const { entries, item, options = [] } = partsOf(schema)
  const [key, ...rest] = path
  if (!entries && !item)
    return options
      .filter(isSchema)
      .map((each) => findSchema(each, path))
      .find(Boolean)
  const next = entries ? entries[String(key)] : item
  return next && findSchema(next, rest)
}

/** Returns the schema that another one wraps, or the step of its pipe that describes the fields. */
export function innerOf(schema: v.GenericSchema): v.GenericSchema | undefined {
  const { wrapped, pipe = [] } = partsOf(schema)
  return (
    wrapped ?? marksOf(schema).whole ?? pipe.filter(isSchema).find((step) => step !== schema && partsOf(step).entries)
  )
}

/** Returns the names of the fields at a path of a schema. */
export function listFields(schema: v.GenericSchema, path: readonly unknown[]): readonly string[] {
  const at = findSchema(schema, path)
  if (!at) return []
  const inner = innerOf(at)
  if (inner) return listFields(inner, [])
  const { entries, options = [] } = partsOf(at)
  return entries ? Object.keys(entries) : options.filter(isSchema).flatMap((each) => listFields(each, []))
}

/** Returns the texts that a schema allows beside objects; undefined if it allows others. */
function choicesOf(schema: v.GenericSchema): readonly string[] | undefined {
  const inner = innerOf(schema)
  if (inner) return choicesOf(inner)
  const { type, entries, options = [] } = partsOf(schema)
  if (type === 'picklist') return options.map(String)
  if (type !== 'union') return entries && []
  const all = options.filter(isSchema).map(choicesOf)
  const known = all.flatMap((each) => (each ? [each] : []))
  return known.length === all.length ? known.flat() : undefined
}

/** Describes what a field allows a sender of texts, and what it probably meant. */
export function describeChoices(schema: v.GenericSchema, received: unknown) {
  const choices = choicesOf(schema)
  if (!choices?.length) return { typed: marksOf(schema).typed }
  return { choices, nearest: typeof received === 'string' ? nearest(received, choices) : undefined }
}

export function isSchema(part: unknown): part is v.GenericSchema {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'schema'
}

/** Returns schemas and all schemas inside of them; `isIncluded` selects among the inner ones. */
export function listSchemas(
  schemas: readonly v.GenericSchema[],
  isIncluded: (inner: v.GenericSchema) => boolean = () => true,
): Set<v.GenericSchema> {
  const seen = new Set<v.GenericSchema>()
  const open = [...schemas].reverse()
  for (let schema = open.pop(); schema; schema = open.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    const { wrapped, item, items = [], rest, value, entries = {}, options = [], pipe = [] } = partsOf(schema)
    // The first step of a pipe has the same parts as the pipe itself.
    const inner = [wrapped, item, ...items, rest, value, ...Object.values(entries), ...options, ...pipe.slice(1)]
    open.push(...inner.filter(isSchema).filter(isIncluded).reverse())
  }
  return seen
}

/** Returns all errors that a schema and the rules in it declare; `isIncluded` selects among the schemas inside. */
export function listErrors(
  schema: v.GenericSchema,
  isIncluded?: (inner: v.GenericSchema) => boolean,
): Set<CatalogueError> {
  const steps = [...listSchemas([schema], isIncluded)].flatMap((each) => listPipedSteps(partsOf(each)))
  const errors = steps.flatMap(({ errors = [], metadata: { facts, refusedAs } = {} }) => [
    ...errors,
    ...(facts?.errors ?? []),
    ...(refusedAs ? [refusedAs] : []),
  ])
  return new Set(errors)
}
