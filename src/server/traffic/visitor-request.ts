import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Readable } from 'node:stream'
import { isHopByHop } from '../forward.ts'
import { UPGRADE_HEADER } from './dial.ts'

/** A request of a visitor at a port, in HTTP/1.1 or HTTP/2. */
export type Arrived = IncomingMessage | Http2ServerRequest

/** The header that names the host of an endpoint, for clients that cannot set `Host`. */
const HOST_HEADER = 'x-fauxgate-host'

/** Returns the host that a request is for, without its port; undefined if it names none. */
export function hostOf({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  const sent = headers[HOST_HEADER] ?? headers[':authority'] ?? headers.host
  const url = `http://${Array.isArray(sent) ? sent[0] : sent}`
  return sent !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined
}

const OWN = ['host', HOST_HEADER, UPGRADE_HEADER]

/** Returns the arguments of a `fetch` for a request to an origin. */
export function toFetch(request: Arrived, origin: string, signal: AbortSignal): [url: string, init: RequestInit] {
  const { method = 'GET', rawHeaders } = request
  const headers = rawHeaders.flatMap((name, index): [string, string][] => {
    const isOwn = name.startsWith(':') || OWN.includes(name.toLowerCase())
    return index % 2 === 1 || isOwn || isHopByHop(name) ? [] : [[name, rawHeaders[index + 1] ?? '']]
  })
  const path = request.url?.startsWith('/') ? request.url : '/'
  // A request without either header has no body (RFC 9112, section 6.3). One of HTTP/2 may have a body without them.
  const hasBody =
    'stream' in request || request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers
  const isBodiless = method === 'GET' || method === 'HEAD' || !hasBody
  const body = isBodiless ? {} : { body: Readable.toWeb(request) as unknown as BodyInit, duplex: 'half' as const } // Node's own types of the same stream differ.
  return [origin + path, { method, headers: [...headers, ['host', new URL(origin).host]], signal, ...body }]
}
