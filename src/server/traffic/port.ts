import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { type Duplex, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { TLSSocket } from 'node:tls'
import { readClock, stopwatch } from '../../core/engine/clock.ts'
import { printError } from '../../core/schema/print.ts'
import type { Gateway } from '../../gateway/types.ts'
import { errorResponse, toResponse } from '../../traffic/errors.ts'
import { HEAD_LIMITS } from '../connection.ts'
import { messageOf } from '../errors.ts'
import { isHopByHop } from '../forward.ts'
import type { LoggedRequest } from '../log/log.ts'
import { createCertificates } from './certificates.ts'
import { UPGRADE_HEADER, type Upgrades } from './dial.ts'
import { type Arrived, hostOf, toFetch } from './visitor-request.ts'

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

/** Logs the request of a visitor. */
export type VisitorLog = (request: LoggedRequest) => void

/** The socket of a request over TLS has the name that the client sent; false if it sent none. */
type WithName = TLSSocket & { readonly servername?: string | false }

/** Sends a request through the gateway. `channel` is what the visitor gets the response by, and `extra` are further headers. */
type Visit = (request: Arrived, channel: Writable, extra?: [string, string][]) => Promise<Response>

type Answer = ServerResponse | Http2ServerResponse

/** Listens for visitors of a gateway's endpoints. The host of a request chooses the endpoint (rules: traffic#ports). */
export async function openTrafficPort(gateway: Gateway, options: TrafficPortOptions): Promise<TrafficPort> {
  const { tls, upgrades, log } = options
  // Endpoints have TLS at the gateway; a port without it stands for both.
  const schemes = tls ? ['https'] : ['http', 'https']
  const visit: Visit = async (request, channel, extra = []) => {
    const host = hostOf(request)
    const { servername } = request.socket as WithName // Node's types lack it.
    if (tls && !servername) return refuse(gateway, 3003)
    if (host === undefined) return refuse(gateway, 3200)
    const left = new AbortController()
    // A visitor who leaves ends the request to the upstream.
    channel.once('close', () => void (channel.writableFinished || left.abort()))
    const origin = await gateway.transport.locate(host, schemes)
    const [url, init] = toFetch(request, origin, extra)
    const ip = request.socket.remoteAddress?.replace(/^::ffff:/, '')
    const visited = gateway.traffic.fetch(url, { ...init, signal: left.signal, ...(ip && { from: { ip } }) })
    return log ? logged(visited, { gateway, log, method: request.method ?? 'GET', url }) : visited
  }
  const listener = (request: Arrived, answer: Answer) =>
    // The response of HTTP/2 has the same members.
    void visit(request, answer as ServerResponse).then(
      (response) => send(response, answer),
      (error) => fail(error, answer),
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
  const { forName, own } = createCertificates(gateway)
  return createSecureServer({
    ...LIMITS,
    allowHTTP1: true,
    // A client without a server name gets this certificate, and the error 3003.
    cert: own.certificate_pem,
    key: own.private_key_pem,
    SNICallback: (name, callback) =>
      void forName(name).then(
        (context) => callback(null, context),
        (error: Error) => callback(error),
      ),
  })
}

interface LoggedVisit {
  readonly gateway: Gateway
  readonly log: VisitorLog
  readonly method: string
  readonly url: string
}

/** Returns the same response, and logs the request when its head is there. */
async function logged(visited: Promise<Response>, { gateway, log, method, url }: LoggedVisit): Promise<Response> {
  const elapsed = stopwatch()
  const say = (outcome: Pick<LoggedRequest, 'status' | 'error' | 'message'>) =>
    log({
      ...{ at: readClock(gateway.clock), method, path: url.replace(/\?.*$/, ''), operation: null, duration: elapsed() },
      ...outcome,
    })
  try {
    const response = await visited
    const { status, headers } = response
    say({ status, error: headers.get(gateway.dialect.errorCodeHeader), message: null })
    return response
  } catch (error) {
    say({ status: null, error: null, message: messageOf(error) })
    throw error
  }
}

/** Returns the response to a request that no endpoint gets. */
function refuse({ dialect }: Gateway, number: number): Response {
  return toResponse(errorResponse(number), dialect).toResponse('GET')
}

async function send(response: Response, answer: Answer): Promise<void> {
  const headers = [...response.headers].filter(([name]) => !isHopByHop(name) && name !== 'connection')
  for (const [name, value] of headers) if (name !== 'set-cookie') answer.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) answer.setHeader('set-cookie', cookies)
  answer.statusCode = response.status
  if (!response.body) return void answer.end()
  const body = Readable.fromWeb(response.body as ReadableStream) // Node's own types of the same stream differ.
  // A visitor who leaves ends the body, and with it the request to the upstream.
  await pipeline(body, answer as ServerResponse).catch(() => answer.destroy())
}

/** Ends a request that got no response: the gateway closed the connection, or a policy needs a fact that nobody gave. */
function fail(error: unknown, answer: Answer): void {
  const isRefusal = error instanceof Error && 'key' in error
  if (!isRefusal || answer.headersSent) return void answer.destroy()
  answer.statusCode = 501
  answer.setHeader('content-type', 'text/plain; charset=utf-8')
  answer.end(`${error.message}\n`)
}

interface Switching {
  readonly visit: Visit
  readonly upgrades: Upgrades
  /** The name of the visitor's connection. */
  readonly name: string
}

/** Lets a request to switch protocols, such as that of a WebSocket, pass the gateway, and joins the two connections. */
async function switchProtocols(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { visit, upgrades, name }: Switching,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  try {
    const { upgrade = '' } = request.headers
    const response = await visit(request, socket, [
      ['connection', 'Upgrade'],
      ['upgrade', upgrade],
      [UPGRADE_HEADER, name],
    ])
    const switched = upgrades.get(name)
    if (!switched) {
      const answer = new ServerResponse(request)
      answer.shouldKeepAlive = false
      answer.assignSocket(socket as Socket) // That of an HTTP server.
      answer.once('finish', () => socket.end())
      return await send(response, answer)
    }
    const { rawHeaders } = switched.response
    const lines = rawHeaders.flatMap((each, index) => (index % 2 === 0 ? [`${each}: ${rawHeaders[index + 1]}`] : []))
    socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'))
    socket.write(switched.head)
    switched.socket.write(head)
    await Promise.all([pipeline(socket, switched.socket), pipeline(switched.socket, socket)])
  } catch {
    socket.destroy()
    upgrades.get(name)?.socket.destroy()
  } finally {
    upgrades.delete(name)
  }
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
