import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** A request that a server rejects because of its head. */
export interface HeadProblem {
  readonly status: number
  readonly problem: string
}

/** Returns why servers must reject the head of a request (RFC 9112, sections 2.3, 3.2, and 6.1). */
export function findMessageProblem(request: IncomingMessage | Http2ServerRequest): HeadProblem | undefined {
  const { httpVersion, headers, rawHeaders } = request
  if (!('stream' in request) && !/^1\.[01]$/.test(httpVersion))
    return { status: 505, problem: 'The supported HTTP versions are 1.0, 1.1, and 2' }
  const isHost = (name: string, index: number) => index % 2 === 0 && name.toLowerCase() === 'host'
  if (rawHeaders.filter(isHost).length > 1) return { status: 400, problem: 'The request has two Host headers' }
  if (httpVersion === '1.1' && headers.host === undefined) return { status: 400, problem: 'The Host header is missing' }
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && httpVersion === '1.0')
    return { status: 400, problem: 'HTTP/1.0 has no Transfer-Encoding' }
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return { status: 501, problem: 'The only supported Transfer-Encoding is chunked' }
  return undefined
}
