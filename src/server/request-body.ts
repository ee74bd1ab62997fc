import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { LARGEST_BODY, type RequestBody } from '../schema/body.ts'

/** The bytes of a body beyond its limit that are still read, so that its sender gets to see the response. */
const MOST_DRAINED = 15 * LARGEST_BODY

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** Reads the body of a request and keeps no more bytes than the limit; with the limit 0 the head refuses the request. */
export function readBody(request: IncomingMessage, limit: number, done: (body: RequestBody) => void): void {
  const body = new GrowingBytes(limit)
  const unread: RequestBody = limit === 0 ? { unread: 'refused' } : { unread: 'body_too_large', limit }
  request.on('data', (chunk: Buffer) => {
    body.add(chunk)
    if (body.size <= limit + MOST_DRAINED) return
    request.pause()
    done(unread)
  })
  request.on('end', () => done(body.size > limit ? unread : textOf(body.bytes)))
}

function textOf(bytes: Buffer): RequestBody {
  return isUtf8(bytes) ? bytes.toString() : { unread: 'not UTF-8' }
}

/** The bytes of a body in one piece: a list would keep some hundred bytes for each chunk, however small that is. */
class GrowingBytes {
  size = 0
  #bytes: Buffer = Buffer.alloc(0)

  constructor(readonly limit: number) {}

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size)
  }

  add(chunk: Buffer): void {
    const before = this.size
    this.size += chunk.byteLength
    if (this.size > this.limit) this.#bytes = Buffer.alloc(0)
    else if (before === 0) this.#bytes = chunk
    else this.#append(chunk, before)
  }

  #append(chunk: Buffer, before: number): void {
    if (this.size > this.#bytes.byteLength) {
      const more = Buffer.allocUnsafeSlow(Math.min(this.limit, 2 * this.size))
      this.#bytes.copy(more, 0, 0, before)
      this.#bytes = more
    }
    chunk.copy(this.#bytes, before)
  }
}
