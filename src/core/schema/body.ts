import type * as v from 'valibot'
import { ANY_VALUE, type Problem, Problems, problem, refuse, withFacts } from './errors.ts'
import { general } from './general-errors.ts'
import { createInvalidProblem, PlainCopier } from './plain-values.ts'
import { Reading, type RuleContext } from './rule.ts'
import { describeChoices, findSchema, listExtraFields, marksOf, partsOf } from './schema-parts.ts'
import { isSecretAt } from './secret-fields.ts'
import { formatPath, quote, quoteSecret, THE_BODY } from './text.ts'
import { isJson, isObject, omit, requirePlainPrototype } from './values.ts'

/** The maximum body size in bytes (rules: requests#body). */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * A body's text (empty if there is no body), or why it wasn't read. `refused` means that the request was rejected because of
 * its head.
 */
export type RequestBody =
  | string
  | { readonly unread: 'body_unreadable' | 'not UTF-8' | 'refused' }
  | {
      readonly unread: 'body_too_large' /** The maximum size in bytes. Default: {@link MAX_BODY_BYTES}. */
      readonly limit?: number
    }

export type SentBody = Readonly<Record<string, unknown>>

export function requireJsonObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : refuse(general.body_unparsable, { received: describeKind(value) })
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string' && value.startsWith('{') && isJson(value))
    return 'a string that contains a JSON object, not the object itself'
  return typeof value === 'object' ? quote(value) : `a ${typeof value}`
}

/** Returns whether a field was given. `null` and "" mean that it wasn't. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

type BodyReader<T> = (
  body: SentBody,
  ids: Readonly<Record<string, string>>,
  context: RuleContext,
  dialect?: {
    /** The problems that the dialect found in the body. The reader adds its own problems. */
    readonly problems: Problems
    /** The fields that the dialect adds to those in the API reference. */
    readonly extraFields: readonly string[] | undefined
  },
) => T

// (rules: errors#all-problems)
/**
 * Creates the function that reads the body of a request with a schema. It finds all problems in one pass, starting with unknown fields, and
 * throws them as one error.
 */
export function bodyReader<S extends v.GenericSchema>(schema: S): BodyReader<v.InferOutput<S>> {
  const { entries = {} } = partsOf(schema)
  let extras: readonly string[] | undefined
  return (body, ids, context, dialect) => {
    // Computed when the first body arrives, because most programs use few operations.
    extras ??= listExtraFields(schema)
    const hidden = extras.filter((name) => !dialect?.extraFields?.includes(name))
    const fields = hidden.length === 0 ? entries : omit(entries, hidden)
    const problems = dialect?.problems ?? new Problems()
    checkPathIds(body, ids, problems)
    const copier = new PlainCopier(problems, false)
    return readBySchema(schema, copier.copyFields(fields, body, ids), copier, context, THE_BODY)
  }
}

/** Adds a problem for each ID in a body, such as `id` and `edge_id`, that differs from the one in the path. */
function checkPathIds(body: SentBody, ids: Readonly<Record<string, string>>, problems: Problems): void {
  for (const name in ids) {
    if (Object.hasOwn(body, name) && isSent(body[name]) && body[name] !== ids[name]) {
      problems.add(() => createInvalidProblem(name, body[name], `the ID in the path, ${quote(ids[name])}`))
    }
  }
}

/**
 * Creates the function that reads stored data, such as a snapshot, with a schema. It works like {@link bodyReader}, but `null` and "" count
 * as values. Messages call the data `whole`, and each message names the field.
 */
export function storedReader<S extends v.GenericSchema>(
  schema: S,
  whole: string,
): (raw: unknown, context: RuleContext) => v.InferOutput<S> {
  return (raw, context) => {
    const copier = new PlainCopier(new Problems(), true)
    return readBySchema(schema, copier.copy(schema, raw), copier, context, whole)
  }
}

/** Adds the field to a problem whose message omits it. */
function nameField(it: Problem): Problem {
  if (withFacts(it, { field: '' }).message !== it.message) return it
  const prefix = `${it.field}: `
  return { ...it, prefix, message: prefix + it.message }
}

function readBySchema<S extends v.GenericSchema>(
  schema: S,
  copy: unknown,
  copier: PlainCopier,
  context: RuleContext,
  whole: string,
): v.InferOutput<S> {
  requirePlainPrototype()
  const reading = new Reading(context)
  const { issues = [], value } = reading.run(schema, copy)
  const { problems } = copier
  for (const issue of issues) {
    problems.add(() => {
      const found = createProblem(issue, copier.receivedFor(issue.input), schema, whole, reading)
      return context.state ? nameField(found) : found
    })
  }
  problems.refuse(reading)
  return value as v.InferOutput<S> // If there is no problem, the value is the schema's output.
}

function createProblem(
  issue: v.BaseIssue<unknown>,
  input: unknown,
  schema: v.GenericSchema,
  whole: string,
  reading: Reading,
): Problem {
  const path = issue.path?.map((step) => String(step.key)) ?? []
  const field = formatPath(path, whole)
  const isSecret = isSecretAt(schema, path)
  const received = isSecret ? quoteSecret(input) : quote(input)
  const reported = reading.createProblem(issue, { field, received })
  if (reported) return { ...reported, field }
  // The enclosing object rejects a missing field.
  const at = isMissing(issue) ? undefined : findSchema(schema, path)
  const error = (at && marksOf(at).refusedAs) ?? general.field_invalid
  const allowed = issue.message || describeAllowed(issue)
  return problem(error, { field, received, allowed, ...(at && !isSecret && describeChoices(at, input)) })
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
