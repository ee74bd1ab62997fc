import { isAscii } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { decodeBody } from '../http/fetch.ts'
import { largestBody } from '../http/messages.ts'
import { LARGEST_BODY, type RequestBody } from '../schema/body.ts'
import type { Connection } from './connection.ts'

/** How much more of a body that is too large is still read, in bytes, so that its sender gets to see the answer. */
const MOST_DRAINED = 15 * LARGEST_BODY

/** Whether a request announces a body. Most have none, and reading nothing takes as long as answering. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** Reads the body of a request and hands it on, once; never where its client left before the end. */
export function readBody(request: IncomingMessage, connection: Connection, handOn: (body: RequestBody) => void): void {
  const chunks: Buffer[] = []
  const limit = largestBody(request.method, request.url)
  let size = 0
  const reading = { request, isRead: false, giveUp: () => read({ unread: 'body_unreadable' }) }
  const read = (body: RequestBody) => {
    if (reading.isRead) return
    reading.isRead = true
    handOn(body)
  }
  connection.reading = reading
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size <= limit + MOST_DRAINED) return
    request.pause()
    read({ unread: 'body_too_large', limit })
  })
  request.on('end', () => read(bodyOf(chunks, size, limit)))
}

function bodyOf(chunks: readonly Buffer[], size: number, limit: number): RequestBody {
  if (size === 0) return ''
  if (size > limit) return { unread: 'body_too_large', limit }
  const [first, second] = chunks
  // What most bodies are, and told in a tenth of the time that a decoder takes to be made.
  return first && !second && isAscii(first) ? first.toString('latin1') : decodeBody(chunks, size)
}
