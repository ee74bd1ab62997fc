import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import * as v from 'valibot'
import type { ServerCertificate } from '../control/authority.ts'
import { stopwatch } from '../engine/clock.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { HttpRequest, HttpResponse } from '../http/messages.ts'
import { openApi } from '../openapi/openapi.ts'
import type { RequestBody } from '../schema/body.ts'
import { general } from '../schema/general-errors.ts'
import { asOne, optionsOf, readOptions, type SchemasOf } from '../schema/options.ts'
import { Connection, type Exchange, HEAD_LIMITS, type ParseError, send } from './connection.ts'
import { INSPECTOR_HEADER, Inspector } from './inspector.ts'
import * as allowed from './options/listening.ts'

/** Options of {@link serve}. */
export interface ServeOptions {
  /** The TCP port; 0 for any free one. Default: 0. */
  readonly port?: number
  /** The host name or address to listen on; `0.0.0.0` and `::` listen on all addresses. Default: `127.0.0.1`. */
  readonly host?: string
  /** HTTPS with this certificate, such as one of `gateway.authority.serverCertificate`. Default: HTTP. */
  readonly tls?: ServerCertificate
  /** A name that the inspector shows, such as the branch that it serves. Default: none. */
  readonly name?: string
}

const serveOptions = optionsOf({
  port: v.optional(allowed.port),
  host: v.optional(allowed.host),
  name: v.optional(allowed.name),
  tls: v.optional(
    asOne(
      v.object({ certificate_pem: v.string(), private_key_pem: v.string() }),
      'an object with certificate_pem and private_key_pem',
    ),
  ),
} satisfies SchemasOf<ServeOptions>)

