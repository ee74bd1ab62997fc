import type { ErrorFacts } from '../core/schema/error-facts.ts'
import { withDescription } from '../core/schema/option-error.ts'
import type { ErrorKey } from '../generated/resources.ts'

/** The member of an error that returns the error keys of its gateway. The symbol is the same in every bundle, for matchers. */
const KEYS: unique symbol = Symbol.for('fauxgate.keys')

/** Returns the function with which a GatewayError, from any bundle, lists its gateway's error keys. */
function keysOfGateway(error: object) {
  const { [KEYS]: keys }: { readonly [KEYS]?: () => Iterable<string> } = error
  return keys
}

/** Returns true if an error with this key exists in the gateway that threw an error. */
export function gatewayOfErrorHasKey(error: object, key: string): boolean {
  const keys = keysOfGateway(error)
  return keys !== undefined && [...keys()].includes(key)
}

/**
 * The error that the direct API throws when a rule rejects a call. A rejected call changes nothing. The response to a rejected HTTP request
 * contains the same facts.
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
  // The build shortens class names, which Node prints.
  /** @internal */
  static override get name(): string {
    return 'GatewayError'
  }
  /** The class name. */
  override readonly name = 'GatewayError'
  /** The key in the error catalogue, which is the same in every dialect. For errors of your own families, use {@link is}. */
  readonly key: ErrorKey
  /** The dialect's code, such as `ERR_NGROK_413`. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /**
   * Additional facts: `field:<path>` for each of the first problems in a body, `further_problems` if there are more, and the IDs of any
   * resources that weren't found. If the message is about one field: `field` and, if known, `rule`, `received`, `allowed`, `choices`,
   * `nearest`, and `typed`.
   */
  readonly details: Readonly<Record<string, string>>
  /** Additional response headers, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  /** @internal */
  constructor(facts: ErrorFacts, cause?: unknown, keys: () => Iterable<string> = () => []) {
    const { key, code, status, message, details, headers } = facts
    super(message, cause === undefined ? undefined : { cause })
    // The type lists only the keys of fauxgate's families; `is` compares any key.
    this.key = key as ErrorKey
    this.code = code
    this.status = status
    this.details = details
    this.headers = headers
    Object.defineProperty(this, KEYS, { value: keys })
  }

  /** Returns true if this is the error with the key, for example an error that your own family declares. */
  is({ key }: { readonly key: string }): boolean {
    return this.key === key
  }

  /**
   * Returns the same error for an entry of `initial`, such as `reservedAddrs[0]`, with the entry in its message.
   * @internal
   */
  at(entry: string): GatewayError {
    const { message } = this
    const facts = { ...this, message: `initial.${entry}: ${message}` }
    const error = new GatewayError(facts, this.cause, keysOfGateway(this))
    return withDescription(error, (nameOf) => `${nameOf(`initial.${entry}`)}: ${message}`)
  }
}
