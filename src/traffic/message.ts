import { hideUrlSecrets } from '../core/schema/secret-texts.ts'
import { quote } from '../core/schema/text.ts'
import type { PolicyRequest, PolicyResponse } from '../service/policy/visit.ts'
import { type Body, discardBody, type Inform, type Switched, toFetchBody, watchBody } from './body.ts'
import { isEventStream, MessageHeaders } from './message-headers.ts'
import {
  BodyProblem,
  type BodyStatuses,
  decodeBody,
  drainBody,
  MAX_BODY_BYTES,
  readBody,
  readCodings,
  toStream,
} from './read-body.ts'
import { findHostProblem } from './target.ts'
import { parseVisitable } from './visitor.ts'

/** The headers that become wrong when a body changes: digests of its bytes (RFC 9530), and the offer of byte ranges. */
const OF_THE_BYTES = ['accept-ranges', 'content-digest', 'content-md5', 'digest', 'repr-digest']

abstract class Message {
  #body: Body
  protected abstract readonly statuses: BodyStatuses

  constructor(
    readonly headers: MessageHeaders,
    body: Body,
  ) {
    this.#body = body
  }

  /** The body to forward. */
  get body(): Body {
    return this.#body
  }

  get hasBody(): boolean {
    return this.#body !== null
  }

  get length(): number {
    const length = this.headers.get('content-length') ?? ''
    if (/^\d{1,15}$/.test(length)) return Number(length)
    return this.#body instanceof Uint8Array ? this.#body.length : 0
  }

  /** Reads a body of undeclared length, unless it may never end. @throws BodyProblem */
  async measure(): Promise<void> {
    const isKnown = this.headers.get('content-length') !== undefined
    if (!isKnown && !isEventStream(this.headers.get('content-type'))) await this.bytes()
  }

