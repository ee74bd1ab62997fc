import { abortable } from '../../core/engine/clock.ts'
import { EventLoop } from '../../core/engine/event-loop.ts'
import { MAX_BODY_BYTES, type RequestBody } from '../../core/schema/body.ts'
import { atCaller } from '../../core/schema/caller-stack.ts'
import { platform, utf8Length, utf8Text } from '../../core/schema/platform.ts'
import { hideUrlSecrets } from '../../core/schema/secret-texts.ts'
import { quote } from '../../core/schema/text.ts'
import { createBrokenConnection, markStalled, truncateStream } from '../../core/schema/truncated-stream.ts'
import { isObject } from '../../core/schema/values.ts'
import { ipBytes } from '../../service/x509/ip.ts'
import type { Handler } from './handler.ts'
import type { Delivery, HttpRequest, HttpResponse } from './messages.ts'
import { parseUrl } from './url.ts'

/** The caller of a request. */
export interface Caller {
  /** The sender's address, such as `203.0.113.9`. Default: none, so IP restrictions don't reject the request. */
  readonly ip?: string | undefined
}

/** The type of the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The type of a gateway's `fetch`. The second argument can specify the caller. */
export type GatewayFetch = (
  input: string | URL | Request,
  init?: RequestInit & { readonly from?: Caller | undefined },
) => Promise<Response>

/** A function that returns the maximum number of bytes in a request's body. */
type FindLimit = (method: string, url: string) => number

/** A function that waits, on the gateway's clock, until a response may be delivered. */
type WaitForDelivery = (delivery: Delivery, signal?: AbortSignal) => Promise<void>

/**
 * The number of requests after which timers can run. Otherwise, a loop that never waits between requests would hang a runner whose timeout
 * is a timer.
 */
const REQUESTS_PER_TURN = 1000

/** Creates a gateway's `fetch`. The function is bound, and checks its arguments as strictly as the global `fetch`. */
export function createFetch(handler: Handler, findLimit: FindLimit, wait: WaitForDelivery): GatewayFetch {
  let requests = 0
  return async (input, options) => {
    const init = options ?? {}
    const sent = isRequest(input) ? input : undefined
    const signal = init.signal === undefined ? sent?.signal : readSignal(init.signal)
    signal?.throwIfAborted()
    const isPlain = !sent && (init.body == null || typeof init.body === 'string')
    const request = isPlain
      ? readPlainRequest(String(input), init, findLimit)
      : await readStreamedRequest(input, init, { signal, findLimit })
    const address = readAddress(init.from)
    const known = address === undefined ? request : { ...request, address }
    const immediate = handler(signal ? { ...known, signal } : known)
    const response = immediate.safe ? await waitForResponse(immediate.safe, signal) : immediate
    if (response.delivery) await wait(response.delivery, signal)
    if (++requests % REQUESTS_PER_TURN === 0) await waitForTurn()
    if (response.delivery?.drop) throw createBrokenConnection('fetch failed')
    return toResponse(response, signal)
  }
}

async function waitForTurn(): Promise<void> {
  const eventLoop = new EventLoop()
  await eventLoop.turn()
  eventLoop.close()
}

/** @throws TypeError if the caller is not an object with an address. */
function readAddress(from: Caller | undefined): string | undefined {
  if (from === undefined) return undefined
  if (!isObject(from)) throw atCaller(new TypeError(`from is ${quote(from)}. Allowed: { ip: '203.0.113.9' }.`))
  const other = Object.keys(from).find((name) => name !== 'ip')
  if (other !== undefined) throw atCaller(new TypeError(`from.${other} is unknown. Allowed: { ip: '203.0.113.9' }.`))
  const { ip } = from
  if (ip === undefined || (typeof ip === 'string' && ipBytes(ip))) return ip
  throw atCaller(new TypeError(`from.ip is ${quote(ip)}. Allowed: an IPv4 or IPv6 address, such as '203.0.113.9'.`))
}

export function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && input instanceof platform('Request')
}

/** @throws TypeError if the signal is something else, such as an AbortController. */
function readSignal(signal: AbortSignal | null): AbortSignal | undefined {
  if (!signal) return undefined
  if (typeof signal.throwIfAborted === 'function') return signal
  throw atCaller(
    new TypeError(`signal is ${quote(signal)}. Allowed: an AbortSignal, such as the \`signal\` of an AbortController.`),
  )
}

/** Waits for a response that is not ready. Rejects with the reason of an aborted signal, or with the error of the response. */
export async function waitForResponse(safe: Promise<HttpResponse>, signal?: AbortSignal): Promise<HttpResponse> {
  await abortable(signal, (resolve, reject) => {
    safe.then(() => resolve(), reject)
    return () => undefined
  })
  return safe
}

const TEXT_TYPE = 'text/plain;charset=UTF-8'

/** Reads the most common kind of call, with a URL and a string body, without creating a `Request` or waiting. */
function readPlainRequest(sentUrl: string, init: RequestInit, findLimit: FindLimit): HttpRequest {
  const url = normalizeUrl(sentUrl)
  const method = normalizeMethod(init.method ?? 'GET')
  const body = init.body as string | null | undefined // Other bodies go through a `Request`.
  if (body != null && (method === 'GET' || method === 'HEAD')) {
    throw atCaller(new TypeError(`A ${method} request cannot have a body.`))
  }
  const headers = new (platform('Headers'))(init.headers)
  const rawHeaders = listHeaders(init.headers, headers)
  if (body != null && !headers.has('content-type')) {
    // Like fetch itself.
    headers.set('content-type', TEXT_TYPE)
    rawHeaders.push('content-type', TEXT_TYPE)
  }
  return {
    method,
    url,
    header: headers.get.bind(headers),
    rawHeaders,
    body: body == null ? '' : limitBody(body, () => findLimit(method, url)),
  }
}

