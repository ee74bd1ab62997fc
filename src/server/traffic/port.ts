import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { printError } from '../../core/schema/print.ts'
import type { Gateway } from '../../gateway/types.ts'
import { errorResponse, toUpstreamResponse } from '../../traffic/errors.ts'
import type { UpstreamResponse } from '../../traffic/message.ts'
import { HEAD_LIMITS } from '../connection.ts'
import { createServer } from '../http.ts'
import { createCertificates } from './certificates.ts'
import type { Upgrades } from './dial.ts'
import { fail, send, type VisitorResponse } from './response.ts'
import { switchProtocols } from './upgrade.ts'
import { logVisit, type VisitorLog } from './visitor-log.ts'
import { type Arrived, hostOf, type SendVisit, toSent } from './visitor-request.ts'

/** A port for visitors. */
export interface TrafficPort {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export interface TrafficPortOptions {
  readonly port: number
  readonly host: string
  /** True for TLS, with the certificates that domains have in use. */
  readonly tls: boolean
  readonly upgrades: Upgrades
  readonly log?: VisitorLog | undefined
}

/** The socket of a request over TLS has the name that the client sent; false if it sent none. */
type WithName = TLSSocket & { readonly servername?: string | false }

/** Listens for visitors of a gateway's endpoints. The host of a request chooses the endpoint (rules: traffic#ports). */
export async function openTrafficPort(gateway: Gateway, options: TrafficPortOptions): Promise<TrafficPort> {
  const { tls, upgrades, log } = options
  // Endpoints have TLS at the gateway; a port without it is for both.
  const schemes = tls ? ['https'] : ['http', 'https']
  const visit: SendVisit = async (request, channel, extra = []) => {
    const host = hostOf(request)
    const { servername } = request.socket as WithName // Node's types lack it.
    if (tls && !servername) return refuse(gateway, 3003)
    if (host === undefined) return refuse(gateway, 3200)
    const left = new AbortController()
    // A visitor who leaves ends the request to the upstream.
    channel.once('close', () => void (channel.writableEnded || left.abort()))
    const origin = await gateway.transport.locate(host, schemes)
    const ip = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const sent = { ...toSent(request, origin, extra), ip, signal: left.signal }
    const visited = gateway.transport.serveVisitor(sent)
    return log ? logVisit(visited, { gateway, log, sent }) : visited
  }
  const listener = (request: Arrived, outgoing: VisitorResponse) =>
    // The response of HTTP/2 has the same members.
    void visit(request, outgoing as ServerResponse).then(
      (response) => send(response, outgoing),
      (error) => fail(error, outgoing),
    )
  let count = 0
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    void switchProtocols(request, socket, head, { visit, upgrades, name: String(count++) })
  const server = await createPort(gateway, tls)
  server.on('request', listener).on('upgrade', onUpgrade)
  return listen(server, options)
}

const LIMITS = { maxHeaderSize: HEAD_LIMITS.bytes, headersTimeout: HEAD_LIMITS.seconds * 1000 }

async function createPort(gateway: Gateway, tls: boolean): Promise<Server | Http2SecureServer> {
  if (!tls) return createServer(LIMITS)
  const { forName, issueOwn } = createCertificates(gateway)
  const server = createSecureServer({
    ...LIMITS,
    allowHTTP1: true,
    SNICallback: (name, callback) =>
      void forName(name).then(
        (context) => callback(null, context),
        (error: Error) => callback(error),
      ),
  })
  // A client without a server name gets this certificate, and the error 3003. To issue it takes a quarter of the command's start.
  return server.prependOnceListener('connection', () => {
    const { certificate_pem, private_key_pem } = issueOwn()
    server.setSecureContext({ cert: certificate_pem, key: private_key_pem })
  })
}

/** Returns the response to a request that no endpoint gets. */
function refuse({ dialect }: Gateway, number: number): UpstreamResponse {
  return toUpstreamResponse(errorResponse(number), dialect)
}

async function listen(
  server: Server | Http2SecureServer,
  { port, host, tls }: TrafficPortOptions,
): Promise<TrafficPort> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  server.on('error', printError)
  const bound = server.address() as AddressInfo // It listens at a port.
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { url: `${tls ? 'https' : 'http'}://localhost:${bound.port}`, port: bound.port, close }
}
