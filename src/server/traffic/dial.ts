import type { IncomingMessage, OutgoingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import type { Body } from '../../traffic/body.ts'
import { isBodiless } from '../../traffic/message.ts'
import type { ServedResponse, ServedUpstream } from '../../traffic/upstreams.ts'
import { isHopByHop } from '../forward.ts'
import { request as httpRequest } from '../http.ts'

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

/** Makes an upstream that sends requests to a server. Bodies and trailers stream, and a request that is aborted ends the connection. */
export function createDialer(base: URL, upgrades: Upgrades): ServedUpstream {
  const send = base.protocol === 'https:' ? httpsRequest : httpRequest
  const above = base.pathname.replace(/\/$/, '')
  const place = {
    ...{ protocol: base.protocol, host: base.hostname.replace(/^\[|\]$/g, ''), port: base.port },
    // As an agent does: servers of developers sign their own certificates.
    rejectUnauthorized: !isThisMachine(base.hostname),
  }
  return ({ method, url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const upgrade = headers.get(UPGRADE_HEADER)
      headers.delete(UPGRADE_HEADER)
      const { pathname, search } = new URL(url)
      const call = send({ ...place, method, path: above + pathname + search, headers: [...headers].flat() })
      const end = () => call.destroy()
      signal?.addEventListener('abort', end)
      call.once('close', () => signal?.removeEventListener('abort', end))
      call.on('error', reject)
      call.on('response', (response) => resolve(toServed(response, method)))
      call.on('upgrade', (response, socket, head) => {
        if (upgrade === undefined) return void socket.destroy()
        upgrades.set(upgrade, { response, socket, head })
        resolve({ status: 200, headers: [[UPGRADE_HEADER, upgrade]], body: null })
      })
      sendBody(body, call).catch(reject)
    })
}

function toServed(response: IncomingMessage, method: string): ServedResponse {
  const { statusCode: status = 502, rawHeaders } = response
  const hasBody = !isBodiless(method, status)
  if (!hasBody) response.resume()
  return { status, headers: pairsOf(rawHeaders), body: hasBody ? response : null }
}

const FRAMING = /^(content-length|host)$/i

/** Sends a body on as it arrives, and then its trailers. */
export async function sendBody(body: Body, to: OutgoingMessage): Promise<void> {
  if (body === null || body instanceof Uint8Array) return void to.end(body)
  if (body instanceof ReadableStream) return pipeline(Readable.fromWeb(body as NodeStream), to) // Node's types differ from those of the platform.
  await pipeline(body, to, { end: false })
  // A trailer must not frame or route a message (RFC 9110, section 6.5.1).
  const trailers = pairsOf(body.rawTrailers ?? []).filter(([name]) => !isHopByHop(name) && !FRAMING.test(name))
  if (trailers.length > 0) to.addTrailers(trailers)
  to.end()
}

/** Returns the names and values of fields that Node lists one after the other. */
export function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
}
