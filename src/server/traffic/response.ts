import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { isBodiless, type UpstreamResponse } from '../../traffic/message.ts'
import { isHopByHop } from '../forward.ts'
import { sendBody } from './dial.ts'

/** The response that a visitor gets, in HTTP/1.1 or HTTP/2. */
export type VisitorResponse = ServerResponse | Http2ServerResponse

/** Sends a response to a visitor. */
export async function send({ status, headers, body }: UpstreamResponse, outgoing: VisitorResponse): Promise<void> {
  for (const [name, values] of Object.entries(headers.toLists())) {
    if (!isHopByHop(name)) outgoing.setHeader(name, values.length === 1 ? String(values[0]) : values)
  }
  outgoing.statusCode = Math.max(status, 200)
  // A visitor who leaves ends the body, and with it the request to the upstream. The response of HTTP/2 has the same members.
  await sendBody(
    isBodiless(outgoing.req.method ?? 'GET', outgoing.statusCode) ? null : body,
    outgoing as ServerResponse,
  ).catch(() => outgoing.destroy())
}

/** Ends a request that got no response: the gateway closed the connection, or a policy needs a fact that nobody gave. */
export function fail(error: unknown, outgoing: VisitorResponse): void {
  const isRefusal = error instanceof Error && 'key' in error
  if (!isRefusal || outgoing.headersSent) return void outgoing.destroy()
  outgoing.statusCode = 501
  outgoing.setHeader('content-type', 'text/plain; charset=utf-8')
  outgoing.end(`${error.message}\n`)
}
