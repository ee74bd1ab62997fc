import type { RequestBody } from '../../core/schema/body.ts'
import type { FaultEffect } from './fault-effects.ts'
import type { HttpResponse } from './messages.ts'

/** A request that has arrived and is not handled yet. */
export interface Arrival {
  /** The method, in upper case. */
  readonly method: string
  /** The path below the base URL. */
  readonly path: string
  /** The query without its question mark. */
  readonly query: string
  /** The body. */
  readonly body: RequestBody
  /** The path of its operation, such as `/reserved_addrs/{id}`; null if the API has none for this method and path. */
  readonly operation: { readonly path: string } | null
  /** True if it came through a socket. */
  readonly isServed: boolean
  /** Returns a text that ends with the body of this request, or of a similar one, without the secrets of the body. */
  hideSecrets(text: string): string
  /** Handles the request as usual. Returns the response, and whether any record changed. */
  respond(): { readonly response: HttpResponse; readonly hasChanged: boolean }
  /** Returns the response that a fault causes: the usual response with the fault's changes, or an error. */
  fail(fault: FaultEffect, usual?: HttpResponse): HttpResponse
}

/** The hook of the HTTP handler, by which `survives` decides about each request when it arrives. */
export interface ArrivalHooks {
  /**
   * Makes the response to each request, except to preflights and requests of the control API and of the inspector: at once,
   * or later as the promise `safe`. If the hook is absent, each request is handled as usual.
   */
  arrival?: ((arrival: Arrival) => HttpResponse) | undefined
}
