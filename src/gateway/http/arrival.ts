import type { RequestBody } from '../../core/schema/body.ts'
import type { FaultEffect } from './fault-effects.ts'
import type { HttpResponse } from './messages.ts'

/** A request that has arrived but has not been handled yet. */
export interface Arrival {
  /** The method, in uppercase. */
  readonly method: string
  /** The path under the base URL. */
  readonly path: string
  /** The query without the question mark. */
  readonly query: string
  /** The body. */
  readonly body: RequestBody
  /** The path of its operation, such as `/reserved_addrs/{id}`, or null if no operation has this method and path. */
  readonly operation: { readonly path: string } | null
  /** Returns true while a client's socket waits for the response. */
  isConnected(): boolean
  /** Returns a string that ends with the body of this request, or of a similar request, without secrets. */
  hideSecrets(text: string): string
  /** Handles the request as usual. Returns the response and whether any record changed. */
  respond(): { readonly response: HttpResponse; readonly hasChanged: boolean }
  /** Returns the response that a fault causes: the usual response with changes, or an error. */
  fail(fault: FaultEffect, usual?: HttpResponse): HttpResponse
}

/** A hook of the HTTP handler. `survives` uses it to decide how to handle each request. */
export interface ArrivalHooks {
  /**
   * Produces the response to each request, either immediately or later through the promise `safe`. Not called for preflights, the control
   * API, or the inspector. Without the hook, each request is handled as usual.
   */
  arrival?: ((arrival: Arrival) => HttpResponse) | undefined
}

/** A hook for fixtures, which report HTTP requests that a failing test did not await. */
export interface ServedHooks {
  served?: {
    /** Called when a server starts to listen, with the function that closes it. Closing it twice has no effect. */
    opened(close: () => Promise<void>): void
    /**
     * Called with each request that a server receives, such as `POST /reserved_addrs`, and its `Authorization` header. Call the result when the
     * exchange has ended, with the status of a response that was sent in full.
     */
    received(request: string, authorization?: string): (status?: number) => void
    /**
     * Called before a server closes. The server still receives requests that were already sent. Call the result when the server has closed.
     */
    closing(): () => void
  }
}
