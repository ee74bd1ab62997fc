import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { printError } from '../core/schema/print.ts'
import { STATUS_CODES } from './http.ts'
import { findMessageProblem } from './message-problem.ts'

/**
 * The number of waiting requests at which reading from a connection pauses. During a pause, the server does not notice that a
 * client disconnects.
 */
const MAX_WAITING_REQUESTS = 100

/**
 * The period of silence, in ms, after which a connection closes once its last response has been sent. Its bytes are read until then.
 * Closing earlier would reset the connection, and the response would be lost (RFC 9112, section 9.6).
 */
const LINGER_MS = 1000

/** The reason that a connection does not accept further requests. */
export interface ParseError {
  readonly message: string
  readonly code?: string
  readonly reason?: string
  /** The status of the response, if the head of the request alone determines it. */
  readonly status?: number
}

/** The response to bytes that are not a request. */
export interface LastResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface Turns {
  /** Returns the function that starts handling a connection's requests. */
  readonly open: (socket: Socket) => (response: ServerResponse) => void
  readonly refuse?: (error: ParseError) => LastResponse
}

/**
 * Handles the requests on each HTTP/1 connection one at a time. CONNECT requests, requests that servers must reject, and bytes that are not
 * a request receive a last response, after the pending responses. Returns the queue of a connection.
 */
export function takeTurns(
  server: Server | Http2SecureServer,
  { open, refuse = explain }: Turns,
): (socket: Socket) => RequestQueue {
  const queues = new WeakMap<Socket, RequestQueue>()
  const queueOf = (socket: Socket): RequestQueue => {
    const known = queues.get(socket)
    if (known) return known
    const start = open(socket)
    const queue = new RequestQueue(socket, (response) => {
      const found = findMessageProblem(response.req)
      if (found) answerLast(refuse({ status: found.status, message: found.problem }), response)
      else start(response)
    })
    queues.set(socket, queue)
    return queue
  }
  const receive = (_request: unknown, response: ServerResponse | Http2ServerResponse) => {
    if (!('stream' in response)) queueOf(response.req.socket).add(response)
  }
  // Node's own response to an unknown expectation would not wait for its turn.
  server.on('request', receive).on('checkExpectation', receive)
  server.on('clientError', (error: ParseError, socket: Socket) => {
    // A failed connection, such as one that failed during the TLS handshake, receives no response.
    if (/^HPE_|^ERR_HTTP_REQUEST_TIMEOUT$/.test(error.code ?? '')) queueOf(socket).end(() => refuse(error))
    else socket.destroy()
  })
  server.on('connect', (_request: unknown, socket: Socket | Http2ServerResponse) => {
    if ('stream' in socket) return
    // Node has left the connection to this listener.
    for (const event of ['end', 'timeout', 'error']) socket.on(event, () => socket.destroy())
    queueOf(socket.resume()).end(() => refuse({ code: 'CONNECT', message: 'This server does not support CONNECT' }))
  })
  return queueOf
}

const STATUSES: ReadonlyMap<string | undefined, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['CONNECT', 405],
])

function explain({ code, reason, message, status = STATUSES.get(code) ?? 400 }: ParseError): LastResponse {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return { status, headers, body: `${reason ?? message}.\n` }
}

/**
 * The requests of a connection, which start one at a time, each only after the client has received the previous response (rules:
 * answers#pipelining). A request does not start if its client disconnects first.
 */
class RequestQueue {
  readonly #socket: Socket
  readonly #start: (response: ServerResponse) => void
  /** The responses to the requests that are waiting for the current one. */
  readonly #waiting: ServerResponse[] = []
  /** The response to the current request. */
  #current: ServerResponse | undefined
  #isEnding = false

  constructor(socket: Socket, start: (response: ServerResponse) => void) {
    this.#socket = socket
    this.#start = start
    // Node calls `destroySoon` after the last response.
    socket.destroySoon = () => socket.setTimeout(LINGER_MS).end()
  }

  /** Starts a request after the earlier ones have ended. */
  add(response: ServerResponse): void {
    if (isLast(response.req)) response.shouldKeepAlive = false
    if (this.#current?.closed === false) this.#wait(this.#current, response)
    else this.#begin(response)
  }

  /** Calls a function after all requests that were added so far, unless the connection has ended. */
  whenDone(run: () => void): void {
    const runIfOpen = () => this.#socket.writable && run()
    if (this.#last?.closed === false) this.#last.once('close', runIfOpen)
    else runIfOpen()
  }

  /** Sends a last response after the others, and ends the connection. */
  end(make: () => LastResponse): void {
    // Node reports every further byte.
    if (this.#isEnding) return
    this.#isEnding = true
    const last = this.#last
    // The bytes are part of this request's body, so this request receives the response.
    if (last?.req.complete === false && !this.#waiting.pop()) this.#current = undefined
    // A client that is not waiting may end its side. Any other client has disconnected.
    if (this.#socket.readableEnded && this.#last?.closed === false) return void this.#socket.destroy()
    this.whenDone(() => {
      if (last?.req.complete === false && last.headersSent) return void this.#socket.destroy()
      try {
        this.#socket.write(serialize(make()))
        this.#socket.destroySoon()
      } catch (error) {
        // An exception here would end the process.
        printError(error)
        this.#socket.destroy()
      }
    })
  }

  get #last(): ServerResponse | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }

  #wait(current: ServerResponse, response: ServerResponse): void {
    this.#waiting.push(response)
    if (this.#waiting.length === 1) current.once('close', () => this.#startNext())
    if (this.#waiting.length > MAX_WAITING_REQUESTS) this.#socket.pause()
  }

  #startNext(): void {
    const next = this.#waiting.shift()
    if (!next) return
    this.#begin(next)
    if (this.#waiting.length > 0) next.once('close', () => this.#startNext())
    if (this.#waiting.length <= MAX_WAITING_REQUESTS && this.#socket.isPaused()) this.#socket.resume()
  }

  #begin(response: ServerResponse): void {
    if (!this.#socket.writable) return
    this.#current = response
    this.#start(response)
  }
}

/** Returns whether the bytes after a request are certainly not another request. */
function isLast({ headers: { upgrade, 'transfer-encoding': encoding }, httpVersion }: IncomingMessage): boolean {
  // The bytes can be a body (RFC 9112, sections 6.1 and 6.3).
  const isUnframed = encoding !== undefined && (httpVersion === '1.0' || encoding.toLowerCase() !== 'chunked')
  // Node's parser loses the bytes if a request to switch protocols is ignored.
  return isUnframed || upgrade !== undefined
}

/** Sends a response to a request with an unread body, the last request on its connection. */
function answerLast({ status, headers, body }: LastResponse, response: ServerResponse): void {
  response.shouldKeepAlive = false
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body ?? '') }).end(body)
}

function serialize({ status, headers, body }: LastResponse): string {
  const text = body ?? ''
  const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}
