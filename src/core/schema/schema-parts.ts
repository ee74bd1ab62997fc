import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import type { CatalogueError, FieldError } from './errors.ts'
import type { Facts } from './facts.ts'
import { nearest } from './nearest.ts'

/** The properties that fauxgate reads from a schema, or from one step of its pipe. */
export interface SchemaParts {
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
  /** The limit of a step such as `minValue`. */
  readonly requirement?: unknown
  readonly options?: readonly unknown[]
  readonly pipe?: readonly SchemaParts[]
  readonly description?: string
  readonly metadata?: { readonly facts?: Facts } & Marks
  readonly errors?: readonly CatalogueError[]
}

export function partsOf(schema: v.GenericSchema): SchemaParts {
  // Valibot's general schema type omits the properties of particular kinds.
  return schema as v.GenericSchema & SchemaParts
}

/** Returns the parts of the innermost wrapped schema, such as the string in an optional string. */
export function innermostParts(schema: v.GenericSchema): SchemaParts {
  const parts = partsOf(schema)
  return parts.wrapped ? innermostParts(parts.wrapped) : parts
}

/** Returns the steps of a pipe and of the pipes in it. Unlike {@link listSteps}, it does not look into wrapped schemas. */
function listPipedSteps({ pipe = [] }: SchemaParts): SchemaParts[] {
  return pipe.flatMap((step) => (step.kind === 'schema' ? listPipedSteps(step) : [step]))
}

/** The marks of a field, in valibot's metadata. */
interface Marks {
  /** An empty string means that the field was not sent. */
  readonly blank?: 'absent'
  /** Messages, the journal, commits, and snapshots omit its value. */
  readonly secret?: true
  /** Returns the value as the journal, commits, and snapshots show it, without its secrets. */
  readonly shownAs?: (value: unknown) => unknown
  /** The value depends on time, chance, or call order, so `survives` doesn't compare it. */
  readonly isMade?: true
  /** The value is computed from other fields when the record is read. Snapshots and stores omit it. */
  readonly isDerived?: true
  /** Other operations use the name for harmless fields. */
  readonly isCommonName?: true
  /** The field exists only in dialects that list it. */
  readonly extra?: true
  /** The schema that {@link asOne} wraps. */
  readonly whole?: v.GenericSchema
  /** The command-line flag for an option, if it is not the option's path with hyphens. */
  readonly flag?: string
  /** The value is a file path. In a config file, it is relative to that file's folder. */
  readonly isFile?: true
  /** The placeholder for an option's value in the help. */
  readonly placeholder?: string
  /** The allowed values for a sender that can only send strings, if the message allows more. */
  readonly typed?: string
  /** The error for a value that the schema does not accept. */
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

/** Returns a wrapper's inner schema, or the step of its pipe that describes the fields. */
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

/** Returns the strings that a schema allows in addition to objects, or undefined if it allows other values. */
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

/** Describes the values that a field allows for a sender that can only send strings, and the value that was probably meant. */
export function describeChoices(schema: v.GenericSchema, received: unknown) {
  const choices = choicesOf(schema)
  if (!choices?.length) return { typed: marksOf(schema).typed }
  return { choices, nearest: typeof received === 'string' ? nearest(received, choices) : undefined }
}

export function isSchema(part: unknown): part is v.GenericSchema {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'schema'
}

/** Returns schemas and all schemas inside them. `isIncluded` selects among the inner schemas. */
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
    // A pipe's first step has the same parts as the pipe itself.
    const inner = [wrapped, item, ...items, rest, value, ...Object.values(entries), ...options, ...pipe.slice(1)]
    open.push(...inner.filter(isSchema).filter(isIncluded).reverse())
  }
  return seen
}

/** Returns all errors that a schema and its rules declare. `isIncluded` selects among the inner schemas. */
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
