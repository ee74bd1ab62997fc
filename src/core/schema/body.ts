import type * as v from 'valibot'
import { describeChoices, findSchema, listExtraFields, marksOf } from './documentation.ts'
import { ANY_VALUE, type Problem, Problems, problem, refuse, withFacts } from './errors.ts'
import { general } from './general-errors.ts'
import { createInvalidProblem, formatValue, PlainCopier, type Shape, toShape } from './plain-values.ts'
import { Reading, type RuleContext } from './rule.ts'
import { isSecretAt } from './secret-fields.ts'
import { formatPath, quote, quoteSecret, THE_BODY } from './text.ts'
import { isObject, requirePlainPrototype } from './values.ts'

/** The maximum number of bytes of a body (rules: requests#body). */
export const MAX_BODY_BYTES = 1024 * 1024

/** The text of a body, empty if there is none, or the reason why it was not read. `refused`: the head of the request was refused. */
export type RequestBody =
  | string
  | { readonly unread: 'body_unreadable' | 'not UTF-8' | 'refused' }
  | { readonly unread: 'body_too_large' /** Default: {@link MAX_BODY_BYTES}. */; readonly limit?: number }

export type SentBody = Readonly<Record<string, unknown>>

export function requireJsonObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : refuse(general.body_unparsable, { received: describeKind(value) })
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? quote(value) : `a ${typeof value}`
}

/** Returns whether a field has a value: `null` and "" mean that it was not given. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

type BodyReader<T> = (
  body: SentBody,
  ids: Readonly<Record<string, string>>,
  context: RuleContext,
  dialect?: {
    /** The problems that the dialect has found in the body. The reader adds further ones. */
    readonly problems: Problems
    /** The fields that the dialect adds to the API reference's. */
    readonly extraFields: readonly string[] | undefined
  },
) => T

// (rules: errors#all-problems)
/**
 * Makes the function that reads the body of a request by a schema. It finds all problems in one pass, unknown fields first, and
 * throws one refusal with all problems.
 */
export function bodyReader<S extends v.GenericSchema>(schema: S): BodyReader<v.InferOutput<S>> {
  let shapes: ReturnType<typeof splitShapes> | undefined
  return (body, ids, context, dialect) => {
    // The shapes are made for the first body only, because most programs use few of the operations.
    shapes ??= splitShapes(schema)
    const { all, extras, documented } = shapes
    const known = dialect?.extraFields
    const problems = dialect?.problems ?? new Problems()
    const sent = omitPathIds(body, ids, problems)
    const fields = known ? omitFields(all, (name) => extras.includes(name) && !known.includes(name)) : documented
    return readBySchema(schema, new PlainCopier(problems, false).copyFields(fields, sent), context, problems, THE_BODY)
  }
}

type Fields = ReadonlyMap<string, Shape>

/** Returns the fields of a body: all of them, the names of those that only some dialects have, and the others. */
function splitShapes(schema: v.GenericSchema) {
  const shape = toShape(schema)
  const all: Fields = shape.kind === 'object' ? shape.fields : new Map()
  const extras = listExtraFields(schema)
  return { all, extras, documented: omitFields(all, (name) => extras.includes(name)) }
}

function omitFields(fields: Fields, isOmitted: (name: string) => boolean): Fields {
  return new Map([...fields].filter(([name]) => !isOmitted(name)))
}

/** Returns a body without the ids of its path, such as `id` and `edge_id`. Adds a problem if an id differs from the path's. */
function omitPathIds(body: SentBody, ids: Readonly<Record<string, string>>, problems: Problems): SentBody {
  let rest: Record<string, unknown> | undefined
  for (const name in ids) {
    if (!Object.hasOwn(body, name)) continue
    if (isSent(body[name]) && body[name] !== ids[name]) {
      problems.add(() => createInvalidProblem(name, body[name], `the path's own id, ${quote(ids[name])}`))
    }
    rest ??= { ...body }
    delete rest[name]
  }
  return rest ?? body
}

/**
 * Makes the function that reads stored data, such as a snapshot, by a schema. It reads like {@link bodyReader}, but `null` and ""
 * are values. `whole` names the data in messages, and each message names the field.
 */
export function storedReader<S extends v.GenericSchema>(
  schema: S,
  whole: string,
): (raw: unknown, context: RuleContext) => v.InferOutput<S> {
  let shape: Shape | undefined
  return (raw, context) => {
    shape ??= toShape(schema)
    const problems = new Problems()
    const copy = new PlainCopier(problems, true).copy(shape, raw)
    return readBySchema(schema, copy, context, problems, whole)
  }
}

/** Names the field of a problem whose error has a message without it. */
function nameField(it: Problem): Problem {
  if (withFacts(it, { field: '' }).message !== it.message) return it
  const prefix = `${it.field}: `
  return { ...it, prefix, message: prefix + it.message }
}

function readBySchema<S extends v.GenericSchema>(
  schema: S,
  plain: unknown,
  context: RuleContext,
  problems: Problems,
  whole: string,
): v.InferOutput<S> {
  requirePlainPrototype()
  const reading = new Reading(context)
  const { issues = [], value } = reading.run(schema, plain)
  for (const issue of issues) {
    problems.add(() => {
      const found = createProblem(issue, schema, whole, reading)
      return context.state ? nameField(found) : found
    })
  }
  problems.refuse(reading)
  return value as v.InferOutput<S> // Without a problem, the value is the schema's output.
}

function createProblem(issue: v.BaseIssue<unknown>, schema: v.GenericSchema, whole: string, reading: Reading): Problem {
  const path = issue.path?.map((step) => String(step.key)) ?? []
  const field = formatPath(path, whole)
  const isSecret = isSecretAt(schema, path)
  const received = isSecret ? quoteSecret(issue.input) : formatValue(issue.input)
  const reported = reading.createProblem(issue, { field, received })
  if (reported) return { ...reported, field }
  // A missing field is refused by the object around it.
  const at = isMissing(issue) ? undefined : findSchema(schema, path)
  const error = (at && marksOf(at).refusedAs) ?? general.field_invalid
  const allowed = issue.message || describeAllowed(issue)
  return problem(error, { field, received, allowed, ...(at && !isSecret && describeChoices(at, issue.input)) })
}

function isMissing({ message, received }: v.BaseIssue<unknown>): boolean {
  return message === '' && received === 'undefined'
}

const ALLOWED: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  Object: 'an object',
  Array: 'an array',
}

function describeAllowed(issue: v.BaseIssue<unknown>): string {
  const expected = issue.expected ?? 'another value'
  return ALLOWED[expected] ?? (isMissing(issue) ? ANY_VALUE : expected)
}
