import { once } from 'node:events'
import http, { createServer, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

/** Serves a gateway until the end of the test. */
export async function serveGateway<G extends Gateway>(gateway: G) {
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  return { gateway, server, port: server.port, url: server.url }
}

/** Starts a server that is no gateway, until the end of the test. Returns its URL. */
export async function listen(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string }

/** Starts a server that answers every request in the same way, until the end of the test. `received` lists the requests. */
export async function serveResponse(answer: (response: ServerResponse) => unknown) {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    received.push({ method, url, headers, body: await text(request) })
    answer(response)
  })
  return { received, url: await listen(server) }
}

/** Sends a request. Returns the response with the bytes of its body. */
export async function requestBytes(url: string, options: RequestOptions & { readonly ca?: string } = {}) {
  const { request } = url.startsWith('https:') ? https : http
  const sent = request(url, { agent: false, ...options }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
}
