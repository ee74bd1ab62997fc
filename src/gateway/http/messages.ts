import type { RequestBody } from '../../core/schema/body.ts'

/** A request from any transport, in the form in which the HTTP handler receives it. */
export interface HttpRequest {
  /** The method, in uppercase. */
  readonly method: string
  /** An absolute URL, or a path with its query. */
  readonly url: string
  /** Returns the value of a header by its lowercase name, or null. */
  readonly header: (name: string) => string | null
  /** All headers, unchanged, for the journal: each name followed by its value. Absent if the transport doesn't know all headers. */
  readonly rawHeaders?: readonly string[]
  /** The body, read to its end. */
  readonly body: RequestBody
  /**
   * The remote address, such as `127.0.0.1`, read by the transport from its socket, never from a header. Absent for a
   * request from this process.
   */
  readonly peer?: string
  /** The caller's address, to which the account's rules apply, such as `203.0.113.9`. Default: `peer`. */
  readonly address?: string
  /**
   * True for a request from the inspector. It doesn't need an API key or version, count towards the rate limit, or trigger faults, and
   * isn't journaled.
   */
  readonly isInspector?: boolean
  /** Aborts when the client disconnects. This ends a waiting control call, such as a visit to an upstream that does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** A response for any transport. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, or null if there is no body. */
  readonly body: string | null
  /** The effect of a fault that delays, truncates, or drops the response; absent if the response is sent immediately. */
  readonly delivery?: Delivery
  /** The problem with the request, for the journal and the log. Absent if the body already states the problem. */
  readonly problem?: string
  /**
   * Resolves with the response to send, possibly an error, when the work is done and the store has flushed the changes. Absent if there is
   * nothing to wait for. Rejects only if an operation runs test code, and that code throws. `fetch` then rejects, too.
   */
  readonly safe?: Promise<HttpResponse>
}

/** The delivery of a response to its client. */
export interface Delivery {
  /** True to break the connection instead. */
  readonly drop: boolean
  /** The earliest time of the delivery on the gateway's clock, in ms. */
  readonly notBefore: number
  /** The way a truncated or stalled body ends. Absent if the whole body is sent. */
  readonly cut?: {
    readonly ending: 'break' | 'stall'
    /** The Content-Length of the whole response. */
    readonly wholeBytes: number
  }
  /** The operation ID of the request; absent if the list of waiting requests omits the request. */
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

/** Creates a response from a string that is already JSON. */
export function createJsonTextResponse(status: number, body: string): HttpResponse {
  return { status, headers: JSON_HEADERS, body }
}

/** A response without a body or content type. */
export const NO_CONTENT: HttpResponse = Object.freeze({ status: 204, headers: Object.freeze({}), body: null })
