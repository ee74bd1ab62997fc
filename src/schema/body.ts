import * as v from 'valibot'
import { extraFieldsOf, marksOf, schemaAt } from './documentation.ts'
import { ANY_VALUE, type Problem, Problems, problem, refuse } from './errors.ts'
import { general } from './general-errors.ts'
import { invalidProblem, PlainCopy, type Shape, toShape, valueText } from './plain-values.ts'
import { Reading, type RuleContext } from './rule.ts'
import { isSecretAt } from './secret-fields.ts'
import { fieldPath, type Path, quote, quoteSecret, THE_BODY } from './text.ts'
import { isObject } from './values.ts'

/** The maximum number of bytes of a body (rules: requests#body). */
export const MAX_BODY_BYTES = 1024 * 1024

/** The text of a body, or the reason why it was not read; `refused` means that the request's head was refused. An absent body is the empty text. */
export type RequestBody =
  | string
  | { readonly unread: 'body_unreadable' | 'not UTF-8' | 'refused' }
  | { readonly unread: 'body_too_large' /** Default: {@link MAX_BODY_BYTES}. */; readonly limit?: number }

export type SentBody = Readonly<Record<string, unknown>>

export function jsonObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : refuse(general.body_unparsable, { received: kindOf(value) })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`
}

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
 * Makes a function that reads an object as the body of a request is read. It finds all problems in one pass, unknown fields first,
 * and throws them as one refusal.
 */
export function bodyReader<S extends v.GenericSchema>(schema: S): BodyReader<v.InferOutput<S>> {
  let shapes: ReturnType<typeof splitShapes> | undefined
  return (body, ids, context, dialect) => {
    // The shapes are made for the first body only, because most programs use few of the operations.
    shapes ??= splitShapes(schema)
    const { all, extras, documented } = shapes
    const known = dialect?.extraFields
    const problems = dialect?.problems ?? new Problems()
    const sent = withoutPathIds(body, ids, problems)
    const fields = known ? without(all, (name) => extras.includes(name) && !known.includes(name)) : documented
    return parse(schema, new PlainCopy(problems, false).fields(fields, sent), context, problems, THE_BODY)
  }
}

type Fields = ReadonlyMap<string, Shape>

/** Returns the fields of a body: all of them, the names of those that only some dialects have, and the others. */
function splitShapes(schema: v.GenericSchema) {
  const shape = toShape(schema)
  const all: Fields = shape.kind === 'object' ? shape.fields : new Map()
  const extras = extraFieldsOf(schema)
  return { all, extras, documented: without(all, (name) => extras.includes(name)) }
}

function without(fields: Fields, isOmitted: (name: string) => boolean): Fields {
  return new Map([...fields].filter(([name]) => !isOmitted(name)))
}

/** `id` and `edge_id` in a body are accepted if they equal the path's. */
function withoutPathIds(body: SentBody, ids: Readonly<Record<string, string>>, problems: Problems): SentBody {
  const names = Object.keys(ids).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) {
    if (isSent(body[name]) && body[name] !== ids[name]) {
      problems.add(() => invalidProblem(name, body[name], `the path's own id, ${quote(ids[name])}`))
    }
    delete rest[name]
  }
  return rest
}

/**
 * Makes the reader of stored data, such as a snapshot. It reads like {@link bodyReader}, but `null` and "" are values.
 * `whole` names the data in messages, each of which says which value it is about.
 */
export function storedReader<S extends v.GenericSchema>(
  schema: S,
  whole: string,
): (raw: unknown, context: RuleContext) => v.InferOutput<S> {
  let shape: Shape | undefined
  return (raw, context) => {
    shape ??= toShape(schema)
    const problems = new Problems()
    const copy = new PlainCopy(problems, true).of(shape, raw)
    return parse(schema, copy, context, problems, whole)
  }
}

function nameField({ error, message, field = '' }: Problem): Problem {
  return { error, field, message: message.includes(field) ? message : `${field}: ${message}` }
}

function parse<S extends v.GenericSchema>(
  schema: S,
  plain: unknown,
  context: RuleContext,
  problems: Problems,
  whole: string,
): v.InferOutput<S> {
  const reading = new Reading(context)
  const { issues = [], output } = v.safeParse(schema, plain, reading.settings)
  for (const issue of issues) {
    problems.add(() => {
      const found = createProblem(issue, schema, whole, reading)
      return context.state ? nameField(found) : found
    })
  }
  problems.addUnreported(reading.unreported, reading.isCut)
  problems.refuse()
  return output
}

function createProblem(issue: v.BaseIssue<unknown>, schema: v.GenericSchema, whole: string, reading: Reading): Problem {
  const path = issue.path?.map((step) => String(step.key)) ?? []
  const field = fieldPath(path, whole)
  const received = isSecretAt(schema, path) ? quoteSecret(issue.input) : valueText(issue.input)
  const reported = reading.problemOf(issue, { field, received })
  if (reported) return { ...reported, field }
  return problem(errorAt(schema, path, issue), { field, received, allowed: issue.message || describeAllowed(issue) })
}

/** Returns the error for a value that a field does not take. A missing field is an error of its object. */
function errorAt(schema: v.GenericSchema, path: Path, issue: v.BaseIssue<unknown>) {
  const at = isMissing(issue) ? undefined : schemaAt(schema, path)
  return (at && marksOf(at).refusedAs) ?? general.field_invalid
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
