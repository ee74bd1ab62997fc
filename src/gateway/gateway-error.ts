import type { ErrorKey } from '../generated/resources.ts'

/** The facts of a refusal. The key may be one of a family of your own. */
type Facts = Omit<GatewayError, 'key' | 'is' | 'name'> & { readonly key: string }

/** The name of the function by which matchers, of whichever bundle, ask the gateway of an error for its keys. */
const KEYS: unique symbol = Symbol.for('fauxgate.keys')

/** Tells whether the gateway that threw an error has errors with a key. */
export function isKeyOfGatewayOf(error: object, key: string): boolean {
  const { [KEYS]: keys } = error as { [KEYS]?: () => Iterable<string> } // Only GatewayErrors have it.
  return keys !== undefined && [...keys()].includes(key)
}

/**
 * The error that the direct API throws when a rule refuses a call. Nothing has changed then. A refused HTTP request is
 * answered with the same facts.
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
  // The build shortens the names of classes, and Node prints them.
  /** @internal */
  static override get name(): string {
    return 'GatewayError'
  }
  /** The name of the class. */
  override readonly name = 'GatewayError'
  /** The key in the catalogue of errors, the same in every dialect. For errors of families of your own, see {@link is}. */
  readonly key: ErrorKey
  /** The dialect's code, such as `ERR_NGROK_413`. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /**
   * Additional facts: `field:<path>` for each of the first problems of a body, `further_problems` if there are more, and the
   * ids of resources that were not found.
   */
  readonly details: Readonly<Record<string, string>>
  /** Additional response headers, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  /** @internal */
  constructor(facts: Facts, cause?: unknown, keys: () => Iterable<string> = () => []) {
    const { key, code, status, message, details, headers } = facts
    super(message, cause === undefined ? undefined : { cause })
    // The type names the keys of fauxgate's families; `is` checks any other.
    this.key = key as ErrorKey
    this.code = code
    this.status = status
    this.details = details
    this.headers = headers
    Object.defineProperty(this, KEYS, { value: keys })
  }

  /** Tells whether this is a certain error, such as one that a family of your own declares. */
  is({ key }: { readonly key: string }): boolean {
    return this.key === key
  }
}
