import type { RequestBody } from '../schema/body.ts'
import type { FaultEffect } from './fault-effects.ts'
import type { HttpResponse } from './messages.ts'

/** A request that has arrived and was not handled yet. */
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
  /** Answers as usual, and tells whether anything changed. */
  answer(): { readonly response: HttpResponse; readonly hasChanged: boolean }
  /** Returns the response of a fault, made of the usual response if there is one. */
  fail(fault: FaultEffect, usual?: HttpResponse): HttpResponse
}

/** The hook of the HTTP handler. `survives` decides here about each request when it arrives. */
export interface ArrivalHooks {
  /** Called for each request but those of the control API, of the inspector and preflights. Absent: each is answered as usual. */
  arrival?: ((arrival: Arrival) => HttpResponse) | undefined
}
