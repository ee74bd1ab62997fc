import type { Dialect } from './dialect.ts'
import { catalogue, type ErrorKey, type Refusal } from './errors.ts'
import { withoutSecrets } from './secret-values.ts'
import { utf8Length } from './utf8.ts'

/**
 * Thrown by the direct API when a rule refuses a call; nothing has changed then. The same facts answer a request over
 * HTTP.
 *
 * @example
 * ```ts
 * try {
 *   gateway.reservedDomains.create({ domain: 'app.example.com' })
 * } catch (error) {
 *   if (error instanceof GatewayError && error.key === 'domain_taken') reuse()
 *   else throw error
 * }
 * ```
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The catalogue's key, the same in every dialect. */
  readonly key: ErrorKey
  /** The dialect's code, such as `ERR_NGROK_413`. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /**
   * Further facts: `field:<path>` for each of the first problems of a body, `further_problems` where there are more,
   * the ids of what was not found. Together with the message never more than an answer of 16 KiB.
   */
  readonly details: Readonly<Record<string, string>>
  /** Further response headers, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  /** @internal `secrets` are what the refused call carried and no message may repeat. */
  constructor(refusal: Refusal, dialect: Dialect, secrets: readonly string[] = []) {
    const { key, message } = refusal.problems[0]
    super(withinBytes(withoutSecrets(message, secrets)))
    this.key = key
    this.code = `${dialect.errorPrefix}${catalogue[key].number}`
    this.status = statusOf(key, dialect)
    this.details = Object.freeze({ ...plainDetails(refusal, secrets), ...fieldDetails(refusal, secrets) })
    this.headers = refusal.headers
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

/** The HTTP status of an error: the dialect's own where it has one, else the catalogue's. */
export function statusOf(key: ErrorKey, { errorStatuses }: Dialect): number {
  return errorStatuses[key] ?? catalogue[key].status
}
