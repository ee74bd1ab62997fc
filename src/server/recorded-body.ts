import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { utf8Text } from '../core/schema/platform.ts'
import { lookUp } from '../core/schema/values.ts'

/** The maximum number of bytes of a body that the recorder forwards. */
const MAX_FORWARDED_BYTES = 64 * 1024 * 1024

/** The error for a body with more bytes than the recorder forwards. */
export class BodyTooLong extends Error {
  constructor(what: string) {
    super(`the body of the ${what} exceeds ${MAX_FORWARDED_BYTES} bytes`)
  }
}

/**
 * Reads a whole body.
 * @throws BodyTooLong after {@link MAX_FORWARDED_BYTES}, and then reads no more.
 */
export async function readForwardedBody(body: AsyncIterable<Uint8Array> | null, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_FORWARDED_BYTES) throw new BodyTooLong(what)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
    // The body is not text.
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
  const decompressor = lookUp(DECOMPRESSORS, name)
  if (!decompressor) throw new Error(`The encoding ${name} is unknown.`)
  return decompressor(bytes, { maxOutputLength: MAX_BODY_BYTES })
}
