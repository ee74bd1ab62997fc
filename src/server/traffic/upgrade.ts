import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServerResponse } from '../http.ts'
import { UPGRADE_HEADER, type Upgrades } from './dial.ts'
import { send } from './response.ts'
import type { SendVisit } from './visitor-request.ts'

interface Switching {
  readonly visit: SendVisit
  readonly upgrades: Upgrades
  /** The name of the visitor's connection. */
  readonly name: string
}

/** Lets a request to switch protocols, such as that of a WebSocket, pass the gateway, and joins the two connections. */
export async function switchProtocols(
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
      const outgoing = new ServerResponse(request)
      outgoing.shouldKeepAlive = false
      outgoing.assignSocket(socket as Socket) // That of an HTTP server.
      outgoing.once('finish', () => socket.end())
      return await send(response, outgoing)
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
