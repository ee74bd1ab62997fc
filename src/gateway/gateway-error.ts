import type { ErrorKey } from '../generated/resources.ts'

/** What a caller is told of a refusal; the key may be of a family of the test's own. */
type Facts = Omit<GatewayError, 'key' | 'is' | 'name'> & { readonly key: string }

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
  /** What errors of this class are called. */
  override readonly name = 'GatewayError'
  /** The catalogue's key, the same in every dialect. For the errors of families of your own, see {@link is}. */
  readonly key: ErrorKey
  /** The dialect's code, such as `ERR_NGROK_413`. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /**
   * Further facts: `field:<path>` for each of the first problems of a body, `further_problems` where there are more,
   * the ids of what was not found.
   */
  readonly details: Readonly<Record<string, string>>
  /** Further response headers, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  /** @internal */
  constructor(facts: Facts, cause?: unknown) {
    const { key, code, status, message, details, headers } = facts
    super(message, cause === undefined ? undefined : { cause })
    // The type names the keys of fauxgate's own families; `is` asks for any other.
    this.key = key as ErrorKey
    this.code = code
    this.status = status
    this.details = details
    this.headers = headers
  }

  /** Tells whether this is a certain error, such as one that a family of your own declares. */
  is({ key }: { readonly key: string }): boolean {
    return this.key === key
  }
}
