import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Gateway } from '../gateway.ts'
import { decodeBody } from '../http/fetch.ts'
import { type HttpRequest, type HttpResponse, LARGEST_BODY, type RequestBody } from '../http/messages.ts'

/** Where {@link serve} listens. */
export interface ServeOptions {
  /** The TCP port; 0 for any free one. Default: 0. */
  readonly port?: number
  /** The host name or address to listen on. Default: `127.0.0.1`. */
  readonly host?: string
}

/** A gateway that is being served. */
export interface Served {
  /** The server's own base URL, such as `http://127.0.0.1:4747`. */
  readonly url: string
  readonly port: number
  /** Stops listening and ends all connections at once, idle ones and busy ones. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a gateway over HTTP. While it is served the gateway's `url` is the server's own, unless it was created with a
 * `baseUrl`.
 *
 * @example
 * ```ts
 * import { createGateway, ngrok } from 'fauxgate'
 * import { serve } from 'fauxgate/node'
 * const server = await serve(createGateway({ dialect: ngrok }), { port: 0 })
 * console.log(server.url)
 * await server.close()
 * ```
 * @throws Error when the port is taken or the host is not one of this machine's.
 */
export async function serve(gateway: Gateway, { port = 0, host = '127.0.0.1' }: ServeOptions = {}): Promise<Served> {
  const server = createServer((request, response) => void answer(gateway, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(whyNot(error, host, port), { cause: error })),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const url = `http://${hostInUrl(host)}:${address.port}`
  gateway.servedAt(url)
  const close = () =>
    new Promise<void>((resolve) => {
      if (gateway.url === url) gateway.servedAt(undefined)
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url, port: address.port, close, [Symbol.asyncDispose]: close }
}

function whyNot({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken. Choose another one, or 0 for any free port.`
  if (code === 'EACCES')
    return `Port ${port} on ${host} needs privileges. Choose one from 1024 on, or 0 for any free port.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `The host ${host} is not an address of this machine.`
  return message
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function answer(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request)
  try {
    const answer = await gateway.delivered(gateway.exchange(toHttpRequest(request, body)))
    if (answer.delivery?.drop) request.socket.resetAndDestroy()
    else send(answer, response)
  } catch (error) {
    response.writeHead(500, { 'Content-Type': 'text/plain' }).end('fauxgate failed; its console says how.\n')
    console.error(error)
  }
  // The rest of a body that was not read to its end would otherwise count as the next request.
  if (!request.complete) response.once('finish', () => request.destroy())
}

function toHttpRequest(request: IncomingMessage, body: RequestBody): HttpRequest {
  const { method = 'GET', url = '/', headers } = request
  return { method, url, header: (name) => headerText(headers[name]), body }
}

function headerText(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}

/** How much of a body that is too large is still read, so that its sender gets to see the answer. */
const MOST_DRAINED = 16 * LARGEST_BODY

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size <= LARGEST_BODY) chunks.push(chunk)
      if (size > MOST_DRAINED) break
    }
  } catch {
    return { unread: 'body_unreadable' }
  }
  if (size > LARGEST_BODY) return { unread: 'body_too_large' }
  return size === 0 ? '' : decodeBody(chunks, size)
}

function send({ status, headers, body }: HttpResponse, response: ServerResponse): void {
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, ...length }).end(body)
}
