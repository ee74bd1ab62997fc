import type { CommonDialect } from './dialect.ts'
import type { CatalogueError, FieldFacts, Problem, Refusal } from './errors.ts'
import { utf8Length } from './platform.ts'
import { NO_REDACTION, type Redactor, redactText } from './secret-texts.ts'
import { mapValues } from './values.ts'

/** An error as callers see it, with the dialect's code and status. */
export interface ErrorFacts {
  readonly key: string
  readonly code: string
  readonly status: number
  readonly message: string
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** The maximum length of a message, in bytes of JSON. Together, the headers and the body of an error stay below 16 KiB. */
const MAX_MESSAGE_BYTES = 3 * 1024
/** The maximum total length of all details, in bytes of JSON. */
const MAX_DETAILS_BYTES = 12 * 1024

/** Describes an error for its caller. `redactor` hides strings in the call that messages must not repeat. */
export function createErrorFacts(
  refusal: Refusal,
  dialect: CommonDialect,
  redactor: Redactor = NO_REDACTION,
): ErrorFacts {
  const redact = (text: string) => limitLength(redactText(text, redactor))
  const { error, message } = refusal.problems[0]
  return {
    key: error.key,
    code: codeOf(error, dialect),
    status: statusOf(error, dialect),
    message: redact(message),
    details: Object.freeze(createDetails(refusal, redact)),
    headers: refusal.headers,
  }
}

/** Returns the error's own details, then as many field problems as fit, one detail each, and finally the number of omitted problems. */
function createDetails(
  { details, problems, further }: Refusal,
  redact: (text: string) => string,
): Record<string, string> {
  const redactAll = (texts: Readonly<Record<string, string>>) => mapValues(texts, (text) => redact(text))
  const all = redactAll(details)
  const facts = redactAll(describeField(problems[0]))
  let room = MAX_DETAILS_BYTES - countJsonBytes(facts)
  let omitted = further.count
  for (const { field, message } of problems) {
    if (field === undefined) continue
    const name = `field:${redact(field)}`
    const text = redact(message)
    room -= countJsonBytes(name) + countJsonBytes(text)
    if (room < 0) omitted++
    else if (!Object.hasOwn(all, name)) all[name] = text
  }
  if (omitted > 0) all.further_problems = further.isExact ? String(omitted) : `${omitted} or more`
  return { ...facts, ...all }
}

/** Returns the facts about an error's field, so programs don't need to parse the message (rules: errors#details). */
function describeField({ error, field, values }: Problem): Readonly<Record<string, string>> {
  if (field === undefined) return {}
  const { received, choices, nearest, typed }: Partial<FieldFacts> = values
  const allowed = (error.allowed as ((values: object) => string) | undefined)?.(values) // The values belong to this error.
  const facts = { field, rule: error.key, received, allowed, choices: choices?.join(', '), nearest, typed }
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])),
  )
}

/**
 * Formats the message of an error from the known values. `describeUnknown` returns the text for any other value. Default: its
 * name in braces, such as `{limit}`.
 */
export function formatMessage(
  error: CatalogueError,
  known: Readonly<Record<string, unknown>>,
  describeUnknown: (name: string) => string | number = (name) => `{${name}}`,
): string {
  const values = new Proxy(known, {
    get: (_, name: string) => (Object.hasOwn(known, name) ? known[name] : describeUnknown(name)),
  })
  // The proxy supplies every value that a message reads.
  return (error.message as (values: object) => string)(values)
}

function limitLength(text: string): string {
  if (countJsonBytes(text) <= MAX_MESSAGE_BYTES) return text
  // One character is at most six bytes of JSON: an escape such as "\u0000".
  return `${text.slice(0, MAX_MESSAGE_BYTES / 6)}…`
}

function countJsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value))
}

export function codeOf({ number, code }: CatalogueError, { errorPrefix }: CommonDialect): string {
  return code ?? `${errorPrefix}${number}`
}

export function statusOf({ key, status }: CatalogueError, { errorStatuses }: CommonDialect): number {
  return errorStatuses[key] ?? status
}
