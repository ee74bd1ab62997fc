import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
// Fake timers may replace the global `setImmediate`, but sockets close in real turns of the event loop.
import { setImmediate as atNextTurn } from 'node:timers'
import * as v from 'valibot'
import type { ServerCertificate } from '../control/authority.ts'
import { EventLoop } from '../core/engine/event-loop.ts'
import { asOne, optionsOf, readOptions, type SchemasOf } from '../core/schema/options.ts'
import { quote } from '../core/schema/text.ts'
import { lazy } from '../core/schema/values.ts'
import { openApi } from '../gateway/openapi/openapi.ts'
import type { Gateway } from '../gateway/types.ts'
import { listenAsAgent } from './agent-listener.ts'
import { PipelinedConnection, parseErrorResponse } from './connection.ts'
import { Gateways } from './gateways.ts'
import { createServer as createPlainServer, listenAt } from './http.ts'
import { SERVER_LIMITS } from './limits.ts'
import * as schemas from './options/listen-schemas.ts'
import { takeTurns } from './request-queue.ts'
import { awaitClients } from './socket-activity.ts'

/** The options for {@link serve}. */
export interface ServeOptions {
  /** The TCP port, or 0 for any free port. Default: 0. */
  readonly port?: number
  /** The host name or address to listen on; `0.0.0.0` and `::` listen on all addresses. Default: `127.0.0.1`. */
  readonly host?: string
  /** Serves HTTPS with this certificate, for example from `gateway.authority.serverCertificate`. Default: HTTP. */
  readonly tls?: ServerCertificate
  /** A name to show in the inspector, such as a branch name. Default: none. */
  readonly name?: string
  /**
   * The port for the local API of ngrok's agent (ngrok uses 4040), or 0 for any free port. It listens on `127.0.0.1`, or on the given
   * address, such as `'0.0.0.0:4040'`. Default: none.
   */
  readonly agent?: number | string
}

const serveOptions = optionsOf({
  port: v.optional(schemas.port),
  host: v.optional(schemas.host),
  name: v.optional(schemas.name),
  agent: v.optional(schemas.address),
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
  /** The port that the server listens on. */
  readonly port: number
  /** The resolved address that the server listens on, such as `0.0.0.0` for all IPv4 addresses of this machine. */
  readonly address: string
  /** The URL of the agent's local API, such as `http://127.0.0.1:4040`, or undefined without the `agent` option. */
  readonly agentUrl: string | undefined
  /**
   * Stops listening and closes all connections immediately, even connections with pending requests. When the promise resolves, clients in
   * this process know that their connections are closed. A fixture also calls `close` when its test ends.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a gateway over HTTP. While it is served, the gateway's `url` is the server's URL, unless the gateway was created with a `baseUrl`.
 * It may be called only by this machine's own hosts and pages, and by the hosts and pages in the `baseUrl`, `control.allowHosts`, and
 * `cors` options.
 *
 * @example
 * ```ts
 * import { createGateway, ngrok } from 'fauxgate'
 * import { serve } from 'fauxgate/node'
 * const server = await serve(createGateway({ dialect: ngrok }), { port: 0 })
 * console.log(server.url)
 * await server.close()
 * ```
 * @throws Error if the port is taken or the host is not one of this machine's; TypeError for an unknown option or a value that is not
 * allowed.
 */
export async function serve(gateway: Gateway, options: ServeOptions = {}): Promise<Served> {
  if (!gateway?.transport) throw new TypeError(`serve received ${quote(gateway)}. Allowed: a gateway, then options.`)
  const {
    port = 0,
    host = '127.0.0.1',
    tls,
    name = null,
    agent,
  } = readOptions(serveOptions, options, { secret: ['tls'] })
  const sockets = new Set<Socket>()
  const gateways = new Gateways(gateway, name)
  const server = await createHttpServer(gateways, sockets, tls).catch((cause) => {
    // Node's own error comes from OpenSSL, and does not mention the option.
    throw new TypeError(
      `tls cannot be used (${cause.message}). Allowed: a certificate and its private key, both as PEM.`,
      {
        cause,
      },
    )
  })
  const { address, port: boundPort } = await listenAt(server, port, host).catch((error) => {
    throw new Error(listenProblem(error, host, port), { cause: error })
  })
  const url = `${tls ? 'https' : 'http'}://${hostInUrl(host, address)}:${boundPort}`
  gateway.transport.servedAt(url)
  gateway.transport.describedBy(openApi)
  const closeServer = async () => {
    const closed = gateway.transport.hooks.served?.closing()
    if (closed) await new EventLoop(atNextTurn).runOtherCode()
    closed?.()
    await new Promise<void>((resolve) => {
      if (gateway.url === url) gateway.transport.servedAt(undefined)
      gateways.close()
      // Otherwise, clients with a pool would send their next request on a connection whose end they have not seen yet.
      server.close(() => atNextTurn(() => atNextTurn(resolve)))
      for (const socket of sockets) socket.destroy()
    })
  }
  const agentPlace = agent === undefined ? undefined : schemas.splitAddress(agent)
  const agentListener =
    agentPlace &&
    (await listenAsAgent(gateway, agentPlace, `${url}/_fauxgate/#traffic`).catch(async (error) => {
      await closeServer()
      throw new AgentPortError(listenProblem(error, agentPlace.host, agentPlace.port), { cause: error })
    }))
  const agentUrl = agentListener && `http://${hostInUrl(agentPlace.host, agentListener.address)}:${agentListener.port}`
  const close = lazy(async () => void (await Promise.all([closeServer(), agentListener?.close()])))
  gateway.transport.hooks.served?.opened(close)
  return { url, port: boundPort, address, agentUrl, close, [Symbol.asyncDispose]: close }
}

type CreateServer = (options: ServerOptions) => Server

/** Creates the server, and keeps the open sockets in the set. */
async function createHttpServer(
  gateways: Gateways,
  sockets: Set<Socket>,
  tls: ServerCertificate | undefined,
): Promise<Server> {
  const options = {
    ...SERVER_LIMITS,
    // Node's own response would have no operation id.
    requireHostHeader: false,
    ...(tls && { cert: tls.certificate_pem, key: tls.private_key_pem }),
  }
  const createServer: CreateServer = tls ? (await import('node:https')).createServer : createPlainServer
  const server = createServer(options).on('connection', (socket: Socket) => {
    sockets.add(socket)
    // The server keeps the process alive; idle connections do not.
    socket.unref()
    socket.once('close', () => sockets.delete(socket))
  })
  awaitClients(server, gateways.home.clock)
  takeTurns(server, {
    open(socket) {
      const connection = new PipelinedConnection(socket, gateways.findTarget)
      return (response) => connection.start(response)
    },
    refuse: (error) => parseErrorResponse(gateways.home, error),
  })
  return server
}

/** Thrown if the port of the agent's API cannot be opened. */
export class AgentPortError extends Error {
  constructor(
    readonly problem: string,
    options: ErrorOptions,
  ) {
    super(`agent: ${problem}`, options)
  }
}

/** Returns a sentence that explains why a server cannot listen. */
export function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Choose another port, or 0 for any free port.`
  if (code === 'EACCES')
    return `Port ${port} on ${host} needs elevated privileges. Choose 1024 or higher, or 0 for any free port.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `The host ${host} is not an address of this machine.`
  return message
}

/** Returns a host in the form for URLs on this machine. `address` is the address that the host resolved to. */
export function hostInUrl(host: string, address = host): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