/** Matches URLs that are already normalized, as most are. Parsing is slow. */
const NORMALIZED = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*\/[\w/-]*$/

/** Returns a URL in the form sent by fetch. */
function normalizeUrl(text: string): string {
  if (NORMALIZED.test(text)) return text
  const { href, host, username, password } = parseUrl(text) ?? {}
  if (href === undefined || !host)
    throw atCaller(new TypeError(`${quote(hideUrlSecrets(text))} is not an absolute URL.`))
  if (username || password)
    throw atCaller(new TypeError(`The URL for ${quote(host)} contains credentials. Send them in a header.`))
  return href
}

/** Lists alternating names and values: from a plain object if there is one, because reading `Headers` takes much longer. */
function listHeaders(init: RequestInit['headers'], parsed: Headers): string[] {
  if (init === undefined || Symbol.iterator in init) return [...parsed].flat()
  const all: string[] = []
  for (const name in init) all.push(name, String(init[name]))
  return all
}

function limitBody(text: string, findLimit: () => number): RequestBody {
  // Limits are never lower than MAX_BODY_BYTES.
  if (text.length * 3 <= MAX_BODY_BYTES) return text
  const limit = findLimit()
  return utf8Length(text) > limit ? { unread: 'body_too_large', limit } : text
}

/** The methods that `fetch` converts to uppercase. */
const NORMALIZED_METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])
/** Matches any string that can be a method, except the methods that fetch rejects. */
const METHOD = /^(?!(?:connect|trace|track)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i

function normalizeMethod(method: string): string {
  const upperCase = String(method).toUpperCase()
  if (NORMALIZED_METHODS.has(upperCase)) return upperCase
  if (METHOD.test(method)) return method
  throw atCaller(new TypeError(`${quote(method)} is not a method that fetch can use.`))
}

async function readStreamedRequest(
  input: string | URL | Request,
  { method, headers, body, duplex }: RequestInit & { duplex?: 'half' },
  { signal, findLimit }: { signal: AbortSignal | undefined; findLimit: FindLimit },
): Promise<HttpRequest> {
  const overrides = Object.entries({ method, headers, body, duplex }).filter(([, value]) => value !== undefined)
  // The signal is not passed on, because a `Request` listens to its signal for as long as it exists.
  const request = isUnread(input, overrides)
    ? input
    : new (platform('Request'))(input, { ...Object.fromEntries(overrides), signal: null })
  return readRequest(request, () => findLimit(request.method, request.url), signal)
}

/** Reads a `Request` to its end, or until its body exceeds the limit. `findLimit` is called only for a large body. */
export async function readRequest(
  request: Request,
  findLimit: () => number,
  signal?: AbortSignal,
): Promise<HttpRequest> {
  const { method, url, headers, body } = request
  return {
    method,
    url,
    header: headers.get.bind(headers),
    rawHeaders: [...headers].flat(),
    // Some replacements for the platform's `Request` lack a stream.
    body: body === undefined ? limitBody(await request.text(), findLimit) : await readBody(body, findLimit, signal),
  }
}

/** Returns whether a `Request` can be read directly: it is unread, and `init` doesn't override any part. */
function isUnread(input: string | URL | Request, overrides: readonly unknown[]): input is Request {
  return overrides.length === 0 && isRequest(input) && !input.bodyUsed && !input.body?.locked
}

async function readBody(
  stream: ReadableStream<Uint8Array> | null,
  findLimit: () => number,
  signal: AbortSignal | undefined,
): Promise<RequestBody> {
  if (!stream) return ''
  const reader = stream.getReader()
  // Ends a pending read of the stream.
  const stop = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', stop)
  try {
    return await readChunks(reader, findLimit)
  } catch {
    return { unread: 'body_unreadable' }
  } finally {
    signal?.removeEventListener('abort', stop)
    signal?.throwIfAborted()
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  findLimit: () => number,
): Promise<RequestBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  let limit: number | undefined
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength
    if (size > MAX_BODY_BYTES) limit ??= findLimit()
    if (limit !== undefined && size > limit) {
      void reader.cancel().catch(() => undefined)
      return { unread: 'body_too_large', limit }
    }
    chunks.push(part.value)
  }
  return decodeBody(chunks, size)
}

export function decodeBody(chunks: readonly Uint8Array[], size: number): RequestBody {
  const [first] = chunks
  const bytes = first && chunks.length === 1 ? first : joinChunks(chunks, size)
  try {
    return utf8Text(bytes)
  } catch {
    return { unread: 'not UTF-8' }
  }
}

function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Converts a response to a platform `Response`. Its body can be truncated, or can stall until the signal is aborted. */
export function toResponse({ status, headers, body, delivery }: HttpResponse, signal?: AbortSignal): Response {
  const { cut } = delivery ?? {}
  if (!cut || body === null) return new (platform('Response'))(body, { status, headers })
  const { body: source } = new (platform('Response'))(body)
  const sent = source && truncateStream(source, { length: utf8Length(body), ending: cut.ending, signal })
  const whole = { ...headers, 'Content-Length': String(cut.wholeBytes) }
  const response = new (platform('Response'))(sent, { status, headers: whole })
  return cut.ending === 'stall' ? markStalled(response) : response
}
