import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Gateway } from '../gateway/gateway.ts'
import type { HttpResponse } from '../http/messages.ts'
import type { RequestBody } from '../schema/body.ts'
import { general } from '../schema/general-errors.ts'
import { hasBody, readBody } from './request-body.ts'

/** Limits of a request's head, which Node's parser checks. */
export const HEAD_LIMITS = { bytes: 16_384, seconds: 20 }

/** The most requests that wait before a connection is read no further. While it is read, a client that leaves is noticed. */
const MOST_WAITING = 100

export interface ParseError extends Error {
  readonly code?: string
  readonly reason?: string
}

export interface Exchange {
  readonly connection: Connection
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A request with what reads it, in the order of arrival. */
interface Arrived {
  readonly exchange: Exchange
  readonly limitOf: () => number
  readonly handOn: (body: RequestBody) => void
}

/**
 * A connection, whose requests are answered one after the other: a client that reads no responses gets no more of them made
 * (rules: answers#pipelining).
 */
export class Connection {
  /** The address of the other end; unknown once the connection has ended. */
  readonly peer: string
  /** Aborts once either side has ended the connection. */
  readonly ended: AbortSignal
  /** The response to the request that was passed on last. */
  #response: ServerResponse | undefined
  /** The requests that wait until the client has taken that response. */
  readonly #waiting: Arrived[] = []

  constructor(readonly socket: Socket) {
    this.peer = socket.remoteAddress ?? 'unknown'
    const ended = new AbortController()
    this.ended = ended.signal
    socket.once('close', () => ended.abort())
  }

  /** Calls back when it is the turn of a request and its body is read; never if its client leaves before. */
  read(arrived: Arrived): void {
    this.#waiting.push(arrived)
    this.#passNext()
  }

  #passNext(): void {
    if (!this.socket.writable) return
    const isFree = this.#response?.closed !== false
    const next = isFree ? this.#waiting.shift() : undefined
    if (this.#waiting.length > MOST_WAITING) this.socket.pause()
    else if (this.socket.isPaused()) this.socket.resume()
    if (next) this.#pass(next)
  }

  #pass({ exchange: { request, response }, limitOf, handOn }: Arrived): void {
    this.#response = response
    response.once('close', () => this.#passNext())
    if (!hasBody(request)) handOn('')
    else
      readBody(request, limitOf(), (body) => {
        if (!this.socket.writable) return
        // The rest of a body that was not read to its end would otherwise count as the next request.
        if (!request.complete) response.shouldKeepAlive = false
        handOn(body)
      })
  }

  /** Answers bytes that are no request, unless a response is on its way, and ends the connection. */
  refuse(gateway: Gateway, error: ParseError): void {
    const { socket } = this
    const isAnswering = this.#response?.headersSent && !this.#response.closed
    if (socket.writable && !isAnswering) socket.write(onTheWire(refusal(gateway, error)))
    socket.destroySoon()
  }
}

function refusal({ transport: { refused } }: Gateway, { code, reason, message }: ParseError): HttpResponse {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refused(general.request_timeout, { seconds: HEAD_LIMITS.seconds })
  if (code === 'HPE_HEADER_OVERFLOW') return refused(general.request_head_too_large, { limit: HEAD_LIMITS.bytes })
  return refused(general.request_malformed, { problem: reason ?? message })
}

function onTheWire({ status, headers, body }: HttpResponse): string {
  const text = body ?? ''
  const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}

/** Sends a response. If that fails, the connection ends. */
export function send({ status, headers, body }: HttpResponse, { request, response }: Exchange): void {
  try {
    // Names and values in turn, which Node writes unchanged.
    const lines: string[] = []
    for (const name in headers) lines.push(name, headers[name] ?? '')
    if (body !== null) lines.push('Content-Length', String(Buffer.byteLength(body)))
    response.writeHead(status, lines)
    const { socket } = response
    if (socket && body !== null) {
      // One piece for head and body: `end(body)` would write an empty one after them, at the price of a second write.
      socket.cork()
      response.write(body)
      socket.uncork()
      response.end()
    } else response.end(body)
  } catch (error) {
    console.error(error)
    request.socket.destroy()
  }
}
