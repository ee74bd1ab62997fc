import type { AddressInfo, Server } from 'node:net'
import { printError } from '../core/schema/print.ts'

/**
 * The parts of node:http. An import would read all its exports, and so load what Node's `fetch` is made of: 50 ms on Node 22
 * and newer, which a command that asks a server does not need.
 */
const http = process.getBuiltinModule('node:http')

export const { Agent, IncomingMessage, METHODS, request, ServerResponse, STATUS_CODES } = http

/**
 * Creates a server. Its limit of heads is in bytes: by default, Node drops the fields after the 1,000th in silence, such as the length
 * of the body.
 */
export function createServer(...options: Parameters<typeof http.createServer>): ReturnType<typeof http.createServer> {
  return Object.assign(http.createServer(...options), { maxHeadersCount: 0 })
}

/**
 * Lets a server listen, and returns the address where it does. A connection that it cannot accept later is printed, and the others
 * continue.
 * @throws Error of Node, such as for a port that is taken
 */
export async function listenAt(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject).on('error', printError)
      resolve()
    })
  })
  return server.address() as AddressInfo // It listens at a port, and not at a pipe.
}
