import * as v from 'valibot'
import { documentationOf } from './documentation.ts'
import type { CatalogueError, FieldError } from './errors.ts'

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
