import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { utf8Text } from '../core/schema/platform.ts'
import { request as httpRequest } from './http.ts'

const HOP_BY_HOP = /^(connection|keep-alive|proxy-.*|transfer-encoding|upgrade|te|trailer)$/i

/** Returns true for a header that is about one connection (hop-by-hop), and must not be forwarded. */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.test(name)
}

/** The maximum number of bytes of a body that the recorder forwards. */
const MAX_FORWARDED_BYTES = 64 * 1024 * 1024

/** A body has more bytes than the recorder forwards. */
export class BodyTooLong extends Error {
  constructor(what: string) {
    super(`the body of the ${what} exceeds ${MAX_FORWARDED_BYTES} bytes`)
  }
}

/**
 * Reads a body as a whole.
 * @throws BodyTooLong after {@link MAX_FORWARDED_BYTES}, and then reads no more.
 */
export async function readForwardedBody(stream: IncomingMessage, what: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  // Left open, because the client of a request that is too long must get its response.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > MAX_FORWARDED_BYTES) throw new BodyTooLong(what)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A response of a service. */
export type ServiceResponse = Awaited<ReturnType<typeof forward>>

/**
 * Forwards a request to a service, and returns the response. `rawHeaders` are in the received order, and the names in
 * `headers` are in lower case.
 * @throws Error of the network, or the reason of the signal.
 */
export async function forward(
  target: string,
  { method, url = '/', headersDistinct }: IncomingMessage,
  body: Buffer,
  signal: AbortSignal,
) {
  const ofConnection = (headersDistinct.connection ?? []).flatMap((names) => names.toLowerCase().split(/[\s,]+/))
  const sentHeaders = Object.entries(headersDistinct).filter(
    ([name]) => !isHopByHop(name) && !ofConnection.includes(name) && !/^(host|expect|content-length)$/.test(name),
  )
  // Without a length, Node's client frames no body of a GET, HEAD, DELETE, OPTIONS or TRACE, and the body would be a second request.
  const hasBody = body.length > 0 || headersDistinct['content-length'] !== undefined
  const length: [string, string][] = hasBody ? [['content-length', String(body.length)]] : []
  const base = new URL(target)
  const path = base.pathname.replace(/\/$/, '') + url
  const send = base.protocol === 'https:' ? httpsRequest : httpRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(
      base,
      { method, path, headers: Object.fromEntries([...sentHeaders, ...length]), signal, agent: false },
      resolve,
    )
      .on('error', reject)
      .end(body)
  })
  const { statusCode = 502, headers, rawHeaders } = response
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    rawHeaders: rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
    ),
    bytes: await readForwardedBody(response, 'response'),
  }
}

/** The maximum number of bytes of a body that a recording keeps. */
const MAX_BODY_BYTES = 20_000_000

/** Returns the text of a body. Returns only the size in bytes if the body is not text or exceeds {@link MAX_BODY_BYTES}. */
export function textOrSize(bytes: Buffer, encoding = ''): { readonly text?: string; readonly binary?: number } {
  try {
    const decompressed = decompress(bytes, encoding)
    const text = utf8Text(decompressed)
    if (!text.includes('\0') && decompressed.length <= MAX_BODY_BYTES) return { text }
  } catch {
    // It is not text.
  }
  return { binary: bytes.length }
}

const DECOMPRESSORS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** Decodes the bytes of a body. Throws if the encoding is unknown, or if the bytes are not in this encoding. */
function decompress(bytes: Buffer, encoding: string): Buffer {
  const name = encoding.trim().toLowerCase()
  if (bytes.length === 0 || name === '' || name === 'identity') return bytes
  const decompressor = DECOMPRESSORS[name]
  if (!decompressor) throw new Error(`The encoding ${name} is unknown.`)
  return decompressor(bytes, { maxOutputLength: MAX_BODY_BYTES })
}
