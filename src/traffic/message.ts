import type { PolicyRequest, PolicyResponse } from '../service/policy/visit.ts'
import { type Body, discardBody, toFetchBody, watchBody } from './body.ts'
import { MessageHeaders } from './message-headers.ts'

abstract class Message {
  #body: Body

  constructor(
    readonly headers: MessageHeaders,
    body: Body,
  ) {
    this.#body = body
  }

  /** The body to send on. */
  get body(): Body {
    return this.#body
  }

  async bytes(): Promise<Uint8Array> {
    const body = this.#body
    if (body instanceof Uint8Array) return body
    const bytes = body ? new Uint8Array(await new Response(toFetchBody(body)).arrayBuffer()) : new Uint8Array()
    this.#body = body && bytes
    return bytes
  }

  /** Calls a function with each part of the body as it passes. */
  watchBody(see: (part: Uint8Array) => void): void {
    this.#body = watchBody(this.#body, see)
  }

  /** Ends the body unread, and with it the connection that it comes from. */
  discard(): void {
    discardBody(this.#body)
    this.#body = null
  }

  replaceBody(body: Uint8Array | ReadableStream<Uint8Array>): void {
    this.#body = body
    if (body instanceof Uint8Array) this.headers.set('content-length', String(body.length))
    else this.headers.delete('content-length')
  }
}

/** A request on its way through the gateway. */
export class VisitorRequest extends Message implements PolicyRequest {
  constructor(
    readonly method: string,
    public url: string,
    headers: MessageHeaders,
    body: Body,
  ) {
    super(headers, body)
  }

  /** Reads the arguments of a `fetch`. */
  static from(input: string | URL | Request, init: RequestInit): VisitorRequest {
    // A Request takes longer than all else, and the usual call needs none.
    const isPlain =
      typeof input === 'string' && Object.keys(init).every((name) => name === 'headers' || name === 'signal')
    const { method, url, headers: sent, body } = isPlain ? readPlain(input, init) : new Request(input, init)
    const headers = new MessageHeaders(sent)
    const { host } = new URL(url)
    if (headers.get('host') === undefined) headers.set('host', host)
    // The length of a text or of bytes is known, and clients send it.
    const known = init.body
    const bytes =
      typeof known === 'string' ? new TextEncoder().encode(known) : known instanceof Uint8Array ? known : undefined
    if (bytes) headers.set('content-length', String(bytes.length))
    return new VisitorRequest(method, url, headers, bytes ?? body)
  }

  /** Returns a copy that is sent to another URL. */
  to(url: string): VisitorRequest {
    return new VisitorRequest(this.method, url, new MessageHeaders(this.headers), this.body)
  }
}

function readPlain(url: string, { headers = {} }: RequestInit) {
  const { href, username, password } = new URL(url)
  if (username !== '' || password !== '') throw new TypeError('The URL has credentials. Send them in a header.')
  return { method: 'GET', url: href, headers: new Headers(headers), body: null }
}

/** A response on its way to the visitor. */
export class UpstreamResponse extends Message implements PolicyResponse {
  constructor(
    readonly status: number,
    headers: MessageHeaders,
    body: Body,
  ) {
    super(headers, body)
  }

  get stream(): ReadableStream<Uint8Array> | null {
    const { body } = this
    if (body instanceof ReadableStream) return body
    return new Response(body instanceof Uint8Array ? body.slice() : toFetchBody(body)).body
  }

  static from(response: Response): UpstreamResponse {
    const headers = new MessageHeaders(response.headers)
    return new UpstreamResponse(response.status, headers, response.body)
  }

  /** Returns the response that the visitor gets. A response to HEAD has no body. */
  toResponse(method: string): Response {
    const { status, headers, body } = this
    // Responses of a fetch have no status below 200.
    return new Response(isBodiless(method, status) ? null : toFetchBody(body), {
      status: Math.max(status, 200),
      headers: [...headers],
    })
  }
}

/** Returns whether the response with a status to a request has no body. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304
}
