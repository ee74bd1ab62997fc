import type { Duration } from './duration.ts'
import type { ErrorKey } from './errors.ts'
import type { Method, PathIds } from './operation.ts'

/** The methods of requests that can meet a fault. */
export const FAULT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly (
  | Method
  | 'HEAD'
)[]

/** What a fault's predicate sees of a request. */
export interface FaultRequest<OperationName extends string = string> {
  readonly operation: OperationName
  readonly method: string
  /** Below the base URL, without the query. */
  readonly path: string
  readonly ids: PathIds
  /** The JSON of the body, or the parameters of the query. */
  readonly input: unknown
}

/**
 * A failure on order: which requests it meets, how often, and what they get instead of their answer. One that no request
 * of the API can meet is refused.
 */
export interface FaultSpec<OperationName extends string = string> {
  /** The operation's name, such as `reserved_domains.create`. */
  readonly operation?: OperationName
  readonly method?: (typeof FAULT_METHODS)[number]
  /** The path below the base URL, such as `/reserved_domains`. */
  readonly path?: string
  /** An id that stands in the path. */
  readonly resource?: string
  /** Any further condition. Not available over HTTP, and not part of a snapshot. */
  when?(request: FaultRequest<OperationName>): boolean
  /** How many requests it meets; until it is removed where this is left out. */
  readonly times?: number
  /** How many matching requests pass before it begins. */
  readonly after?: number
  /** Fails before the operation (the default) or after it: then the client sees an error, and the change happened. */
  readonly phase?: 'before' | 'after'
  /** The HTTP status of the error, by default that of `error`, or 503. */
  readonly status?: number
  /** An error of the catalogue, by its key. */
  readonly error?: ErrorKey
  /** The `msg` of the error. */
  readonly message?: string
  /** A `Retry-After` header, rounded up to seconds. */
  readonly retryAfter?: Duration
  /** How long the answer takes, on the gateway's clock. Without anything else, the answer itself is the usual one. */
  readonly latency?: Duration
  /** The connection breaks instead of an answer: fetch rejects, the server resets the socket. */
  readonly drop?: boolean
  /** The usual answer, cut after this many characters. */
  readonly truncate?: number
  /** A body of the caller's own, with the status: a text, such as an HTML page, as it is, or an object as JSON. */
  readonly body?: string | object
}

/** A fault that is armed. */
export interface ArmedFault<OperationName extends string = string> extends FaultSpec<OperationName> {
  readonly id: string
  /** How many requests it has met. */
  readonly hits: number
  /** How many matching requests it has let pass. */
  readonly passed: number
}