/** A gateway that is being served. */
export interface Served {
  /** The server's own base URL, such as `http://127.0.0.1:4747`. */
  readonly url: string
  /** The port that it listens on. */
  readonly port: number
  /** The address that it listens on in truth, such as `0.0.0.0` for all IPv4 addresses of this machine. */
  readonly address: string
  /** Stops listening and ends all connections at once, idle ones and busy ones; what they wait for is given up. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a gateway over HTTP. While it is served the gateway's `url` is the server's own, unless it was created with a
 * `baseUrl`. Any web page in a browser on this machine can use the API with a made-up key, unless the gateway has the
 * option `keys`.
 *
 * @example
 * ```ts
 * import { createGateway, ngrok } from 'fauxgate'
 * import { serve } from 'fauxgate/node'
 * const server = await serve(createGateway({ dialect: ngrok }), { port: 0 })
 * console.log(server.url)
 * await server.close()
 * ```
 * @throws Error when the port is taken or the host is not one of this machine's, TypeError for an unknown option or a value that is not
 * allowed.
 */
export async function serve(gateway: Gateway, options: ServeOptions = {}): Promise<Served> {
  const { port = 0, host = '127.0.0.1', tls, name = null } = readOptions(serveOptions, options, { secret: ['tls'] })
  const sockets = new Set<Socket>()
  const served = { gateway, inspector: new Inspector(gateway, name) }
  const server = listenerFor(served, sockets, await serverMaker(tls), tls ? 'secureConnection' : 'connection')
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(whyNot(error, host, port), { cause: error })),
    )
    server.listen(port, host, resolve)
  })
  // A connection that cannot be accepted is no reason to end the others.
  server.on('error', console.error)
  const { address, port: taken } = server.address() as AddressInfo // It listens at a port.
  const url = `${tls ? 'https' : 'http'}://${hostInUrl(host, address)}:${taken}`
  gateway.transport.servedAt(url)
  gateway.describedBy(openApi)
  const close = () =>
    new Promise<void>((resolve) => {
      if (gateway.url === url) gateway.transport.servedAt(undefined)
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { url, port: taken, address, close, [Symbol.asyncDispose]: close }
}

type MakeServer = (options: ServerOptions, listener: RequestListener) => Server

async function serverMaker(tls: ServerCertificate | undefined): Promise<MakeServer> {
  if (!tls) return createServer
  const https = await import('node:https')
  const material = { cert: tls.certificate_pem, key: tls.private_key_pem }
  return (options, listener) => https.createServer({ ...options, ...material }, listener)
}

/** The time from the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 60_000

/** Longer than clients keep a connection for their next request (Go: 90 s), so that no request arrives at a closing one. */
const KEEP_ALIVE_MS = 120_000

function listenerFor(
  served: Answering,
  sockets: Set<Socket>,
  makeServer: MakeServer,
  ready: 'connection' | 'secureConnection',
): Server {
  const connections = new WeakMap<Socket, Connection>()
  const { gateway } = served
  const listener: RequestListener = (request, response) => {
    const connection = connections.get(request.socket) as Connection // It was ready before its requests.
    const exchange = { connection, request, response }
    connection.read({
      exchange,
      limitOf: () => gateway.transport.bodyLimit(toHttpRequest(exchange, '')),
      handOn: (body) => answer(served, exchange, toHttpRequest(exchange, body)),
    })
  }
  const options = {
    maxHeaderSize: HEAD_LIMITS.bytes,
    headersTimeout: HEAD_LIMITS.seconds * 1000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 5000,
    // Node's own answer would have no operation id.
    requireHostHeader: false,
  }
  return makeServer(options, listener)
    .on('checkExpectation', listener)
    .on('connection', (socket: Socket) => {
      sockets.add(socket)
      // Idle connections of clients keep no process alive: the server itself does.
      socket.unref()
      socket.once('close', () => sockets.delete(socket))
    })
    .on(ready, (socket: Socket) => connections.set(socket, new Connection(socket)))
    .on('clientError', (error: ParseError, socket: Socket) => {
      const connection = connections.get(socket)
      // A connection that failed before it was ready does not speak TLS.
      if (connection) connection.refuse(gateway, error)
      else socket.destroy()
    })
}

/** Says why a server cannot listen. */
export function whyNot({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken. Choose another one, or 0 for any free port.`
  if (code === 'EACCES')
    return `Port ${port} on ${host} needs privileges. Choose one from 1024 on, or 0 for any free port.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `The host ${host} is not an address of this machine.`
  return message
}

/** Writes a host as a URL on this machine has it; `address` is the one that it resolved to. */
export function hostInUrl(host: string, address = host): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

interface Answering {
  readonly gateway: Gateway
  readonly inspector: Inspector
}

/** Answers a request, at once unless a fault or the store delays the response. */
function answer({ gateway, inspector }: Answering, exchange: Exchange, read: HttpRequest): void {
  const { request, response } = exchange
  if (inspector.isFor(request)) {
    inspector.answer(request, response, read).catch((error) => {
      const refusal = failed(gateway, error)
      if (response.headersSent) request.socket.destroy()
      else send(refusal, exchange)
    })
    return
  }
  const worked = stopwatch()
  const result = resultOf(gateway, request, read)
  const sendResult = (sent: HttpResponse) => {
    inspector.controlUsed(read, sent)
    inspector.answered(read, sent, worked())
    if (sent.delivery?.drop) request.socket.resetAndDestroy()
    else send(sent, exchange)
  }
  if (result.delivery || result.safe) void delivered(exchange, gateway, result).then((sent) => sent && sendResult(sent))
  else sendResult(result)
}

function resultOf(gateway: Gateway, request: IncomingMessage, read: HttpRequest): HttpResponse {
  try {
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      return gateway.transport.refused(general.request_malformed, { problem: 'the Host header is missing' })
    }
    return gateway.transport.exchange(read)
  } catch (error) {
    return failed(gateway, error)
  }
}

/** Resolves when a response may be sent; with undefined if its client did not wait for it. */
async function delivered(
  { connection: { socket, ended } }: Exchange,
  gateway: Gateway,
  response: HttpResponse,
): Promise<HttpResponse | undefined> {
  try {
    return await gateway.transport.delivered(response, { signal: ended })
  } catch (error) {
    return socket.destroyed && error === ended.reason ? undefined : failed(gateway, error)
  }
}

function failed(gateway: Gateway, error: unknown): HttpResponse {
  console.error(error)
  return gateway.transport.refused(general.internal_failure, {})
}

function toHttpRequest({ connection, request }: Exchange, body: RequestBody): HttpRequest {
  const { method = 'GET', url = '/', headers, rawHeaders } = request
  const isInspector = headers[INSPECTOR_HEADER] !== undefined
  const { peer } = connection
  return { method, url, header: (name) => headers[name]?.toString() ?? null, rawHeaders, body, peer, isInspector }
}
