import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createNgrok, type Ngrok } from '../../src/gateway/ngrok.ts'
import type { Config } from '../../src/generated/options.ts'
import { manualClock } from '../../src/index.ts'
import { serveTraffic } from '../../src/server/traffic/serve-traffic.ts'

/** A request as a strict reader of HTTP/1.1 finds it in the bytes of a connection. */
export interface ReadRequest {
  readonly head: string
  readonly body: string
}

/** Reads the requests that are complete in a text. Returns the rest, too. */
export function readRequests(text: string): { requests: ReadRequest[]; rest: string } {
  const requests: ReadRequest[] = []
  let rest = text
  for (;;) {
    const [, head = '', after = ''] = /^(.*?\r\n)\r\n(.*)$/s.exec(rest) ?? []
    if (head === '') return { requests, rest }
    const length = /^content-length: (\d+)\r$/im.exec(head)?.[1]
    const body = /^transfer-encoding: chunked\r$/im.test(head)
      ? readChunks(after)
      : readLength(after, Number(length ?? 0))
    if (!body) return { requests, rest }
    requests.push({ head, body: body.text })
    rest = body.rest
  }
}

function readLength(text: string, length: number) {
  return text.length < length ? undefined : { text: text.slice(0, length), rest: text.slice(length) }
}

function readChunks(text: string): { text: string; rest: string } | undefined {
  let body = ''
  for (let rest = text; ; ) {
    const [line = '', size = ''] = /^([0-9a-f]+)[^\r]*\r\n/i.exec(rest) ?? []
    if (line === '') return undefined
    const length = Number.parseInt(size, 16)
    if (length === 0) {
      const trailers = /^([^\r]+\r\n)*\r\n/.exec(rest.slice(line.length))
      return trailers ? { text: body, rest: rest.slice(line.length + trailers[0].length) } : undefined
    }
    if (rest.length < line.length + length + 2) return undefined
    body += rest.slice(line.length, line.length + length)
    rest = rest.slice(line.length + length + 2)
  }
}

/** The response of an upstream to a request: bytes, or a function that gets the connection. */
export type RawAnswer = string | ((socket: Socket, request: ReadRequest) => void)

/** Opens a server of TCP that ends with the test. */
export async function openTcpServer(serve: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    serve(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo // It listens at a port.
  return { url: `http://127.0.0.1:${port}`, sockets, server }
}

/** An upstream that reads requests strictly, and answers each with bytes. */
export async function openRawUpstream(answer: RawAnswer) {
  const requests: ReadRequest[] = []
  let bytes = ''
  const opened = await openTcpServer((socket) => {
    let rest = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      bytes += part
      const read = readRequests(rest + part)
      rest = read.rest
      for (const request of read.requests) {
        requests.push(request)
        if (typeof answer === 'function') answer(socket, request)
        else socket.write(answer, 'latin1')
      }
    })
  })
  return { ...opened, requests, received: () => bytes }
}

type Endpoint = Readonly<Record<string, unknown>>

/** Opens the ports of a gateway with an agent at app.example.com that forwards to a server. */
export async function openRawPorts(upstream: string, endpoint: Endpoint = {}, config: Config = {}) {
  const now = Math.floor(Date.now() / 1000) * 1000
  const gateway = createNgrok({ clock: manualClock(now - 86_400_000) })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const forwarded = { url: 'https://app.example.com', forwards_to: 'http://localhost:3000', ...endpoint }
  gateway.declare.tunnelSession({ endpoints: [forwarded] })
  gateway.clock.advance('30s')
  const upstreams = [`http://localhost:3000=${upstream}`]
  const ports = await serveTraffic(gateway, '127.0.0.1', { traffic: 0, trafficTls: 0, upstreams, ...config })
  const close = async () => void (await Promise.all(ports.map((each) => each.close())))
  onTestFinished(close)
  const [plain = 0, tls = 0] = ports.map(({ port }) => port)
  return { gateway, close, ports: { plain, tls }, ca: gateway.authority.certificatePem }
}

/** Lets the agent of a gateway send its newest request again. Returns the status, and the reason if it did not. */
export async function replayNewest({ agent }: Pick<Ngrok, 'agent'>): Promise<[status: number, reason?: string]> {
  const ask = async (init?: RequestInit) => agent.fetch('http://127.0.0.1:4040/api/requests/http', init)
  const { requests } = await (await ask()).json()
  const response = await ask({ method: 'POST', body: JSON.stringify({ id: requests[0].id }) })
  return response.ok ? [response.status] : [response.status, (await response.json()).details.err]
}

/** A connection of a visitor that sends bytes unchanged. */
export interface RawVisitor {
  readonly socket: Socket
  /** Returns the received bytes as Latin-1. */
  received(): string
  /** Resolves with the received text once it matches. Rejects if the connection ends earlier. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with the received text once the other side has closed the connection. */
  closed(): Promise<string>
}

/** Connects a visitor to a port of this machine, with TLS if `servername` is set. */
export async function visitRaw(port: number, bytes: string | Buffer, servername?: string): Promise<RawVisitor> {
  const place = { port, host: '127.0.0.1' }
  const socket = servername
    ? connectTls({ ...place, servername, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    : connectTcp(place)
  onTestFinished(() => void socket.destroy())
  let text = ''
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))
  socket.setEncoding('latin1').on('data', (part) => {
    text += part
  })
  await Promise.race([once(socket, servername ? 'secureConnect' : 'connect'), closed])
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return {
    socket,
    received: () => text,
    async until(pattern) {
      while (!pattern.test(text)) {
        const ended = closed.then(() => {
          if (!pattern.test(text)) throw new Error(`The connection ended before ${pattern} came. It brought: ${text}`)
        })
        await Promise.race([once(socket, 'data'), ended])
      }
      return text
    },
    async closed() {
      await closed
      return text
    },
  }
}
