import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

/** Serves a gateway until the end of the test. */
export async function served<G extends Gateway>(gateway: G) {
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  return { gateway, server, port: server.port, url: server.url }
}

/** Has a server that is no gateway listen on this machine until the end of the test. Returns its URL. */
export async function listening(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close()
    if (server instanceof HttpServer) server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
