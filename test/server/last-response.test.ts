import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { startCommand } from '../support/command.ts'
import { newFolder } from '../support/folder.ts'
import { openRawPorts, openRawUpstream, visitRaw } from '../support/raw-traffic.ts'
import { serveGateway } from '../support/serve.ts'
import { findServer, waitUntil } from '../support/wire.ts'

/** A server of this package, with a request that it answers in a later turn of the event loop. */
interface Opened {
  readonly port: number
  readonly servername?: string
  readonly request: string
  /** The status of its response. Default: 200. */
  readonly status?: number
}

const openUpstream = () =>
  openRawUpstream((socket) => setImmediate(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')))

async function openPort(kind: 'plain' | 'tls'): Promise<Opened> {
  const { ports } = await openRawPorts((await openUpstream()).url)
  const request = 'GET /a HTTP/1.1\r\nHost: app.example.com\r\n\r\n'
  return { port: ports[kind], request, ...(kind === 'tls' && { servername: 'app.example.com' }) }
}

async function openApi(isTls: boolean): Promise<Opened> {
  const gateway = createGateway({ dialect: ngrok })
  const tls = isTls && { tls: gateway.authority.serverCertificate({ names: ['localhost'] }) }
  const { port, close } = await serve(gateway, { ...tls })
  onTestFinished(close)
  const head = 'POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\nNgrok-Version: 2\r\n'
  // Its body is read first.
  const request = `${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
  return { port, request, status: 201, ...(isTls && { servername: 'localhost' }) }
}

async function openAgent(): Promise<Opened> {
  const { agentUrl = '', close } = await serve(createGateway({ dialect: ngrok }), { agent: 0 })
  onTestFinished(close)
  return { port: Number(new URL(agentUrl).port), request: 'GET /api/tunnels HTTP/1.1\r\nHost: localhost\r\n\r\n' }
}

async function openRecorder(): Promise<Opened> {
  const { url } = await openUpstream()
  const args = ['record', '--to', url, '--out', `${newFolder()}/a.har`]
  const { output, stop } = await startCommand({}, args, ' at http')
  onTestFinished(async () => void (await stop()))
  return {
    port: Number(/(\d+)\n/.exec(output.stdout)?.[1]),
    request: 'GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  }
}

const servers: Readonly<Record<string, () => Promise<Opened>>> = {
  'the port for visitors': () => openPort('plain'),
  'the port for visitors with TLS': () => openPort('tls'),
  'the API': () => openApi(false),
  'the API with TLS': () => openApi(true),
  'the API of the agent': openAgent,
  'fauxgate record': openRecorder,
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

const rows: [name: string, bytes: string, last: number[]][] = [
  ['bytes that are no HTTP', 'garbage\r\n\r\n', [400]],
  ['bytes that are no HTTP, and many more', `garbage\r\n\r\n${'x'.repeat(3_000_000)}`, [400]],
  ['a head that is too long', `GET /a HTTP/1.1\r\nX-A: ${'a'.repeat(2_000_000)}`, [431]],
  ['a body in chunks that are none', 'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', [400]],
  ['two lengths', 'GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', [400]],
]

// rules: answers#no-request
describe.each(Object.entries(servers))('At %s, the owed responses come before the response to', (name, open) => {
  test.each(rows)('%s, which ends the connection', async (_what, bytes, last) => {
    const { port, servername, request, status = 200 } = await open()
    const visitor = await visitRaw(port, request.repeat(3) + bytes, servername)
    expect(statusesIn(await visitor.closed())).toEqual([status, status, status, ...last])
  })

  test('bytes that are no HTTP, of 150 requests', async () => {
    const { port, servername, request, status = 200 } = await open()
    const visitor = await visitRaw(port, `${request.repeat(150)}garbage\r\n\r\n`, servername)
    expect(statusesIn(await visitor.closed())).toEqual([...new Array(150).fill(status), 400])
  })

  test('CONNECT, which ends the connection', async () => {
    const { port, servername, request, status = 200 } = await open()
    const visitor = await visitRaw(
      port,
      `${request.repeat(3)}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nhello`,
      servername,
    )
    const last = name.startsWith('the API') && !name.endsWith('agent') ? 400 : 405
    expect(statusesIn(await visitor.closed())).toEqual([status, status, status, last])
  })

  test('a request that closes the connection, and bytes behind it get none', async () => {
    const { port, servername, request, status = 200 } = await open()
    const closing = request.replace('\r\n', '\r\nConnection: close\r\n')
    const visitor = await visitRaw(port, `${request}${closing}garbage\r\n\r\n`, servername)
    expect(statusesIn(await visitor.closed())).toEqual([status, status])
  })
})

const MUCH = 'x'.repeat(20_000_000)
describe.each(['plain', 'tls'] as const)('The last response at the port %s is not lost by a reset, for', (kind) => {
  test.each([
    ['bytes that are no HTTP', 'garbage\r\n\r\n', 400],
    ['a head that is too long', 'GET /a HTTP/1.1\r\nX-A: ', 431],
    [
      'a request that closes the connection, and whose body nobody reads',
      `POST /a HTTP/1.1\r\nHost: nope.example.com\r\nConnection: close\r\nContent-Length: ${MUCH.length}\r\n\r\n`,
      404,
    ],
  ])('%s', async (_what, head, status) => {
    const { ports } = await openRawPorts('http://127.0.0.1:1')
    const visitor = await visitRaw(ports[kind], head + MUCH, kind === 'tls' ? 'app.example.com' : undefined)
    const [hadError] = await once(visitor.socket, 'close')
    expect([statusesIn(visitor.received()), hadError]).toEqual([[status], false])
  })
})

test.each(['plain', 'tls'] as const)(
  'Bytes that are no HTTP in the body of a request whose response has begun end the connection, at the port %s',
  async (kind) => {
    const upstream = await openRawUpstream(() => undefined)
    upstream.server.on('connection', (socket: Socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome')),
    )
    const { ports } = await openRawPorts(upstream.url)
    const head = 'POST /a HTTP/1.1\r\nHost: app.example.com\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n'
    const visitor = await visitRaw(ports[kind], head, kind === 'tls' ? 'app.example.com' : undefined)
    await visitor.until(/some$/)
    visitor.socket.write('zz\r\n')
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 200 .*some$/s)
    await waitUntil(() => upstream.sockets.size === 0)
  },
)

test.each(['plain', 'tls'] as const)(
  'A visitor who leaves in the middle of a head ends the request before it, at the port %s',
  async (kind) => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const get = 'GET /a HTTP/1.1\r\nHost: app.example.com\r\n'
    const visitor = await visitRaw(ports[kind], `${get}\r\n${get}`, kind === 'tls' ? 'app.example.com' : undefined)
    await waitUntil(() => upstream.requests.length === 1)
    visitor.socket.end()
    expect(await visitor.closed()).toBe('')
    await waitUntil(() => upstream.sockets.size === 0)
  },
)

test.each([
  ['bytes that are no HTTP', 'garbage\r\n\r\n'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
])('A client that does not close its side after the response to %s is disconnected', async (_what, bytes) => {
  const { port } = await serveGateway(createGateway())
  const server = await findServer(port)
  const countOpen = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  const before = await countOpen()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume()
  onTestFinished(() => void socket.destroy())
  socket.write(bytes)
  await once(socket, 'end')
  expect(await countOpen()).toBe(before + 1)
  await waitUntil(async () => (await countOpen()) === before)
})
