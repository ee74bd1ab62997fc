import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { MessageHeaders, removeHopByHop } from '../../traffic/message-headers.ts'
import { findHostProblem } from '../../traffic/target.ts'
import { pairsOf, ReceivedBody } from '../forward/body.ts'
import { METHODS } from '../http.ts'
import { findMessageProblem, type HeadProblem } from '../message-problem.ts'

/** A visitor's request to a port, over HTTP/1.1 or HTTP/2. */
export type Arrived = IncomingMessage | Http2ServerRequest

/** The header that sets the host of an endpoint, for clients that cannot set `Host`. */
const HOST_HEADER = 'x-fauxgate-host'

/**
 * Returns why the head of a request cannot pass through a gateway (RFC 9110, sections 7.2 and 9.1; RFC 9112, sections 2.3, 3.2,
 * and 6.1; RFC 9113, section 8.3.1).
 */
export function findHeadProblem(request: Arrived): HeadProblem | undefined {
  const { method = '', url = '', httpVersion, headers } = request
  const found = findMessageProblem(request)
  if (found) return { ...found, problem: `${found.problem}.` }
  // Node's client would send `delete` as DELETE, and no rule would have checked DELETE.
  if (!METHODS.includes(method)) return { status: 501, problem: 'The method is unknown. Methods must be in uppercase.' }
  if (httpVersion !== '1.0' && !/\b100-continue\b/i.test(headers.expect || '100-continue'))
    return { status: 417, problem: 'The only supported expectation is 100-continue.' }
  if (method === 'CONNECT') return { status: 405, problem: 'This server does not support CONNECT.' }
  const { ':authority': authority = headers.host } = headers
  if ('stream' in request && headers.host !== undefined && authority !== headers.host)
    return { status: 400, problem: 'The Host header does not match the host in the URL.' }
  if (!/^[\x21\x22\x24-\x7e]*$/.test(url))
    return { status: 400, problem: 'The target contains a fragment or a character that is not allowed in URLs.' }
  if (!/^(\/|https?:\/\/[^/?#])/i.test(url) && !(url === '*' && method === 'OPTIONS'))
    return { status: 400, problem: 'The target is neither a path nor a URL.' }
  return undefined
}

/** Returns the host that a request is for, without its port, or why the host cannot be determined. */
export function readHost({ url = '', headers }: Arrived): { readonly name: string } | { readonly problem: string } {
  const [, absolute] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  const sent = headers[HOST_HEADER] ?? absolute ?? headers[':authority'] ?? headers.host
  const named = `http://${sent}`
  // A host that is too long is not even parsed.
  const wrong = findHostProblem(String(sent).replace(/:\d{0,5}$/, ''))
  if (wrong !== undefined) return { problem: wrong }
  if (!/^[^.\s@/?#\\,][^\s@/?#\\,]*$/.test(String(sent)) || !URL.canParse(named))
    return { problem: 'The host is malformed.' }
  const { hostname: name } = new URL(named)
  // Punycode is longer than the characters that it encodes.
  const problem = findHostProblem(name)
  return problem === undefined ? { name } : { problem }
}

/** Returns the headers of a request in the form for endpoints. `upgrade` is the protocol to switch to. */
export function toHeaders({ rawHeaders }: Arrived, host: string, upgrade: string | undefined): MessageHeaders {
  const isCookie = ([name]: [string, string]) => name.toLowerCase() === 'cookie'
  const fields = pairsOf(rawHeaders).filter(([name]) => !name.startsWith(':'))
  const cookies = fields.filter(isCookie).map(([, value]) => value)
  // HTTP/2 may split cookies over several headers (RFC 9113, section 8.2.3).
  const joined: [string, string][] = cookies.length > 1 ? [['cookie', cookies.join('; ')]] : []
  const headers = new MessageHeaders(
    joined.length > 0 ? [...fields.filter((each) => !isCookie(each)), ...joined] : fields,
  )
  removeHopByHop(headers, false)
  for (const name of [HOST_HEADER, 'expect']) headers.delete(name)
  headers.set('host', host)
  if (upgrade !== undefined) {
    headers.set('connection', 'upgrade')
    headers.set('upgrade', upgrade)
  }
  return headers
}

/** Returns whether a request has a body (RFC 9112, section 6.3). */
export function hasBody(request: Arrived): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
}

/** Returns the body of a request, or null if it has none. */
export function toBody(request: Arrived): ReceivedBody | null {
  if (!hasBody(request)) return null
  // If a reader stops early, discard the rest of the body, because the connection still carries the response.
  return new ReceivedBody(request, request.headers['content-length'], () => request.resume())
}
