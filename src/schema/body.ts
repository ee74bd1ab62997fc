import * as v from 'valibot'
import { marksOf, schemaAt } from './documentation.ts'
import { type Problem, Problems, problem, refuse } from './errors.ts'
import { general } from './general-errors.ts'
import {
  type About,
  type AnySchema,
  extraFieldsOf,
  given,
  invalid,
  type Shape,
  shapeOf,
  shown,
  withoutFields,
} from './plain-values.ts'
import { MOST_HANDED_ON, Reading, type RuleContext } from './rule.ts'
import { isSecretAt } from './secret-fields.ts'
import { fieldPath, type Path, quote, quoteSecret, THE_BODY } from './text.ts'
import { isObject } from './values.ts'

/** The most bytes that a body may have (rules: requests#body). */
export const LARGEST_BODY = 1024 * 1024

/** A body that was read, or why it could not be. An absent body is the empty text. */
export type RequestBody =
  | string
  | { readonly unread: 'body_unreadable' | 'not UTF-8' }
  | { readonly unread: 'body_too_large' /** Default: {@link LARGEST_BODY}. */; readonly limit?: number }

/** Reads a body: takes what a client sent, answers what the schema makes of it. */
export type BodyReader<T> = (
  body: unknown,
  ids: Readonly<Record<string, string>>,
  context: RuleContext,
  dialect?: {
    /** What the dialect refuses in the body already. */
    readonly problems: readonly Problem[]
    /** The fields that the dialect has beside the API reference's. */
    readonly extraFields: readonly string[] | undefined
  },
) => T

/**
 * Makes the reader of a body. It finds all problems in one pass, unknown fields first, and throws them as one refusal
 * (rules: errors#all-problems).
 */
export function bodyReader<S extends AnySchema>(schema: S): BodyReader<v.InferOutput<S>> {
  let shapes: ReturnType<typeof shapesOf<S>> | undefined
  return (body, ids, context, dialect) => {
    // Looked into when a body comes: most programs send few of those that there are.
    shapes ??= shapesOf(schema)
    const { whole, extras, plainShape } = shapes
    const problems = new Problems()
    for (const each of dialect?.problems ?? []) problems.add(() => each)
    const known = dialect?.extraFields
    const shape = known
      ? withoutFields(
          whole,
          extras.filter((name) => !known.includes(name)),
        )
      : plainShape
    const sent = withoutPathIds(jsonObject(body), ids, problems)
    return readAs(schema, shape, sent, context, { whole: THE_BODY, isKept: false, problems })
  }
}

/** The shape of a body, with the fields that only some dialects have and without them. */
function shapesOf<S extends AnySchema>(schema: S) {
  const whole = shapeOf(schema)
  const extras = extraFieldsOf(schema)
  return { whole, extras, plainShape: withoutFields(whole, extras) }
}

/**
 * Makes the reader of what a gateway kept, such as a snapshot: like that of a body, but nothing in it stands for "not
 * given". `whole` is what messages call it. It throws a Refusal with the problems, unknown fields first.
 */
export function keptReader<S extends AnySchema>(
  schema: S,
  whole: string,
): (raw: unknown, context: RuleContext) => v.InferOutput<S> {
  const shape = shapeOf(schema)
  return (raw, context) => readAs(schema, shape, raw, context, { whole, isKept: true, problems: new Problems() })
}

function readAs(schema: AnySchema, shape: Shape, raw: unknown, context: RuleContext, about: About): unknown {
  const plain = given(shape, raw, undefined, about)
  const reading = new Reading(context)
  const parsed = v.safeParse(schema, plain, reading.settings)
  if (parsed.issues) addIssues(about, schema, parsed.issues, reading)
  about.problems.refuse()
  return parsed.output
}

/** Adds what the schema found; of very many problems, the rules have only counted the later ones. */
function addIssues(
  { problems, whole, isKept }: About,
  schema: AnySchema,
  issues: readonly v.BaseIssue<unknown>[],
  reading: Reading,
): void {
  const worded = (issue: v.BaseIssue<unknown>) => fromIssue(issue, schema, whole, reading)
  for (const issue of issues) problems.add(() => (isKept ? withPlace(worded(issue)) : worded(issue)))
  problems.addCounted(Math.max(0, reading.count - MOST_HANDED_ON), reading.isCut)
}

/** `id` and `edge_id` in a body are accepted when they equal the path's. */
function withoutPathIds(body: unknown, ids: Readonly<Record<string, string>>, problems: Problems): unknown {
  if (!isObject(body)) return body
  const names = Object.keys(ids).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) {
    if (isGiven(body[name]) && body[name] !== ids[name]) {
      problems.add(() => invalid(name, body[name], `the path's own id, ${quote(ids[name])}`))
    }
    delete rest[name]
  }
  return rest
}

const ALLOWED: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  Object: 'an object',
  Array: 'an array',
}

/** Among the many values of what was kept, every message says which one it is about. */
function withPlace({ error, message, field = '' }: Problem): Problem {
  return { error, field, message: message.includes(field) ? message : `${field}: ${message}` }
}

function fromIssue(issue: v.BaseIssue<unknown>, schema: AnySchema, whole: string, reading: Reading): Problem {
  const path = issue.path?.map((step) => String(step.key)) ?? []
  const field = fieldPath(path, whole)
  const received = isSecretAt(schema, path) ? quoteSecret(issue.input) : shown(issue.input)
  const wording = reading.wordingOf(issue)
  if (wording) return { ...wording({ field, received }), field }
  const error = errorAt(schema, path, issue)
  return problem(error, { field, received, allowed: issue.message || allowedBy(issue) })
}

/** The error of a field that does not take a value. That one is missing says the object that it belongs to. */
function errorAt(schema: AnySchema, path: Path, issue: v.BaseIssue<unknown>) {
  const at = isMissing(issue) ? undefined : schemaAt(schema, path)
  return (at && marksOf(at).refusedAs) ?? general.field_invalid
}

function isMissing({ message, received }: v.BaseIssue<unknown>): boolean {
  return message === '' && received === 'undefined'
}

function allowedBy(issue: v.BaseIssue<unknown>): string {
  const expected = issue.expected ?? 'another value'
  return ALLOWED[expected] ?? (isMissing(issue) ? 'a value; the field is required' : expected)
}

/** A body that must be one JSON object; refuses anything else. */
export function jsonObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : refuse(general.body_unparsable, { received: kindOf(value) })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? `an object of another kind` : `a ${typeof value}`
}

/** Whether a value of a body counts as given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
