import type { RequestBody } from '../../core/schema/body.ts'

/** A request from any transport, as the HTTP handler receives it. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string
  /** An absolute URL, or a path with its query. */
  readonly url: string
  /** The value of a header by its lower-case name, or null. */
  readonly header: (name: string) => string | null
  /** All headers unchanged, for the journal: each name, then its value. Absent if a transport does not know them. */
  readonly rawHeaders?: readonly string[]
  /** The body, read to its end. */
  readonly body: RequestBody
  /**
   * The address that it came from, such as `127.0.0.1`: what a transport read from its socket, never from a header.
   * Absent for a request from this process.
   */
  readonly peer?: string
  /** The address of the caller for the rules of the account, such as `203.0.113.9`. Default: `peer`. */
  readonly address?: string
  /**
   * True for a request of the inspector. It needs no API key and names no version, does not count towards the rate limit, triggers
   * no fault, and is not in the journal.
   */
  readonly isInspector?: boolean
  /** Aborts when the client leaves. It ends a control that waits, such as a visit of an upstream that does not answer. */
  readonly signal?: AbortSignal | undefined
}

/** A response for any transport. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by name. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body; null if there is no body. */
  readonly body: string | null
  /** The way in which a fault delays, cuts or drops the response; absent if it is sent at once. */
  readonly delivery?: Delivery
  /** The problem of the request, for the journal and the log. Absent if the body names it. */
  readonly problem?: string
  /**
   * Resolves with the response to send once its work has ended and the store has flushed the changes. It can be an error.
   * Absent if nothing waits. Rejects only if code of a test that an operation runs throws, as `fetch` does then.
   */
  readonly safe?: Promise<HttpResponse>
}

/** The delivery of a response to its client. */
export interface Delivery {
  /** True if the connection breaks instead. */
  readonly drop: boolean
  /** The earliest time of the delivery on the gateway's clock, in ms. */
  readonly notBefore: number
  /** The end of a response whose body breaks off or stalls; absent if the body is sent as a whole. */
  readonly cut?: {
    readonly ending: 'break' | 'stall'
    /** The Content-Length of the whole response. */
    readonly wholeBytes: number
  }
  /** The operation id of the request; absent if the list of waiting requests omits it. */
  readonly operationId?: string
}

const JSON_HEADERS = { 'Content-Type': 'application/json' } as const

export function createJsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, body: JSON.stringify(value) }
}

/** Makes a response from a text that is JSON already. */
export function createJsonTextResponse(status: number, body: string): HttpResponse {
  return { status, headers: JSON_HEADERS, body }
}

/** A response without a body and without a content type. */
export const NO_CONTENT: HttpResponse = Object.freeze({ status: 204, headers: Object.freeze({}), body: null })
