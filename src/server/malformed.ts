import { STATUS_CODES } from 'node:http'
import type { Gateway } from '../gateway/gateway.ts'
import type { HttpResponse } from '../http/messages.ts'
import { general } from '../schema/general-errors.ts'
import type { Connection } from './connection.ts'

/** The limits of a request's head, which Node's parser keeps. */
export const HEAD_LIMITS = { bytes: 16_384, seconds: 20 }

/** The client sends no more, in the middle of a request. It may still read the answer to that, but waits for no other. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE'

/** A request has taken longer than it may, by the clock. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/** What Node's parser says of bytes that are no request. */
export interface ParseError extends Error {
  readonly code?: string
  readonly reason?: string
}

/**
 * Answers bytes that are no request, behind the answers of the requests before them, and ends the connection. A body
 * that cannot be read any further is left to its own request to answer.
 */
export async function answerMalformed(gateway: Gateway, connection: Connection, error: ParseError): Promise<void> {
  const { socket } = connection
  // A process that stood still, at a breakpoint say, looks at the clock before it reads what has come meanwhile.
  if (error.code === TIMED_OUT && (await connection.hasComeMeanwhile())) return
  const hasLeft = error.code === ENDED_EARLY && connection.isAwaited
  if (!socket.writable || hasLeft) return void socket.destroy()
  if (connection.isBroken) return
  connection.isBroken = true
  const { midBody } = connection
  if (midBody) return midBody.giveUp()
  await connection.answered()
  if (socket.writable) socket.write(onTheWire(refusal(gateway, error)))
  socket.destroySoon()
}

function refusal({ refused }: Gateway, { code, reason, message }: ParseError): HttpResponse {
  const { bytes, seconds } = HEAD_LIMITS
  if (code === TIMED_OUT) return refused(general.request_timeout, { seconds })
  if (code === 'HPE_HEADER_OVERFLOW') return refused(general.request_head_too_large, { limit: bytes })
  return refused(general.request_malformed, { problem: reason ?? message })
}

function onTheWire({ status, headers, body }: HttpResponse): string {
  const text = body ?? ''
  const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}
