import type { AddressInfo, Server } from 'node:net'
import { printError } from '../core/schema/print.ts'

/**
 * The parts of node:http. An import would read all its exports and therefore load Node's `fetch`. That takes 50 ms on Node 22 and newer.
 * Commands that call a server do not need it.
 */
const http = process.getBuiltinModule('node:http')

export const { Agent, IncomingMessage, METHODS, request, ServerResponse, STATUS_CODES } = http

/**
 * Creates a server. Heads are limited only in bytes. By default, Node also silently drops all fields after the 1,000th, such as the length
 * of the body.
 */
export function createServer(...options: Parameters<typeof http.createServer>): ReturnType<typeof http.createServer> {
  return Object.assign(http.createServer(...options), { maxHeadersCount: 0 })
}

/**
 * Starts a server, and returns the address that it listens on. Prints an error for each connection that the server cannot accept. Other
 * connections continue.
 * @throws Node's Error, for example if the port is taken
 */
export async function listenAt(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject).on('error', printError)
      resolve()
    })
  })
  return server.address() as AddressInfo // The server listens on a port, not on a pipe.
}
