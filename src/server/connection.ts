import { isUtf8 } from 'node:buffer'
import { once, setMaxListeners } from 'node:events'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Gateway } from '../gateway/gateway.ts'
import { type HttpResponse, largestBody } from '../http/messages.ts'
import { LARGEST_BODY, type RequestBody } from '../schema/body.ts'
import { general } from '../schema/general-errors.ts'

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
   * Calls back once the body of a request is read; never if its client leaves before. Requests without a body do not wait,
   * unless the body of a request before them is still being read.
   */
  read(exchange: Exchange, handOn: (body: RequestBody) => void): void {
    this.#previous = this.#last?.response
    this.#last = exchange
    if (hasBody(exchange.request) || this.#handOn) this.#readBody(exchange, handOn)
    else handOn('')
  }

  #readBody({ request, response }: Exchange, handOn: (body: RequestBody) => void): void {
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
    readBody(request, done)
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
    if (isMidBody) return this.#handOn?.({ unread: 'body_unreadable' })
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

function refusal({ refused }: Gateway, { code, reason, message }: ParseError): HttpResponse {
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

/** The bytes of a body beyond its limit that are still read, so that its sender gets to see the response. */
const MOST_DRAINED = 15 * LARGEST_BODY

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

function readBody(request: IncomingMessage, done: (body: RequestBody) => void): void {
  const chunks: Buffer[] = []
  const limit = largestBody(request.method, request.url)
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size <= limit + MOST_DRAINED) return
    request.pause()
    done({ unread: 'body_too_large', limit })
  })
  request.on('end', () => done(bodyOf(chunks, size, limit)))
}

function bodyOf(chunks: readonly Buffer[], size: number, limit: number): RequestBody {
  if (size === 0) return ''
  if (size > limit) return { unread: 'body_too_large', limit }
  const [first] = chunks
  const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks, size)
  return isUtf8(bytes) ? bytes.toString() : { unread: 'not UTF-8' }
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
