import type { ServerResponse } from 'node:http'
import { constants, type Http2ServerResponse } from 'node:http2'
import type { Body } from '../../traffic/body.ts'
import { isBodiless } from '../../traffic/message.ts'
import { type MessageHeaders, removeHopByHop } from '../../traffic/message-headers.ts'
import { STATUS_CODES } from '../http.ts'
import { lengthOf, sendBody } from './body.ts'

/** The response to a visitor, over HTTP/1.1 or HTTP/2. */
export type VisitorResponse = ServerResponse | Http2ServerResponse

interface Sent {
  readonly status: number
  readonly headers: MessageHeaders
  readonly body: Body
}

/**
 * Sends a response, framed by its body. A Content-Length header counts only if there is no body. Trailers never have the name `reserved`.
 */
export function sendResponse({ status: sent, headers, body }: Sent, outgoing: VisitorResponse, reserved = ''): void {
  // A final response has a status of at least 200.
  const status = Math.max(sent, 200)
  const hasBody = !isBodiless(outgoing.req.method ?? 'GET', status)
  removeHopByHop(headers, false)
  const length = hasBody ? (body === null ? 0 : lengthOf(body)) : toBodilessLength(status, headers, body)
  if (length === undefined) headers.delete('content-length')
  else headers.set('content-length', String(length))
  const fail = () => abort(outgoing)
  writeHead(outgoing, status, headers)
  // Node's HTTP/2 response has all members used here.
  sendBody(hasBody ? body : null, outgoing as ServerResponse, {
    fail,
    trail: (fields) =>
      addTrailers(
        outgoing,
        fields.filter(([name]) => name.toLowerCase() !== reserved),
      ),
  })
}

/** Sends a response to a request whose body is not read. Nothing follows it on its connection or HTTP/2 stream. */
export function sendLast(response: Sent, outgoing: VisitorResponse): void {
  if (!('stream' in outgoing)) outgoing.shouldKeepAlive = false
  sendResponse(response, outgoing)
  if ('stream' in outgoing) outgoing.stream.close()
}

/**
 * Writes the head of a response. @throws TypeError for repeated fields that HTTP/2 allows only once. In that case, no field is kept, so
 * another head can be written
 */
function writeHead(outgoing: VisitorResponse, status: number, headers: MessageHeaders): void {
  if (!('stream' in outgoing)) return void outgoing.writeHead(status, [...headers].flat())
  // Node's response cannot unset a Date.
  if (headers.all('date').length > 1) throw new TypeError('The response has two Date headers, and HTTP/2 allows one.')
  try {
    // Immediately, while the caller can catch the error.
    for (const [name, values] of Object.entries(headers.toLists())) outgoing.setHeader(name, values)
    outgoing.writeHead(status)
  } catch (error) {
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
    throw error
  }
}

/** Returns the Content-Length of a response without a body: the length of the body that GET would return (RFC 9110, section 8.6). */
function toBodilessLength(status: number, headers: MessageHeaders, body: Body): number | string | undefined {
  const [length, ...others] = headers.all('content-length')
  if (status === 205) return '0'
  // Only the gateway's own responses have a body here. An upstream's response to HEAD does not.
  if (body !== null && status !== 204 && status !== 304) return lengthOf(body)
  const isStated = status !== 204 && length !== undefined && others.length === 0 && /^\d+$/.test(length)
  return isStated ? length : undefined
}

function addTrailers(outgoing: VisitorResponse, fields: [name: string, value: string][]): void {
  if ('stream' in outgoing) outgoing.addTrailers(Object.fromEntries(fields))
  else outgoing.addTrailers(fields)
}

/** Sends an informational response, such as 103, before the final response. */
export function sendInformation(status: number, headers: MessageHeaders, outgoing: VisitorResponse): void {
  // 100 and 101 apply to one connection. HTTP/1.0 has no informational responses.
  if (status < 102 || status > 199 || outgoing.headersSent || outgoing.req.httpVersion === '1.0') return
  removeHopByHop(headers, false)
  headers.delete('content-length')
  if ('stream' in outgoing) outgoing.stream.additionalHeaders({ ':status': status, ...headers.toLists() })
  else outgoing.socket?.write(formatHead(status, headers), 'latin1')
}

/** Returns the bytes of the head of a response. */
export function formatHead(status: number, headers: MessageHeaders): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
}

/** Ends a response partway through, so that the visitor notices. */
export function abort(outgoing: VisitorResponse): void {
  if ('stream' in outgoing) outgoing.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  else outgoing.destroy()
}
