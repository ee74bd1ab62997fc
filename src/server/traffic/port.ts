import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Gateway } from '../../gateway/types.ts'
import { MAX_HEAD_BYTES } from '../../service/policy/url-text.ts'
import { IDLE_MS } from '../forward/upstream.ts'
import { createServer, listenAt } from '../http.ts'
import { takeTurns } from '../request-queue.ts'
import { awaitClients } from '../socket-activity.ts'
import { createCertificates } from './certificates.ts'
import { EarlyBytes } from './early-bytes.ts'
import type { Arrived } from './head.ts'
import { VisitorRequest } from './upgrade.ts'
import { createVisitSender } from './visit.ts'
import type { VisitorLog } from './visitor-log.ts'
import { Visitors } from './visitors.ts'

/** A port for visitors. */
export interface TrafficPort {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export interface TrafficPortOptions {
  readonly port: number
  readonly host: string
  /** True for TLS with the domains' current certificates. */
  readonly tls: boolean
  /** The idle timeout of a visitor, in ms. Default: 5 minutes. */
  readonly idle?: number | undefined
  readonly log?: VisitorLog | undefined
}

/** Listens for visitors to a gateway's endpoints. */
export async function openTrafficPort(gateway: Gateway, options: TrafficPortOptions): Promise<TrafficPort> {
  const { tls, idle = IDLE_MS, log } = options
  const visitors = new Visitors(gateway, createVisitSender(gateway, { tls, log }), idle)
  const server = createPort(gateway, tls, idle)
  awaitClients(server, gateway.clock)
  const queueOf = takeTurns(server, { open: () => (response) => void visitors.answer(response.req, response) })
  const answerHttp2 = (request: Arrived, outgoing: ServerResponse | Http2ServerResponse | Socket) => {
    // HTTP/2 requests run concurrently.
    if ('stream' in outgoing) void visitors.answer(request, outgoing)
  }
  for (const event of ['request', 'checkExpectation', 'connect']) server.on(event, answerHttp2)
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const early = new EarlyBytes(socket, head)
    queueOf(socket).whenDone(() => void visitors.answer(request, early.respondTo(request), early))
  })
  return listen(server, options)
}

/** The maximum duration of a handshake, in ms, as documented by the service. */
const HANDSHAKE_MS = 60_000

/** The maximum number of concurrent requests on an HTTP/2 connection, as in Go's servers. */
const MAX_STREAMS = 250

function createPort(gateway: Gateway, tls: boolean, idle: number): Server | Http2SecureServer {
  // Uploads may take any amount of time, as with the service.
  const limits = {
    ...{ maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: idle, requestTimeout: 0, keepAliveTimeout: idle },
    ...{ maxHeadersCount: 0, connectionsCheckingInterval: Math.min(idle, 5000), requireHostHeader: false },
  }
  // A response at the end of a silence, such as 504, still passes. A visitor that never ends its body is disconnected then.
  const timeout = 2 * idle
  if (!tls) return Object.assign(createServer({ ...limits, IncomingMessage: VisitorRequest }), { timeout })
  const { forName, issueOwn } = createCertificates(gateway)
  const server = createSecureServer({
    ...{ allowHTTP1: true, Http1IncomingMessage: VisitorRequest, noDelay: true },
    handshakeTimeout: Math.min(HANDSHAKE_MS, idle),
    ...{
      maxHeaderListPairs: 4096,
      maxSendHeaderBlockLength: MAX_HEAD_BYTES,
      settings: { maxHeaderListSize: MAX_HEAD_BYTES, maxConcurrentStreams: MAX_STREAMS },
    },
    SNICallback: (name, callback) =>
      void forName(name).then(
        (context) => callback(null, context),
        (error: Error) => callback(error),
      ),
  })
  // For HTTP/1.1, Node reads these limits only from the server.
  Object.assign(server, limits, { timeout })
  server.on('session', (session: ServerHttp2Session) => endInSilence(session, idle))
  // Node reads these options for each connection. `traffic` states why it rejects a certificate.
  server.prependListener('connection', () =>
    Object.assign(server, { requestCert: gateway.transport.asksForCertificates(), rejectUnauthorized: false }),
  )
  // A client without a server name receives this certificate, and error 3003. Issuing it takes a quarter of the command's startup time.
  return server.prependOnceListener('connection', () => {
    const { certificate_pem, private_key_pem } = issueOwn()
    server.setSecureContext({ cert: certificate_pem, key: private_key_pem })
  })
}

/** Lets pending work on a silent connection finish, for example with status 504. Closes the connection if it is silent again. */
function endInSilence(session: ServerHttp2Session, idle: number): void {
  // Node's own listener for the server's timeout would end the session with its pending work.
  session.removeAllListeners('timeout')
  session.setTimeout(idle, () => {
    session.close()
    session.setTimeout(2 * idle, () => session.destroy())
  })
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
  const bound = await listenAt(server, port, host)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { url: `${tls ? 'https' : 'http'}://localhost:${bound.port}`, port: bound.port, close }
}
