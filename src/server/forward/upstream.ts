import { lookup } from 'node:dns'
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
// Fake timers may replace the global `setImmediate`, but sockets close in real turns of the event loop.
import { setImmediate as atNextTurn } from 'node:timers'
import { MAX_HEAD_BYTES } from '../../service/policy/url-text.ts'
import { isBodiless } from '../../traffic/message.ts'
import type { ServedResponse } from '../../traffic/upstreams.ts'
import { Agent as PlainAgent, request as plainRequest } from '../http.ts'
import { lengthOf, pairsOf, ReceivedBody, sendBody } from './body.ts'
import { SilentUpstream, type UpstreamCall } from './call.ts'
import { type ConnectionOptions, Http2Connection } from './http2-connection.ts'
import { SwitchedConnection } from './switched.ts'

/** The idle timeout of an upstream, in ms: 5 minutes, as documented by the service. */
export const IDLE_MS = 300_000

/** The keep-alive timeout of a connection, in ms. */
const KEEP_ALIVE_MS = 30_000

interface UpstreamOptions {
  /** The idle timeout of the upstream, in ms. Default: 5 minutes. */
  readonly idle?: number | undefined
  /** False to also accept a certificate that is not signed by a trusted authority. */
  readonly verify: boolean
}

/**
 * A server that receives forwarded requests: of visitors, of replays, and of the recorder. It frames each message itself, and does not
 * trust the Content-Length header.
 */
export class Upstream {
  readonly #base: URL
  /** The path that request paths are appended to. */
  readonly #above: string
  readonly #options: ConnectionOptions
  readonly #agent: Agent
  #http2: Http2Connection | undefined

  constructor(base: URL, { idle = IDLE_MS, verify }: UpstreamOptions) {
    this.#base = base
    this.#above = base.pathname.replace(/\/$/, '')
    const isBelow = isBelowLocalhost(base.hostname)
    this.#options = { idle, rejectUnauthorized: verify, ...(isBelow && { lookup: lookUpLocalhost }) }
    const options = { keepAlive: true, timeout: KEEP_ALIVE_MS }
    this.#agent = base.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options)
    // An unexpected response would be mistaken for the next request's response.
    this.#agent.on('free', (socket: Duplex) => socket.on('data', endUnasked))
  }

  /** Sends a request. Resolves with the head of the response. @throws Error if the network fails */
  async send(sent: UpstreamCall): Promise<ServedResponse> {
    const call = { ...sent, path: toPath(this.#above + sent.path) }
    if (call.protocol === 'http2' && call.headers.get('upgrade') === undefined) return this.#connectHttp2().send(call)
    const canRepeat = isRepeatable(call)
    // Within a turn of the event loop, an ended connection leaves the pool.
    if (!canRepeat) await new Promise<void>((resolve) => void atNextTurn(resolve))
    for (;;) {
      try {
        return await this.#attempt(call)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        if (!canRepeat) throw error.cause
      }
    }
  }

  get host(): string {
    return this.#base.host
  }

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy()
    this.#http2?.close()
  }

  #connectHttp2(): Http2Connection {
    if (this.#http2?.isOpen !== true) this.#http2 = new Http2Connection(this.#base, this.#options)
    return this.#http2
  }

  #attempt(call: UpstreamCall): Promise<ServedResponse> {
    const { method, signal, inform } = call
    return new Promise((resolve, reject) => {
      const request = this.#open(call)
      let informed = 0
      let received: IncomingMessage | undefined
      const stop = (error?: Error) => {
        // Destroying only the request would make a response without a length or chunks end as if it were complete.
        received?.destroy(error)
        request.destroy(error)
      }
      const end = () => stop()
      signal?.addEventListener('abort', end)
      request.once('close', () => signal?.removeEventListener('abort', end))
      request.once('socket', (socket) => socket.off('data', endUnasked))
      request.on('timeout', () => {
        // Otherwise, the body would not continue.
        if (request.writableEnded || request.writableNeedDrain) stop(new SilentUpstream())
      })
      request.on('error', (error) => {
        if (received?.complete === false) received.destroy(error)
        reject(informed === 0 && isStale(request, error) ? new StaleConnection('stale', { cause: error }) : error)
      })
      request.on('information', ({ statusCode, rawHeaders }) => {
        informed += rawHeaders.join().length + 1
        if (informed <= MAX_HEAD_BYTES) inform?.(statusCode, pairsOf(rawHeaders))
        else request.destroy(new Error(`its informational responses exceed ${MAX_HEAD_BYTES} bytes`))
      })
      request.once('response', (response) => {
        // Node treats a 101 without an upgrade as a complete response, and would reuse the connection.
        if (response.statusCode === 101)
          return void request.destroy(new Error('it switched protocols without naming one'))
        const encoding = response.headers['transfer-encoding'] ?? 'chunked'
        if (encoding.toLowerCase() === 'chunked') {
          received = response
          return resolve(toServed(response, method))
        }
        request.destroy(new Error(`the transfer encoding ${encoding} is unknown`))
      })
      request.once('upgrade', ({ statusCode = 101, headers, rawHeaders }, socket, head) => {
        if (!namesOneOf(headers.upgrade, call.headers.get('upgrade')) || signal?.aborted) {
          socket.destroy()
          return reject(new Error('it switched to a protocol that was not requested'))
        }
        const leave = () => socket.destroy()
        signal?.addEventListener('abort', leave)
        socket.once('close', () => signal?.removeEventListener('abort', leave))
        const switched = new SwitchedConnection(socket, head)
        resolve({ status: statusCode, headers: pairsOf(rawHeaders), body: null, switched })
      })
      if (signal?.aborted) end()
      else sendBody(call.body, request, { fail: end, trail: (fields) => request.addTrailers(fields) })
    })
  }