  /** Receives the whole body before it is read, and returns its length. */
  async arrive(): Promise<number> {
    if (!(this.#body instanceof ReadableStream)) return this.#body?.length ?? 0
    const [ahead, body] = this.#body.tee()
    this.#body = body
    let size = 0
    const count = (part: Uint8Array) => {
      size += part.length
    }
    await drainBody(watchBody(ahead, count), Number.POSITIVE_INFINITY)
    return size
  }

  /** Reads the whole body, as it was sent. @throws BodyProblem */
  async bytes(limit = MAX_BODY_BYTES): Promise<Uint8Array> {
    const length = Number(this.headers.get('content-length') ?? 0)
    if (this.#body !== null && length > limit)
      throw new BodyProblem('tooLong', this.statuses, `the body is ${length} bytes long. The maximum is ${limit}`)
    const bytes = await readBody(this.#body, limit, this.statuses)
    if (this.#body !== null) this.#body = bytes
    return bytes
  }

  /** Discards the body. Cancels an event stream, which may never end, and the rest of a long body. */
  async drain(): Promise<void> {
    const isEndless = isEventStream(this.headers.get('content-type'))
    if (!isEndless) await drainBody(this.#body, MAX_BODY_BYTES)
    this.discard()
  }

  /** Reads the whole body, decoded from content codings such as `gzip`. @throws BodyProblem */
  async content(limit = MAX_BODY_BYTES): Promise<Uint8Array> {
    const bytes = await this.bytes(limit)
    const codings = readCodings(this.headers.get('content-encoding'))
    if (bytes.length === 0 || codings.length === 0) return bytes
    return readBody(decodeBody(bytes, codings, this.statuses), limit, this.statuses)
  }

  /**
   * Returns the decoded body as it passes through, or null if there is none. @throws BodyProblem for an unknown coding
   */
  decode(): ReadableStream<Uint8Array> | null {
    const codings = readCodings(this.headers.get('content-encoding'))
    return this.#body && decodeBody(this.#body, codings, this.statuses)
  }

  /** Calls a function with each chunk of the body as it passes through, and another function at the end. */
  watchBody(see: (part: Uint8Array) => void, end?: () => void): void {
    this.#body = watchBody(this.#body, see, end)
  }

  /** Discards the unread body and its connection. */
  discard(): void {
    discardBody(this.#body)
    this.#body = null
  }

  /** Replaces the body, and its length in the headers. */
  replaceBody(body: Uint8Array | ReadableStream<Uint8Array> | null): void {
    this.#body = body
    if (body instanceof Uint8Array) this.headers.set('content-length', String(body.length))
    else this.headers.delete('content-length')
  }

  /** Replaces the body with a changed body, and updates the headers that depend on its bytes (rules: traffic#bodies). */
  changeBody(body: Uint8Array | ReadableStream<Uint8Array> | null, coding?: string): void {
    this.replaceBody(body)
    if (coding === undefined) this.headers.delete('content-encoding')
    else this.headers.set('content-encoding', coding)
    for (const name of OF_THE_BYTES) this.headers.delete(name)
    const tag = this.headers.get('etag')
    // The tag now names different bytes with the same meaning (RFC 9110, section 8.8.1).
    if (tag?.startsWith('"')) this.headers.setBytes('etag', `W/${tag}`)
  }
}

/** A request that passes through the gateway. */
export class VisitorRequest extends Message implements PolicyRequest {
  protected readonly statuses = { tooLong: 413, broken: 400, unknown: 415 }
  /** True if the sender knows the body's length even though no header states it. */
  isWhole = false
  readonly withheld: Set<string>

  constructor(
    readonly method: string,
    public url: string,
    headers: MessageHeaders,
    body: Body,
    /** Receives informational responses. */
    readonly inform?: Inform | undefined,
    withheld: Iterable<string> = [],
  ) {
    super(headers, body)
    this.withheld = new Set(withheld)
  }

  /** Reads the arguments of a `fetch` call. */
  static from(input: string | URL | Request, init: RequestInit): VisitorRequest {
    // Creating a Request takes longer than everything else, and the usual call doesn't need one.
    const parsed = readUrl(input instanceof Request ? input.url : input)
    const isPlain =
      typeof input === 'string' && Object.keys(init).every((name) => name === 'headers' || name === 'signal')
    const { method, url, headers: sent, body } = isPlain ? readPlain(parsed, init) : new Request(input, init)
    const headers = new MessageHeaders(sent)
    if (headers.get('host') === undefined) headers.set('host', parsed.host)
    // The length of a string or of bytes is known, so clients send it.
    const known = init.body
    const bytes =
      typeof known === 'string' ? new TextEncoder().encode(known) : known instanceof Uint8Array ? known : undefined
    if (bytes) headers.set('content-length', String(bytes.length))
    const request = new VisitorRequest(method, url, headers, bytes ?? body)
    request.isWhole = !(known instanceof ReadableStream)
    return request
  }

  /** Measures a body whose sender knows its length, which clients then send. @throws BodyProblem */
  override async measure(): Promise<void> {
    if (!this.isWhole || !this.hasBody || this.headers.get('content-length') !== undefined) return
    await super.measure()
    if (this.body instanceof Uint8Array) this.replaceBody(this.body)
  }

  /** Copies the request for another URL. */
  to(url: string): VisitorRequest {
    const headers = new MessageHeaders(this.headers)
    const copy = new VisitorRequest(this.method, url, headers, this.body, this.inform, this.withheld)
    copy.isWhole = this.isWhole
    return copy
  }
}

function readUrl(input: unknown): URL {
  const url = parseVisitable(String(input))
  if (url) {
    const wrong = findHostProblem(url.hostname)
    if (wrong !== undefined) throw new TypeError(wrong)
    return url
  }
  const received = quote(typeof input === 'string' ? hideUrlSecrets(input) : input)
  throw new TypeError(`The URL is ${received}. Allowed: an absolute URL such as "https://app.example.com/".`)
}

function readPlain({ href, username, password }: URL, { headers }: RequestInit) {
  if (username !== '' || password !== '') throw new TypeError('The URL contains credentials. Send them in a header.')
  return { method: 'GET', url: href, headers: headers && new Headers(headers), body: null }
}

/** A response to the visitor. */
export class UpstreamResponse extends Message implements PolicyResponse {
  protected readonly statuses = { tooLong: 502, broken: 502, unknown: 502 }

  constructor(
    readonly status: number,
    headers: MessageHeaders,
    body: Body,
    /** The connection to an upstream that has switched protocols. */
    readonly switched?: Switched | undefined,
  ) {
    super(headers, body)
  }

  override discard(): void {
    super.discard()
    this.switched?.end()
  }

  get stream(): ReadableStream<Uint8Array> | null {
    return this.body && toStream(this.body)
  }

  static from(response: Response): UpstreamResponse {
    const headers = new MessageHeaders(response.headers)
    return new UpstreamResponse(response.status, headers, response.body)
  }

  /** Returns the response as the visitor receives it. Responses to HEAD omit the body. */
  toResponse(method: string): Response {
    const { status, headers, body } = this
    // The status of a `fetch` response is never below 200.
    return new Response(isBodiless(method, Math.max(status, 200)) ? null : toFetchBody(body), {
      status: Math.max(status, 200),
      headers: headers.toPairs(),
    })
  }
}

/** Returns whether a response to a request with this status lacks a body. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status < 200 || status === 204 || status === 205 || status === 304
}
