import type { RequestBody } from '../schema/body.ts'
import { platform, utf8Length, utf8Text } from '../schema/platform.ts'
import { quote } from '../schema/text.ts'
import type { Handler } from './handler.ts'
import type { Delivery, HttpRequest, HttpResponse } from './messages.ts'

/** The type of the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Returns the most bytes that the body of a request may have. */
type LimitOf = (method: string, url: string) => number

type Reached = (at: number, signal?: AbortSignal, operationId?: string) => Promise<void>

/** Makes a function that replaces `fetch`: bound, and as strict about its arguments. */
export function fetchOf(handler: Handler, limitOf: LimitOf, reached: Reached): Fetch {
  return async (input, options) => {
    const init = options ?? {}
    const signal = init.signal ?? signalOf(input, init)
    signal?.throwIfAborted()
    const isPlain = !isRequest(input) && (init.body == null || typeof init.body === 'string')
    const request = isPlain
      ? plainRequest(String(input), init, limitOf)
      : await streamedRequest(input, init, { signal, limitOf })
    const answer = handler(request)
    const response = answer.safe ? await answer.safe : answer
    if (response.delivery) await delivery(response.delivery, reached, signal)
    return toResponse(response)
  }
}

export function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && input instanceof platform('Request')
}

function signalOf(input: string | URL | Request, { signal }: RequestInit): AbortSignal | undefined {
  return isRequest(input) && signal === undefined ? input.signal : undefined
}

/** Waits for a delayed response. Rejects like fetch if a fault drops the connection. */
async function delivery(
  { notBefore, drop, operationId }: Delivery,
  reached: Reached,
  signal?: AbortSignal,
): Promise<void> {
  await reached(notBefore, signal, operationId)
  if (!drop) return
  const cause = Object.assign(new Error('A fault broke the connection.'), { code: 'ECONNRESET' })
  throw new TypeError('fetch failed', { cause })
}

/** Reads the common form of a call, a URL and a text, without a `Request` between; nothing is waited for. */
function plainRequest(url: string, init: RequestInit, limitOf: LimitOf): HttpRequest {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(url)) {
    // The message omits the query, which may have a key.
    throw new TypeError(`${quote(url.replace(/[?#].*/s, ''))} is not an absolute URL.`)
  }
  const method = normalMethod(init.method ?? 'GET')
  const body = init.body as string | null | undefined // Any other body goes through a `Request`.
  if (body != null && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError(`A ${method} request cannot have a body.`)
  }
  const headers = new (platform('Headers'))(init.headers)
  // The content type that fetch itself sets for a text.
  const type = body == null ? null : 'text/plain;charset=UTF-8'
  return {
    method,
    url,
    header: (name) => headers.get(name) ?? (name === 'content-type' ? type : null),
    rawHeaders: rawHeaders(init.headers, headers),
    body: body == null ? '' : withinLimit(body, limitOf(method, url)),
  }
}

/** Lists names and values in turn, from a plain object if there is one: that is much cheaper than from `Headers`. */
function rawHeaders(init: RequestInit['headers'], parsed: Headers): string[] {
  if (init === undefined || Symbol.iterator in init) return [...parsed].flat()
  const all: string[] = []
  for (const name in init) all.push(name, String(init[name]))
  return all
}

function withinLimit(text: string, limit: number): RequestBody {
  const isTooLarge = text.length * 3 > limit && utf8Length(text) > limit
  return isTooLarge ? { unread: 'body_too_large', limit } : text
}

/** The methods that fetch brings to upper case, those it refuses, and what can be one. */
const NORMALISED = /^(delete|get|head|options|post|put)$/i
const FORBIDDEN = /^(connect|trace|track)$/i
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function normalMethod(method: string): string {
  if (!METHOD.test(method) || FORBIDDEN.test(method))
    throw new TypeError(`${quote(method)} is not a method that fetch can use.`)
  return NORMALISED.test(method) ? method.toUpperCase() : method
}

async function streamedRequest(
  input: string | URL | Request,
  { method, headers, body, duplex }: RequestInit & { duplex?: 'half' },
  { signal, limitOf }: { signal: AbortSignal | undefined; limitOf: LimitOf },
): Promise<HttpRequest> {
  const overrides = Object.entries({ method, headers, body, duplex }).filter(([, value]) => value !== undefined)
  // The signal is not passed on, because a `Request` listens to its signal for as long as it exists.
  const request = isWhole(input, overrides)
    ? input
    : new (platform('Request'))(input, { ...Object.fromEntries(overrides), signal: null })
  return readRequest(request, limitOf(request.method, request.url), signal)
}

/** Reads a `Request` to its end, or until its body has more bytes than it may have. */
export async function readRequest(request: Request, limit: number, signal?: AbortSignal): Promise<HttpRequest> {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name),
    rawHeaders: [...request.headers].flat(),
    // Some replacements of the platform's `Request` have no stream.
    body:
      request.body === undefined
        ? withinLimit(await request.text(), limit)
        : await readBody(request.body, limit, signal),
  }
}

function isWhole(input: string | URL | Request, more: readonly unknown[]): input is Request {
  return more.length === 0 && isRequest(input) && !input.bodyUsed && !input.body?.locked
}

async function readBody(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<RequestBody> {
  if (!stream) return ''
  const reader = stream.getReader()
  // Ends a read that is waiting for more of the stream.
  const stop = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', stop)
  try {
    return await readChunks(reader, limit)
  } catch {
    return { unread: 'body_unreadable' }
  } finally {
    signal?.removeEventListener('abort', stop)
    signal?.throwIfAborted()
  }
}

async function readChunks(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<RequestBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength
    if (size > limit) {
      await reader.cancel()
      return { unread: 'body_too_large', limit }
    }
    chunks.push(part.value)
  }
  return decodeBody(chunks, size)
}

export function decodeBody(chunks: readonly Uint8Array[], size: number): RequestBody {
  const [first] = chunks
  const bytes = first && chunks.length === 1 ? first : joined(chunks, size)
  try {
    return utf8Text(bytes)
  } catch {
    return { unread: 'not UTF-8' }
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  return new (platform('Response'))(body, { status, headers })
}
