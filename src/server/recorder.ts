import type { IncomingMessage, ServerResponse } from 'node:http'
import { readClock, systemClock } from '../core/engine/clock.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { connectionProblem } from '../verify/client.ts'
import { tryParseJson } from '../verify/exchange.ts'
import type { RecordedExchange } from '../verify/har.ts'
import { BodyTooLong, forward, isHopByHop, readForwardedBody, type ServiceResponse, textOrSize } from './forward.ts'

/** Options of {@link Recorder}. */
export interface RecorderOptions {
  /** The base URL of the service, without a trailing slash. */
  readonly target: string
  readonly dialect: CommonDialect
  /** The longest wait for a response, in ms. */
  readonly timeout: number
  /** Receives a sentence about each request that is not in the recording. */
  readonly warn: (text: string) => void
}

/** The request headers that the API defines. A recording leaves out all others. */
const API_HEADERS = ['content-type', 'authorization']

/** A proxy that records requests and responses. In responses, it replaces the service's URL with its own. */
export class Recorder {
  readonly exchanges: RecordedExchange[] = []
  /** The keys that clients have sent. */
  readonly keys = new Set<string>()
  readonly #options: RecorderOptions
  readonly #pending = new Map<IncomingMessage, string>()
  readonly #stopped = new AbortController()

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Ends the pending requests, and warns of each. */
  stop(): void {
    for (const name of this.#pending.values())
      this.#options.warn(`${name} had no answer yet, and is not in the recording; the service may have done it`)
    this.#stopped.abort()
  }

  /** Forwards a request to the service, and sends the service's response to the client. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const { target, timeout, warn } = this.#options
    if (!url.startsWith('/')) {
      // A client with this proxy as its `http_proxy` would send requests for other hosts, with their keys.
      warn(`${method} of a URL or of "*" is not in the recording: only paths are forwarded`)
      const why =
        'This request names a host, or has no path. Use the URL of fauxgate record as a base URL, not as a proxy.'
      return refuse(response, 400, why)
    }
    const name = `${method} ${url.split('?')[0]}`
    this.#pending.set(request, name)
    const deadline = AbortSignal.timeout(timeout)
    try {
      const at = readClock(systemClock)
      const sent = await readForwardedBody(request, 'request')
      const received = await forward(target, request, sent, AbortSignal.any([deadline, this.#stopped.signal]))
      this.#record(at, request, sent, received)
      sendResponse(response, received, target, `http://${request.headers.host ?? ''}`)
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      const why = this.#explain(error, request, deadline)
      warn(`${name} is not in the recording: ${why}`)
      const isRequestTooLong = error instanceof BodyTooLong && !request.complete
      const text = `fauxgate record got no answer from ${target}: ${why}.`
      if (isRequestTooLong) refuse(response, 413, `fauxgate record does not forward this: ${why}.`)
      else refuse(response, deadline.aborted ? 504 : 502, text)
    } finally {
      this.#pending.delete(request)
    }
  }

  #explain(error: unknown, request: IncomingMessage, deadline: AbortSignal): string {
    if (deadline.aborted) return `no answer within ${this.#options.timeout / 1000} s`
    if (error instanceof BodyTooLong) return error.message
    return request.complete ? connectionProblem(error) : 'the client left before the end of its request'
  }

  #record(at: number, request: IncomingMessage, sent: Buffer, received: ServiceResponse): void {
    const { method = 'GET', url: path = '/', headers } = request
    const { authorization } = headers
    if (authorization !== undefined) this.keys.add(authorization.replace(/^Bearer /i, ''))
    const names = [...API_HEADERS, this.#options.dialect.versionHeader.toLowerCase()]
    const sentHeaders = names
      .filter((name) => name !== 'authorization' || authorization === undefined)
      .map((name) => [name, headers[name]?.toString() ?? null])
    const body = textOrSize(sent, headers['content-encoding'])
    const { text = '', binary } = textOrSize(received.bytes, received.headers['content-encoding'])
    this.exchanges.push({
      at,
      request: {
        method,
        path,
        headers: Object.fromEntries(sentHeaders),
        ...(body.text !== '' && { body: body.text, binary: body.binary }),
      },
      response: { status: received.status, headers: received.headers, text, body: tryParseJson(text), binary },
    })
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  // The rest of a body that is too long must not be read as the next request.
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}

/** Sends a response of the service to the client, with the proxy's URL in place of the service's. */
function sendResponse(response: ServerResponse, received: ServiceResponse, target: string, here: string): void {
  const { text = '' } = textOrSize(received.bytes, received.headers['content-encoding'])
  const isChanged = text.includes(target)
  const forwardedHeaders = received.rawHeaders.filter(
    ([name]) => !isHopByHop(name) && !(isChanged && /^content-(length|encoding)$/i.test(name)),
  )
  const headers = forwardedHeaders.flatMap(([name, value]) => [name, value.replaceAll(target, here)])
  response.writeHead(received.status, headers).end(isChanged ? text.replaceAll(target, here) : received.bytes)
}
