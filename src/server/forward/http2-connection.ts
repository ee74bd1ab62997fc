import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import type { LookupFunction } from 'node:net'
import { isBodiless } from '../../traffic/message.ts'
import type { ServedResponse } from '../../traffic/upstreams.ts'
import { ReceivedBody, sendBody } from './body.ts'
import { SilentUpstream, type UpstreamCall } from './call.ts'

export interface ConnectionOptions {
  /** The idle timeout of the upstream, in ms. */
  readonly idle: number
  readonly rejectUnauthorized: boolean
  /** Looks up the address of the upstream. Default: the system's lookup. */
  readonly lookup?: LookupFunction
}

/** An HTTP/2 connection to an upstream (with prior knowledge if there is no TLS), such as the service's agents use. */
export class Http2Connection {
  readonly #session: ClientHttp2Session
  readonly #idle: number

  constructor(base: URL, { idle, ...options }: ConnectionOptions) {
    this.#idle = idle
    this.#session = connect(base, options)
    // Each request on the connection receives the error.
    this.#session.on('error', () => undefined)
    this.#session.setTimeout(idle, () => this.#session.close())
    this.#session.unref()
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed
  }

  close(): void {
    this.#session.destroy()
  }

  send({ method, path, headers, body, signal, inform }: UpstreamCall): Promise<ServedResponse> {
    return new Promise((resolve, reject) => {
      const { host, 'content-length': _, ...fields } = headers.toLists()
      const target = { ':method': method, ':path': path, ...(host && { ':authority': String(host[0]) }) }
      // Forward trailers, such as gRPC's. Without this option, Node would not send the body of a DELETE.
      const stream = this.#session.request(
        { ...fields, ...target, te: 'trailers' },
        { endStream: false, waitForTrailers: true },
      )
      const end = () => stream.close(constants.NGHTTP2_CANCEL)
      signal?.addEventListener('abort', end)
      stream.once('close', () => {
        signal?.removeEventListener('abort', end)
        reject(new Error('it ended the stream without a response'))
      })
      // If a stream ended with its connection, the cause is the connection's error.
      stream.on('error', (error) => reject(error.cause ?? error))
      stream.setTimeout(this.#idle)
      stream.on('timeout', () => {
        // Otherwise, the body would not continue.
        if (stream.writableEnded || stream.writableNeedDrain) stream.destroy(new SilentUpstream())
      })
      if (inform) stream.on('headers', (sent) => inform(Number(sent[':status']), toPairs(sent)))
      stream.once('response', (sent) => resolve(toServed(stream, sent, method)))
      let trailers = {}
      stream.once('wantTrailers', () => {
        try {
          stream.sendTrailers(trailers)
        } catch {
          end()
        }
      })
      const trail = (added: [string, string][]) => {
        trailers = Object.fromEntries(added)
      }
      if (signal?.aborted) end()
      else sendBody(body, stream, { fail: end, trail })
    })
  }
}

function toServed(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, method: string): ServedResponse {
  const status = Number(headers[':status'])
  const rawTrailers: string[] = []
  const source = Object.assign(stream, { rawTrailers })
  stream.once('trailers', (sent) => rawTrailers.push(...toPairs(sent).flat()))
  const body = new ReceivedBody(source, headers['content-length'])
  if (!isBodiless(method, status)) return { status, headers: toPairs(headers), body }
  stream.resume()
  return { status, headers: toPairs(headers), body: null }
}

/** Returns the names and values of headers, except names that begin with a colon. */
function toPairs(headers: IncomingHttpHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    name.startsWith(':') ? [] : [value].flat().map((each): [string, string] => [name, each]),
  )
}