  #open(call: UpstreamCall): ClientRequest {
    const { protocol, hostname, port, host } = this.#base
    const { idle, ...options } = this.#options
    const open = protocol === 'https:' ? secureRequest : plainRequest
    const request = open({
      ...{ protocol, host: hostname.replace(/^\[|\]$/g, ''), port, ...options, agent: this.#agent },
      ...{ method: call.method, path: call.path, headers: frame(call, host) },
      ...{ timeout: idle, maxHeaderSize: MAX_HEAD_BYTES },
    })
    // By default, Node silently drops the fields after the 1,000th.
    return Object.assign(request, { maxHeadersCount: 0 })
  }
}

export const isBelowLocalhost = (name: string): boolean => name.endsWith('.localhost')

/** Returns this machine's address for a name below `localhost`, without querying a DNS server. */
const lookUpLocalhost: LookupFunction = (_name, options, callback) => lookup('localhost', options, callback)

/** Returns whether a server switches to one of the listed protocols (RFC 9110, section 7.8). */
function namesOneOf(protocol: string | undefined, asked = ''): boolean {
  const names = asked
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
  return protocol !== undefined && names.includes(protocol.toLowerCase())
}

/** Thrown if the upstream has closed an idle connection. */
class StaleConnection extends Error {
  declare readonly cause: Error
}

function isStale(
  { reusedSocket, res }: ClientRequest & { readonly res?: unknown },
  error: NodeJS.ErrnoException,
): boolean {
  return reusedSocket && !res && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/** Returns whether a request can be sent twice. Go's client also repeats such requests (RFC 9110, section 9.2.2). */
function isRepeatable({ method, body }: UpstreamCall): boolean {
  return body === null && /^(GET|HEAD|OPTIONS|TRACE)$/.test(method)
}

function endUnasked(this: Duplex): void {
  this.destroy()
}

/** Returns a path with only the bytes that are allowed in a request, without a fragment. A policy may have added other characters. */
function toPath(path: string): string {
  return path.replace(/#.*/s, '').replace(/[^\x21-\xff]+/g, encodeURIComponent)
}

/**
 * Returns the headers of a request, including the headers that frame its body. By default, Node's client does not frame a body for GET,
 * HEAD, DELETE, OPTIONS, and TRACE, and always frames one for other methods.
 */
function frame({ method, headers, body }: UpstreamCall, host: string): string[] {
  const framed = [...headers].filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding').flat()
  if (headers.get('host') === undefined) framed.push('host', host)
  const length = body === null ? undefined : lengthOf(body)
  if (length !== undefined) framed.push('content-length', String(length))
  else if (body !== null) framed.push('transfer-encoding', 'chunked')
  else if (!/^(GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method)) framed.push('content-length', '0')
  return framed
}

function toServed(response: IncomingMessage, method: string): ServedResponse {
  const { statusCode: status = 502, rawHeaders } = response
  const hasBody = !isBodiless(method, status)
  if (!hasBody) response.resume().on('error', () => undefined)
  const body = hasBody ? new ReceivedBody(response, response.headers['content-length']) : null
  return { status, headers: pairsOf(rawHeaders), body }
}
