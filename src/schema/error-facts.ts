import type { CommonDialect } from './dialect.ts'
import type { CatalogueError, Refusal } from './errors.ts'
import { utf8Length } from './platform.ts'
import { withoutSecrets } from './secret-values.ts'

/** What a caller is told of a refusal, in the dialect's numbers and statuses. */
export interface ErrorFacts {
  readonly key: string
  readonly code: string
  readonly status: number
  readonly message: string
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** What a caller is told of a refusal. `secrets` are what the refused call carried and no message may repeat. */
export function factsOf(refusal: Refusal, dialect: CommonDialect, secrets: readonly string[] = []): ErrorFacts {
  const { error, message } = refusal.problems[0]
  return {
    key: error.key,
    code: codeOf(error, dialect),
    status: statusOf(error, dialect),
    message: withinBytes(withoutSecrets(message, secrets)),
    details: Object.freeze({ ...plainDetails(refusal, secrets), ...fieldDetails(refusal, secrets) }),
    headers: refusal.headers,
  }
}

function plainDetails({ details }: Refusal, secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(details).map(([name, text]) => [name, withoutSecrets(text, secrets)]))
}

/** What a message may take, as JSON in bytes. */
const LONGEST_MESSAGE = 3 * 1024
/** What a character may take: a control character becomes an escape of six. */
const BYTES_PER_CHARACTER = 6

function withinBytes(message: string): string {
  if (bytesAsJson(message) <= LONGEST_MESSAGE) return message
  return `${message.slice(0, LONGEST_MESSAGE / BYTES_PER_CHARACTER)}…`
}

/** What all details together may take, as JSON in bytes; the rest of the 16 KiB is for the message and what is around. */
const MOST_DETAILS = 12 * 1024

/** One entry per field that has a problem, the first problem of each, as far as there is room for them. */
function fieldDetails({ problems, further }: Refusal, secrets: readonly string[]): Record<string, string> {
  const details: Record<string, string> = {}
  let room = MOST_DETAILS
  let left = further.count
  for (const { field, message } of problems) {
    if (field === undefined) continue
    const name = `field:${withoutSecrets(field, secrets)}`
    const shown = withinBytes(withoutSecrets(message, secrets))
    room -= bytesAsJson(name) + bytesAsJson(shown)
    if (room < 0) left++
    else if (!Object.hasOwn(details, name)) details[name] = shown
  }
  if (left > 0) details.further_problems = further.isCountedToItsEnd ? String(left) : `${left} or more`
  return details
}

function bytesAsJson(text: string): number {
  const isPlain = /^[ !#-[\]-~]*$/.test(text)
  return isPlain ? text.length + 2 : utf8Length(JSON.stringify(text))
}

/** The wire's `error_code` of an error. */
export function codeOf({ number }: CatalogueError, { errorPrefix }: CommonDialect): string {
  return `${errorPrefix}${number}`
}

/** The HTTP status of an error: the dialect's own where it has one, else the catalogue's. */
export function statusOf({ key, status }: CatalogueError, { errorStatuses }: CommonDialect): number {
  return errorStatuses[key] ?? status
}
