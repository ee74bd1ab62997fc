import { once, setMaxListeners } from 'node:events'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Gateway } from '../gateway/gateway.ts'
import type { HttpResponse } from '../http/messages.ts'
import type { RequestBody } from '../schema/body.ts'
import { general } from '../schema/general-errors.ts'
import { hasBody, readBody } from './request-body.ts'

/** Limits of a request's head, which Node's parser checks. */
export const HEAD_LIMITS = { bytes: 16_384, seconds: 20 }

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

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

/** The most requests of one connection at one time: those of one read of the socket, unless they have next to no headers. */
const MOST_REQUESTS = 1024

/** The most responses of one connection that may wait, and the characters of their bodies after which no more start. */
const MOST_PENDING = 128
const MOST_UNSENT = 16_384

export class Connection {
  /** The address of the other end; unknown once the connection has ended. */
  readonly peer: string
  /** The last request, and the response before its own. Responses go out in the order of requests. */
  #last: Exchange | undefined
  #previous: ServerResponse | undefined
  /** Ends the reading of the last body that was awaited. */
  #handOn: ((body: RequestBody) => void) | undefined
  #ended: AbortController | undefined
  #isBroken = false
  /** The last request that was passed on, and the requests that wait until their responses have a reader. */
  #current: Exchange | undefined
  readonly #waiting: Arrived[] = []
  /** The responses since the client last had them all, and their bytes. */
  #pending = 0
  #unsent = 0
  /** The response whose end lets them continue. */
  #awaited: ServerResponse | undefined

  constructor(readonly socket: Socket) {
    this.peer = socket.remoteAddress ?? 'unknown'
  }

  /** Aborts once either side has ended the connection. */
  get ended(): AbortSignal {
    if (!this.#ended) {
      const ended = new AbortController()
      // One listener for each pipelined request.
      setMaxListeners(0, ended.signal)
      this.#ended = ended
      if (this.socket.destroyed) ended.abort()
      else this.socket.once('close', () => ended.abort())
    }
    return this.#ended.signal
  }

  /**
   * Calls back once the body of a request is read; never if its client leaves before. A request waits until the client has
   * taken the responses before its own: a client that reads none of them gets no more of them made.
   */
  read(arrived: Arrived): void {
    this.#previous = this.#last?.response
    this.#last = arrived.exchange
    if (this.#isBusy) this.#queue(arrived)
    else this.#begin(arrived)
  }

  #queue(arrived: Arrived): void {
    this.#waiting.push(arrived)
    if (this.#waiting.length > MOST_REQUESTS) this.socket.destroy()
    else if (this.#waiting.length === 1) this.#wait()
  }

  /** Counts a response that may wait for a fault, for the store, or for earlier ones. */
  answered({ body }: HttpResponse): void {
    this.#unsent += body?.length ?? 0
  }

  get #isBusy(): boolean {
    if (this.#waiting.length > 0 || this.#handOn) return true
    if (this.#current?.response.closed !== false) return false
    return this.socket.writableNeedDrain || this.#unsent > MOST_UNSENT || this.#pending > MOST_PENDING
  }

  #begin({ exchange, limitOf, handOn }: Arrived): void {
    if (this.#current?.response.closed) this.#pending = this.#unsent = 0
    this.#pending++
    this.#current = exchange
    if (hasBody(exchange.request)) this.#readBody(exchange, limitOf(), handOn)
    else handOn('')
  }

  /** Reads nothing until the client has taken the response before the first request that waits. */
  #wait(): void {
    this.socket.pause()
    const response = this.#current?.response
    if (this.#awaited === response) return
    this.#awaited = response
    response?.once('close', () => this.#resume())
  }

  #resume(): void {
    const waiting = this.#waiting.splice(0)
    if (this.socket.destroyed) return
    for (let next = waiting[0]; next && !this.#isBusy; next = waiting[0]) {
      waiting.shift()
      this.#begin(next)
    }
    this.#waiting.push(...waiting)
    if (waiting.length > 0) this.#wait()
    else this.socket.resume()
  }

  #readBody({ request, response }: Exchange, limit: number, handOn: (body: RequestBody) => void): void {
    const done = (body: RequestBody) => {
      if (isDone) return
      isDone = true
      if (this.#handOn === done) this.#handOn = undefined
      // The rest of a body that was not read to its end would otherwise count as the next request.
      if (!request.complete) response.shouldKeepAlive = false
      handOn(body)
    }
    let isDone = false
    this.#handOn = done
    if (this.#isBroken && !request.complete) done({ unread: 'body_unreadable' })
    else readBody(request, limit, done)
  }

  /**
   * Answers bytes that are no request, after the responses to the requests before them, and ends the connection. If they
   * are in the middle of a body, the request of that body is answered instead.
   */
  async refuse(gateway: Gateway, error: ParseError): Promise<void> {
    // A server that stood still, at a breakpoint say, looks at the clock before it reads what has arrived meanwhile.
    if (error.code === TIMED_OUT && (await this.#hasArrived())) return
    const { socket } = this
    const isMidBody = this.#last?.request.complete === false
    const pending = isMidBody ? this.#previous : this.#last?.response
    const isAwaited = pending?.closed === false
    // A client that sends no more in the middle of a request may still read the response to it, but waits for no other.
    const hasLeft = error.code === 'HPE_INVALID_EOF_STATE' && isAwaited
    if (!socket.writable || hasLeft) return void socket.destroy()
    if (this.#isBroken) return
    this.#isBroken = true
    // One that waits is answered so in its turn.
    if (isMidBody) return void (this.#current === this.#last && this.#handOn?.({ unread: 'body_unreadable' }))
    if (isAwaited) await once(pending, 'close')
    if (socket.writable) socket.write(onTheWire(refusal(gateway, error)))
    socket.destroySoon()
  }

  /** Reads what is there to read. Returns whether it completes the request that was half read. */
  async #hasArrived(): Promise<boolean> {
    const before = this.#last
    const wasMidBody = before?.request.complete === false
    await nextTurn()
    return this.#last?.request.complete === true && (wasMidBody || this.#last !== before)
  }
}

function refusal({ transport: { refused } }: Gateway, { code, reason, message }: ParseError): HttpResponse {
  if (code === TIMED_OUT) return refused(general.request_timeout, { seconds: HEAD_LIMITS.seconds })
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
