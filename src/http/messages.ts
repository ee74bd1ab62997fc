import type { RequestBody } from '../schema/body.ts'

/** A request as the HTTP handler takes it, from whichever transport. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string
  /** An absolute URL, or a path with its query. */
  readonly url: string
  /** The value of a header by its lower-case name, or null. */
  readonly header: (name: string) => string | null
  /** All headers as they came, names and values by turns, for the journal. Absent where a transport does not tell them. */
  readonly rawHeaders?: readonly string[]
  /** The body, read to its end. */
  readonly body: RequestBody
  /**
   * The address that it came from, such as `127.0.0.1`: what a transport read from its socket, never from a header.
   * Absent for a request from this process.
   */
  readonly peer?: string
  /**
   * True for a request of the inspector. It is let in like a request to a control: it needs no API key, takes none of the
   * quota, meets no fault, and is not in the journal.
   */
  readonly isInspector?: boolean
}

/** An answer, ready for whichever transport. `body` is null where there is none. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by name. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body; null where there is none. */
  readonly body: string | null
  /** The delivery that a fault wants; absent for at once and whole. */
  readonly delivery?: Delivery
  /**
   * The answer to give once the store has made safe what this one says: the same, or the error that it could not. Absent
   * where all is safe already. Never rejects.
   */
  readonly safe?: Promise<HttpResponse>
}

/** The way of a response to its client. */
export interface Delivery {
  /** The connection breaks instead. */
  readonly drop: boolean
  /** The earliest time of the delivery on the gateway's clock, in ms. */
  readonly notBefore: number
  /** The id of the request's operation, if the request is to be shown while it waits. */
  readonly operationId?: string
}

const JSON_HEADERS = { 'Content-Type': 'application/json' } as const

export function jsonAnswer(status: number, value: unknown, headers?: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, body: JSON.stringify(value) }
}

export function jsonTextAnswer(status: number, body: string): HttpResponse {
  return { status, headers: JSON_HEADERS, body }
}

/** An answer without a body and without a content type. */
export const NO_CONTENT: HttpResponse = Object.freeze({ status: 204, headers: Object.freeze({}), body: null })
