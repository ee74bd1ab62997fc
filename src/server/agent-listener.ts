import type { ServerResponse } from 'node:http'
import { printError } from '../core/schema/print.ts'
import type { Gateway } from '../gateway/types.ts'
import { splitTarget, targetOf } from '../traffic/target.ts'
import { asSystemError } from './errors.ts'
import { createServer, listenAt } from './http.ts'
import { SERVER_LIMITS } from './limits.ts'
import { readBody } from './request-body.ts'
import { takeTurns } from './request-queue.ts'
import { awaitClients } from './socket-activity.ts'

/** A second, smaller server, for the local API of the agent. */
export interface AgentListener {
  /** The resolved address that the server listens on. */
  readonly address: string
  readonly port: number
  close(): Promise<void>
}

/** The host in request URLs. The agent does not read it. */
const HOST = '127.0.0.1'

interface Asked {
  readonly gateway: Gateway
  /** The request's URL, as read by the agent. */
  readonly url: string | undefined
  /** The URL of the page that shows the traffic. A real agent serves its page at `/`. */
  readonly page: string
}

/** Serves the local API of a gateway's agent. @throws Node's Error if the port is taken */
export async function listenAsAgent(
  gateway: Gateway,
  { host, port }: { readonly host: string; readonly port: number },
  page: string,
): Promise<AgentListener> {
  const server = createServer(SERVER_LIMITS)
  awaitClients(server, gateway.clock)
  takeTurns(server, {
    open: () => (response) => respondAsAgent({ gateway, page, url: response.req.url }, response),
  })
  const bound = await listenAt(server, port, host)
  return {
    address: bound.address,
    port: bound.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Responds to a request to the local API of a gateway's agent. */
export function respondAsAgent(asked: Asked, response: ServerResponse): void {
  const { socket } = response.req
  respond(asked, response).catch((error: unknown) => {
    // An agent that is down refuses connections, and a fault breaks them. This connection is already open, so close it.
    if (!isPlanned(error)) printError(error)
    socket.destroy()
  })
}

async function respond({ gateway, page, url = '/' }: Asked, response: ServerResponse): Promise<void> {
  const { req: request } = response
  const { method = 'GET', headers } = request
  const header = (name: string) => headers[name]?.toString() ?? null
  const peer = request.socket.remoteAddress ?? 'unknown'
  const refusal = gateway.transport.callerRefusal({
    method,
    url,
    header,
    rawHeaders: request.rawHeaders,
    body: '',
    peer,
  })
  if (refusal) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body)
  if (method === 'TRACE') return void response.writeHead(400).end('TRACE is not supported.\n')
  const body = await new Promise<unknown>((resolve) => readBody(request, () => MAX_BODY_BYTES, resolve))
  if (typeof body !== 'string') return void response.writeHead(400).end('The body is too long, or it is not UTF-8.\n')
  const hasBody = body !== '' && method !== 'GET' && method !== 'HEAD'
  const { path } = splitTarget(url)
  const target = new URL(`http://${HOST}${targetOf(url)}`)
  // A path is used as it was sent (RFC 9112, section 3.2.1). The agent has no path that URL parsing would change.
  if (target.pathname !== path) target.pathname = encodeURIComponent(path)
  const end = new AbortController()
  response.once('close', () => end.abort(LEFT))
  const answered = await gateway.agent.fetch(target, { method, signal: end.signal, ...(hasBody && { body }) })
  if (path === '/') return void response.writeHead(302, { location: page }).end()
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  for await (const part of answered.body ?? []) await new Promise<void>((sent) => response.write(part, () => sent()))
  response.end()
}

/** The abort reason once the client has disconnected or has received the whole response. */
const LEFT = 'The client has disconnected.'

const MAX_BODY_BYTES = 1024 * 1024

function isPlanned(error: unknown): boolean {
  const { code = '' } = asSystemError(asSystemError(error).cause ?? {})
  return error === LEFT || ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
}
