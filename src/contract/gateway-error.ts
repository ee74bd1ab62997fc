import type { Dialect } from './dialect.ts'
import { catalogue, type ErrorKey, type Refusal } from './errors.ts'

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
  /** Further facts: `field:<path>` for each problem of a body, the ids of what was not found. */
  readonly details: Readonly<Record<string, string>>
  /** Further response headers, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(refusal: Refusal, dialect: Dialect) {
    const { key, message } = refusal.problems[0]
    super(message)
    this.key = key
    this.code = `${dialect.errorPrefix}${catalogue[key].number}`
    this.status = catalogue[key].status
    this.details = Object.freeze({ ...refusal.details, ...fieldDetails(refusal) })
    this.headers = refusal.headers
  }
}

/** One entry per field that has a problem: the first problem of each. */
function fieldDetails({ problems }: Refusal): Record<string, string> {
  const details: Record<string, string> = {}
  for (const { field, message } of problems) if (field !== undefined) details[`field:${field}`] ??= message
  return details
}
