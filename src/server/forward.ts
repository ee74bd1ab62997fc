import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { utf8Text } from '../core/schema/platform.ts'

const HOP_BY_HOP = /^(connection|keep-alive|proxy-.*|transfer-encoding|upgrade|te|trailer)$/i

/** Returns true for a header that is about one connection (hop-by-hop), and must not be forwarded. */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.test(name)
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
  const sentHeaders = Object.entries(headersDistinct).filter(
    ([name]) => !isHopByHop(name) && !/^(host|expect)$/.test(name),
  )
  const base = new URL(target)
  const path = base.pathname.replace(/\/$/, '') + url
  const send = base.protocol === 'https:' ? httpsRequest : httpRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(base, { method, path, headers: Object.fromEntries(sentHeaders), signal, agent: false }, resolve)
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
    bytes: await buffer(response),
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
