import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { UpstreamHandler } from '../../traffic/upstreams.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Tells whether a host is this machine. A name other than `localhost` is not: whoever answers for it may send it anywhere. */
export function isThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  const version = isIP(name)
  return version === 0 ? name === 'localhost' : loopback.check(name, version === 6 ? 'ipv6' : 'ipv4')
}

/** The connections of upstreams that have switched protocols, by the value of the header {@link UPGRADE_HEADER}. */
export type Upgrades = Map<
  string,
  { readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }
>

/** The header that names the visitor's connection while a request to switch protocols passes the gateway. */
export const UPGRADE_HEADER = 'x-fauxgate-upgrade'

/** Makes an upstream that sends requests to a server. Bodies stream, and a request that is aborted ends the connection. */
export function createDialer(base: URL, upgrades: Upgrades): UpstreamHandler {
  const send = base.protocol === 'https:' ? httpsRequest : httpRequest
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    const upgrade = headers.get(UPGRADE_HEADER)
    headers.delete(UPGRADE_HEADER)
    return new Promise<Response>((resolve, reject) => {
      const call = send(base, {
        method: request.method,
        path: base.pathname.replace(/\/$/, '') + pathname + search,
        headers: [...headers].flat(),
        signal: request.signal,
        // As an agent does: servers of developers sign their own certificates.
        rejectUnauthorized: !isThisMachine(base.hostname),
      })
      call.on('error', reject)
      call.on('response', (response) => resolve(toResponse(response)))
      call.on('upgrade', (response, socket, head) => {
        if (upgrade === null) return void socket.destroy()
        upgrades.set(upgrade, { response, socket, head })
        resolve(new Response(null, { headers: { [UPGRADE_HEADER]: upgrade } }))
      })
      if (!request.body) return void call.end()
      pipeline(Readable.fromWeb(request.body as ReadableStream), call).catch(reject) // Node's own types of the same stream differ.
    })
  }
}

function toResponse(response: IncomingMessage): Response {
  const { statusCode: status = 502, rawHeaders } = response
  const headers = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
  const isBodiless = status === 204 || status === 205 || status === 304
  const body = isBodiless ? null : (Readable.toWeb(response) as unknown as BodyInit) // As above.
  if (isBodiless) response.resume()
  return new Response(body, { status, headers })
}
