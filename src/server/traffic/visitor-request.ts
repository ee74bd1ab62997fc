import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Writable } from 'node:stream'
import type { UpstreamResponse } from '../../traffic/message.ts'
import type { ServedRequest } from '../../traffic/traffic.ts'
import { isHopByHop } from '../forward.ts'
import { pairsOf, UPGRADE_HEADER } from './dial.ts'

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

/** Sends a request through the gateway. `channel` is what the visitor gets the response by, and `extra` are further headers. */
export type SendVisit = (request: Arrived, channel: Writable, extra?: [string, string][]) => Promise<UpstreamResponse>

/** The parts of a request that the gateway gets. */
type Sent = Pick<ServedRequest, 'method' | 'url' | 'headers' | 'body'>

/** Returns a request to an origin, with further headers, which make it one to switch protocols. A GET passes without its body: no `fetch` sends one. */
export function toSent(request: Arrived, origin: string, extra: readonly [string, string][]): Sent {
  const { method = 'GET', rawHeaders } = request
  // A request without either header has no body (RFC 9112, section 6.3). One of HTTP/2 may have a body without them.
  const hasBody =
    'stream' in request || request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers
  const isBodiless = method === 'GET' || method === 'HEAD' || extra.length > 0 || !hasBody
  const dropped = isBodiless ? [...OWN, 'content-length'] : OWN
  const headers = pairsOf(rawHeaders).filter(
    ([name]) => !(name.startsWith(':') || dropped.includes(name.toLowerCase()) || isHopByHop(name)),
  )
  return {
    method,
    url: origin + pathOf(request),
    headers: [...headers, ['host', new URL(origin).host], ...extra],
    body: isBodiless ? null : request,
  }
}

/** Returns the path with the query. A client of a proxy sends it as a whole URL (RFC 9112, section 3.2.2). */
function pathOf({ url = '/' }: Arrived): string {
  if (url.startsWith('/')) return url
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/'
}
