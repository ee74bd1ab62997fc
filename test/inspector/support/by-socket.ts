import { createHash } from 'node:crypto'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { eventText, gatewayEvent, overviewEvent, subscribeToEvents } from '../../../src/gateway/inspected.ts'
import type { Gateway } from '../../../src/index.ts'
import type { Served } from '../../../src/server/node.ts'

/** A server whose page hears what happens by a WebSocket, and what it was offered. */
export interface BySocket {
  /** With the path below which it stands. */
  readonly url: string
  /** The subprotocols of each WebSocket so far. */
  readonly offered: readonly string[]
  /** Ends all of them. */
  end(): void
}

/** A served gateway below a path of another server, which holds no streams open. */
export async function bySocket(gateway: Gateway, { port }: Served, path: string): Promise<BySocket> {
  const offered: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const url = request.url?.slice(path.length)
    if (url === '/_fauxgate/events' && request.headers['fauxgate-control-key'])
      return response.writeHead(426, { Upgrade: 'websocket' }).end()
    const { method, headers } = request
    const forwarded = ask({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    return request.pipe(forwarded)
  })
  server.on('upgrade', ({ headers }, socket: Socket) => {
    sockets.add(socket)
    offered.push(String(headers['sec-websocket-protocol']))
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: fauxgate\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
    )
    const send = (text: string) => socket.write(frame(text))
    send(gatewayEvent(gateway, 'branch'))
    send(overviewEvent(gateway))
    send(':')
    socket.once(
      'close',
      subscribeToEvents(gateway, (event, value) => send(eventText(event, value))),
    )
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    end()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, offered, end }
}

/** A text as a WebSocket's server sends it (RFC 6455, 5.2). */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 255])
  return Buffer.concat([payload.length < 126 ? Buffer.from([0x81, payload.length]) : head, payload])
}
