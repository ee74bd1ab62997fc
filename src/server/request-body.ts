import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES, type RequestBody } from '../core/schema/body.ts'

/** The number of bytes to read beyond the limit. Otherwise, the sender might not see the response. */
const MAX_DRAINED_BYTES = 15 * MAX_BODY_BYTES

/** The maximum number of chunks to keep before they are joined. Even a small chunk takes about a hundred bytes. */
const MAX_CHUNKS = 1024

/** A body of up to this size is read before the head of its request is checked. */
const SMALL_BODY_BYTES = 65_536

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/**
 * Reads the body of a request, and keeps at most as many bytes as `findLimit` returns. `findLimit` is called only for a large body (rules:
 * requests#body). It returns 0 if the head of the request is rejected.
 */
export function readBody(request: IncomingMessage, findLimit: () => number, done: (body: RequestBody) => void): void {
  let chunks: Buffer[] = []
  let size = 0
  let limit: number | undefined
  const add = (chunk: Buffer) => {
    size += chunk.byteLength
    if (size > SMALL_BODY_BYTES) limit ??= findLimit()
    if (limit !== undefined && size > limit) chunks = []
    else if (chunks.push(chunk) > MAX_CHUNKS) chunks = [Buffer.concat(chunks)]
    if (limit === undefined || size <= limit + MAX_DRAINED_BYTES) return
    request.off('data', add).off('end', end).pause()
    end()
  }
  const end = () => {
    if (limit === undefined || size <= limit) done(decodeText(chunks))
    else done(limit === 0 ? { unread: 'refused' } : { unread: 'body_too_large', limit })
  }
  request.on('data', add).on('end', end)
}

function decodeText(chunks: readonly Buffer[]): RequestBody {
  // Most bodies are a single chunk and need no copy.
  const [first] = chunks
  const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks)
  return isUtf8(bytes) ? bytes.toString() : { unread: 'not UTF-8' }
}
