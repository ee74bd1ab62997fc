import type { IncomingMessage, ServerResponse } from 'node:http'
import { readClock, systemClock } from '../core/engine/clock.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { findUnknownCaller } from '../gateway/http/callers.ts'
import { MessageHeaders } from '../traffic/message-headers.ts'
import { connectionProblem } from '../verify/client.ts'
import { tryParseJson, UnreadableResponse } from '../verify/exchange.ts'
import type { RecordedExchange } from '../verify/har.ts'
import { sendInformation, sendResponse } from './forward/respond.ts'
import { Upstream } from './forward/upstream.ts'
import { BodyTooLong, readForwardedBody, textOrSize } from './recorded-body.ts'
import { toBody, toHeaders } from './traffic/head.ts'

/** The options for {@link Recorder}. */
export interface RecorderOptions {
  /** The base URL of the service, without a trailing slash. */
  readonly target: string
  readonly dialect: CommonDialect
  /** The maximum time to wait for a response, in ms. */
  readonly timeout: number
  /** Called with a sentence about each request that the recording lacks. */
  readonly warn: (text: string) => void
}

/** The request headers that the API defines. A recording omits all others. */
const API_HEADERS = ['content-type', 'authorization']

/** A response from the service. Without a body, it contains no bytes. */
interface Received {
  readonly status: number
  readonly headers: MessageHeaders
  readonly bytes: Buffer
  readonly body: Buffer | null
}

/** A proxy that records requests and responses. In responses, it replaces the service's URL with its own. */
export class Recorder {
  readonly exchanges: RecordedExchange[] = []
  /** The keys that clients have sent. */
  readonly keys = new Set<string>()
  readonly #options: RecorderOptions
  readonly #pending = new Map<IncomingMessage, string>()
  readonly #stopped = new AbortController()
  readonly #upstream: Upstream

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#upstream = new Upstream(new URL(options.target), { idle: options.timeout, verify: true })
  }

  /** Ends the pending requests, and warns about each of them. */
  stop(): void {
    for (const name of this.#pending.values())
      this.#options.warn(
        `${name} got no response before the recording ended, so it is not recorded; the service may have processed it`,
      )
    this.#stopped.abort()
    this.#upstream.close()
  }

  /** Forwards a request to the service, and sends the service's response to the client. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const { target, timeout, warn } = this.#options
    if (!url.startsWith('/')) {
      // A client with this proxy as its `http_proxy` would send requests to other hosts, with their keys.
      warn(`${method} for a URL or "*" is not in the recording: only paths are forwarded`)
      const why =
        'This request specifies a host or lacks a path. Use the URL of fauxgate record as a base URL, not as a proxy.'
      return refuse(response, 400, why)
    }
    const name = `${method} ${url.split('?')[0]}`
    const header = (field: string) => request.headers[field]?.toString() ?? null
    const stranger = findUnknownCaller({ method, url, header, rawHeaders: request.rawHeaders, body: '' }, {})
    if (stranger) {
      warn(`${name} is not in the recording: its ${stranger.what} is not this machine`)
      const why = `fauxgate record does not allow the ${stranger.what} ${stranger.received}. Allowed: this machine's own.`
      return refuse(response, 403, why)
    }
    this.#pending.set(request, name)
    const deadline = AbortSignal.timeout(timeout)
    const signal = AbortSignal.any([deadline, this.#stopped.signal])
    try {
      const at = readClock(systemClock)
      const body = toBody(request)
      const sent = body && (await readForwardedBody(body, 'request'))
      const received = await this.#send(response, sent, signal)
      this.#record(at, request, sent ?? Buffer.alloc(0), received)
      const here = `http://${request.headers.host ?? ''}`
      if (!response.destroyed) sendResponse(withUrl(received, target, here), response)
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      const why = this.#explain(error, request, deadline)
      warn(`${name} is not in the recording: ${why}`)
      const isRequestTooLong = error instanceof BodyTooLong && !request.complete
      const text = `fauxgate record got no response from ${target}: ${why}.`
      if (isRequestTooLong) refuse(response, 413, `fauxgate record does not forward this request: ${why}.`)
      else refuse(response, deadline.aborted ? 504 : 502, text)
    } finally {
      this.#pending.delete(request)
    }
  }

  /** Forwards a request, and reads the whole response. @throws Error if the network fails, or the signal's abort reason */
  async #send(response: ServerResponse, body: Buffer | null, signal: AbortSignal): Promise<Received> {
    const { method = 'GET', url: path = '/' } = response.req
    const headers = toHeaders(response.req, this.#upstream.host, undefined)
    const end = new AbortController()
    signal.addEventListener('abort', () => end.abort(signal.reason))
    try {
      const received = await this.#upstream.send({
        ...{ method, path, headers, body, signal: end.signal },
        inform: (status, fields) => sendInformation(status, new MessageHeaders(fields), response),
      })
      if (received.status < 200 || received.status > 599)
        throw new UnreadableResponse(`${received.status} is not an HTTP status`)
      const bytes = await readForwardedBody(received.body, 'response')
      return {
        status: received.status,
        headers: new MessageHeaders(received.headers),
        bytes,
        body: received.body && bytes,
      }
    } finally {
      end.abort('answered')
    }
  }

  #explain(error: unknown, request: IncomingMessage, deadline: AbortSignal): string {
    if (deadline.aborted) return `no response within ${this.#options.timeout / 1000} s`
    if (error instanceof BodyTooLong) return error.message
    return request.complete ? connectionProblem(error) : 'the client disconnected before the end of its request'
  }

  #record(at: number, request: IncomingMessage, sent: Buffer, received: Received): void {
    const { method = 'GET', url: path = '/', headers } = request
    const { authorization } = headers
    if (authorization !== undefined) this.keys.add(authorization.replace(/^Bearer /i, ''))
    const names = [...API_HEADERS, this.#options.dialect.versionHeader.toLowerCase()]
    const sentHeaders = names
      .filter((name) => name !== 'authorization' || authorization === undefined)
      .map((name) => [name, headers[name]?.toString() ?? null])
    const body = textOrSize(sent, headers['content-encoding'])
    const { text = '', binary } = textOrSize(received.bytes, received.headers.get('content-encoding'))
    this.exchanges.push({
      at,
      request: {
        method,
        path,
        headers: Object.fromEntries(sentHeaders),
        ...(body.text !== '' && { body: body.text, binary: body.binary }),
      },
      response: {
        status: received.status,
        headers: received.headers.toRecord(),
        text,
        body: tryParseJson(text),
        binary,
      },
    })
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  // The rest of an oversized body must not be read as the next request.
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}

/** Returns a response from the service, with the service's URL replaced by the proxy's. */
function withUrl({ status, headers, bytes, body }: Received, target: string, here: string) {
  const { text = '' } = textOrSize(bytes, headers.get('content-encoding'))
  const changed = new MessageHeaders([...headers].map(([name, value]) => [name, value.replaceAll(target, here)]))
  if (!text.includes(target)) return { status, headers: changed, body }
  changed.delete('content-encoding')
  return { status, headers: changed, body: Buffer.from(text.replaceAll(target, here)) }
}
