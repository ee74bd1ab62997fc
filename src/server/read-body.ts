import type { IncomingMessage } from 'node:http'
import { decodeBody } from '../http/fetch.ts'
import { LARGEST_BODY, type RequestBody } from '../http/messages.ts'
import type { Connection } from './connection.ts'

/** How much of a body that is too large is still read, so that its sender gets to see the answer. */
const MOST_DRAINED = 16 * LARGEST_BODY

/** Reads the body of a request; undefined where its client left before the end. */
export function readBody(request: IncomingMessage, connection: Connection): Promise<RequestBody | undefined> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    connection.reading = { request, giveUp: () => resolve({ unread: 'body_unreadable' }) }
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= LARGEST_BODY) chunks.push(chunk)
      else chunks.length = 0
      if (size <= MOST_DRAINED) return
      request.pause()
      resolve({ unread: 'body_too_large' })
    })
    request.on('end', () => resolve(bodyOf(chunks, size)))
    request.on('close', () => resolve(undefined))
  })
}

function bodyOf(chunks: readonly Uint8Array[], size: number): RequestBody {
  if (size === 0) return ''
  return size > LARGEST_BODY ? { unread: 'body_too_large' } : decodeBody(chunks, size)
}
