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

/** Returns the arguments of a `fetch` for a request to an origin, with further headers, which make it one to switch protocols. A GET passes without its body: no `fetch` sends one. */
export function toFetch(
  request: Arrived,
  origin: string,
  extra: readonly [string, string][],
): [url: string, init: RequestInit] {
  const { method = 'GET', rawHeaders } = request
  // A request without either header has no body (RFC 9112, section 6.3). One of HTTP/2 may have a body without them.
  const hasBody =
    'stream' in request || request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers
  const isBodiless = method === 'GET' || method === 'HEAD' || extra.length > 0 || !hasBody
  const dropped = isBodiless ? [...OWN, 'content-length'] : OWN
  const headers = rawHeaders.flatMap((name, index): [string, string][] => {
    const isDropped = name.startsWith(':') || dropped.includes(name.toLowerCase()) || isHopByHop(name)
    return index % 2 === 1 || isDropped ? [] : [[name, rawHeaders[index + 1] ?? '']]
  })
  const body = isBodiless ? {} : { body: Readable.toWeb(request) as unknown as BodyInit, duplex: 'half' as const } // Node's own types of the same stream differ.
  return [
    origin + pathOf(request),
    { method, headers: [...headers, ['host', new URL(origin).host], ...extra], ...body },
  ]
}

/** Returns the path with the query. A client of a proxy sends it as a whole URL (RFC 9112, section 3.2.2). */
function pathOf({ url = '/' }: Arrived): string {
  if (url.startsWith('/')) return url
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/'
}
