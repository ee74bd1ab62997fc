import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { constants, gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../support/http2-visitor.ts'
import { openRawPorts, openRawUpstream, openTcpServer, replayNewest, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

type Opened = Awaited<ReturnType<typeof openRawPorts>>

/** A response as a visitor has it when it has ended: its bytes, and whether the connection says that these are all. */
interface Ended {
  readonly status: number
  readonly body: Buffer
  readonly isWhole: boolean
}

interface Visitor {
  /** Resolves once the visitor has received a 103 of the upstream. */
  reached(): Promise<unknown>
  ended(): Promise<Ended>
}

async function visitHttp1(port: number, servername?: string): Promise<Visitor> {
  const sent = 'GET /a HTTP/1.1\r\nhost: app.example.com\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n'
  const visitor = await visitRaw(port, sent, servername)
  return {
    reached: () => visitor.until(/^HTTP\/1.1 103 .*\r\n\r\n/s),
    async ended() {
      const [, status, head = '', rest = ''] =
        /^HTTP\/1.1 103 .*?\r\n\r\nHTTP\/1.1 (\d+) (.*?\r\n)\r\n(.*)$/s.exec(await visitor.closed()) ?? []
      const length = /^content-length: (\d+)\r$/im.exec(head)?.[1]
      const read = length === undefined ? readChunks(rest) : { text: rest, isWhole: rest.length === Number(length) }
      return { status: Number(status), body: Buffer.from(read.text, 'latin1'), isWhole: read.isWhole }
    },
  }
}

function readChunks(chunks: string): { readonly text: string; readonly isWhole: boolean } {
  let text = ''
  for (let rest = chunks; ; ) {
    const [line = '', size = ''] = /^([0-9a-f]+)\r\n/.exec(rest) ?? []
    const length = Number.parseInt(size || '0', 16)
    if (length === 0) return { text, isWhole: rest === '0\r\n\r\n' }
    text += rest.slice(line.length, line.length + length)
    rest = rest.slice(line.length + length + 2)
  }
}

function visitHttp2({ ports, ca }: Opened): Visitor {
  const stream = openSession(ports.tls, ca).request({ ':path': '/a', 'accept-encoding': 'gzip' })
  const parts: Buffer[] = []
  let status = 0
  const reached = once(stream, 'headers')
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream
    .on('response', (headers) => (status = Number(headers[':status'])))
    .on('data', (part) => parts.push(part))
    .on('error', () => undefined)
  return {
    reached: () => reached,
    async ended() {
      await closed
      return { status, body: Buffer.concat(parts), isWhole: stream.rstCode === 0 }
    },
  }
}

const visitors: readonly (readonly [name: string, visit: (opened: Opened) => Visitor | Promise<Visitor>])[] = [
  ['HTTP/1.1', ({ ports }) => visitHttp1(ports.plain)],
  ['HTTP/1.1 with TLS', ({ ports }) => visitHttp1(ports.tls, 'app.example.com')],
  ['HTTP/2', visitHttp2],
]

// The 103 arrives together with the beginning of the body, so that a visitor that has it knows that the port has all of it.
const BEGIN =
  'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: hello\n\n'

const endings: readonly (readonly [name: string, isWhole: boolean, end: (socket: Socket) => unknown])[] = [
  ['resets its connection', false, (socket) => socket.resetAndDestroy()],
  ['is silent', false, () => undefined],
  ['ends its connection', true, (socket) => socket.end()],
]

const policyOf = (phase: string, type: string, config: object) => ({
  traffic_policy: JSON.stringify({ [phase]: [{ actions: [{ type, config }] }] }),
})
const replacements = [{ from: 'hello', to: 'bye', field: 'data' }]
const asText = (body: Buffer) => body.toString()
const unzip = (body: Buffer) => gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString()
const policies: readonly (readonly [name: string, endpoint: object, read: typeof asText, text: string])[] = [
  ['no policy', {}, asText, 'data: hello\n\n'],
  ['compress-response', policyOf('on_http_response', 'compress-response', {}), unzip, 'data: hello\n\n'],
  [
    'sse-find-replace',
    policyOf('on_event_stream_message', 'sse-find-replace', { replacements }),
    asText,
    'data: bye\n\n',
  ],
]

const replaces = policyOf('on_http_response', 'response-body-find-replace', { replacements: [{ from: 'hello' }] })

describe.each(visitors)('A visitor with %s, of an upstream that sends neither length nor chunks', (_name, visit) => {
  describe.each(endings)('and %s (rules: traffic#ports)', (_ending, isWhole, end) => {
    const open = async (endpoint: object) => {
      const upstream = await openRawUpstream(BEGIN)
      const opened = await openRawPorts(upstream.url, { ...endpoint }, { trafficTimeout: '1s' })
      const visitor = await visit(opened)
      await visitor.reached()
      for (const socket of upstream.sockets) end(socket)
      return visitor.ended()
    }

    test.each(policies)(`gets a response that is ${isWhole ? 'whole' : 'broken'}: %s`, async (...row) => {
      const [, endpoint, read, text] = row
      const got = await open(endpoint)
      expect(got.isWhole).toBe(isWhole)
      // The end may come before the last bytes have passed.
      const received = read(got.body)
      expect(received).toBe(isWhole ? text : text.slice(0, received.length))
    })

    test(`gets ${isWhole ? 'it' : '3903'} if a policy has to read the response`, async () => {
      const got = await open(replaces)
      const expected = isWhole ? [200, 'data: \n\n'] : [502, expect.stringMatching(/^ERR_NGROK_3903\n/)]
      expect([got.status, asText(got.body)]).toEqual(expected)
    })
  })
})

/** Returns the bytes of a frame of HTTP/2 (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt16BE((type << 8) | flags, 3)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}
const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4]
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const code = (value: number) => Buffer.from([0, 0, 0, value])

/** Opens a server that answers the first stream of each connection with a 103, a 200 and the beginning of a body. */
function openHttp2Upstream() {
  return openTcpServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('data', (part) => {
      const hadHead = hasHead(received)
      received = Buffer.concat([received, part])
      if (hadHead || !hasHead(received)) return
      const information = Buffer.concat([Buffer.from([8, 3]), Buffer.from('103')])
      const head = [frame(HEADERS, END_HEADERS, 1, information), frame(HEADERS, END_HEADERS, 1, Buffer.from([0x88]))]
      const settings = [frame(SETTINGS, 0, 0), frame(SETTINGS, ACK, 0)]
      socket.write(Buffer.concat([...settings, ...head, frame(DATA, 0, 1, Buffer.from('hello'))]))
    })
  })
}

/** Returns whether bytes of a client have the head of a request. */
function hasHead(bytes: Buffer): boolean {
  for (let at = PREFACE.length; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    if (bytes[at + 3] === HEADERS) return true
  return false
}

describe.each(visitors)('A visitor with %s, of an upstream with HTTP/2', (_name, visit) => {
  test.each<[name: string, isWhole: boolean, end: (socket: Socket) => unknown]>([
    ['resets the stream with CANCEL', false, (socket) => socket.write(frame(RST_STREAM, 0, 1, code(8)))],
    ['resets the stream with INTERNAL_ERROR', false, (socket) => socket.write(frame(RST_STREAM, 0, 1, code(2)))],
    ['ends its connection', false, (socket) => socket.end()],
    ['resets its connection', false, (socket) => socket.resetAndDestroy()],
    ['is silent', false, () => undefined],
    ['ends the stream', true, (socket) => socket.write(frame(DATA, END_STREAM, 1))],
    [
      'ends the stream, and then resets it',
      true,
      (socket) => socket.write(Buffer.concat([frame(DATA, END_STREAM, 1), frame(RST_STREAM, 0, 1, code(0))])),
    ],
  ])('that %s in the middle of a response (rules: traffic#ports)', async (_ending, isWhole, end) => {
    for (const endpoint of [{}, replaces]) {
      const upstream = await openHttp2Upstream()
      const opened = await openRawPorts(
        upstream.url,
        { ...endpoint, upstream_protocol: 'http2' },
        { trafficTimeout: '1s' },
      )
      const visitor = await visit(opened)
      await visitor.reached()
      for (const socket of upstream.sockets) end(socket)
      const got = await visitor.ended()
      const reads = endpoint === replaces
      expect([reads ? got.status : 200, reads || got.isWhole]).toEqual([
        reads && !isWhole ? 502 : 200,
        isWhole || reads,
      ])
    }
  })
})

test('A visitor that resets its stream in the middle of a request has sent no whole one (rules: traffic#ports)', async () => {
  for (const value of [0, 2, 8]) {
    const upstream = await openRawUpstream(() => undefined)
    const { ports, gateway } = await openRawPorts(upstream.url)
    const socket = connect({
      port: ports.tls,
      servername: 'app.example.com',
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    })
    onTestFinished(() => void socket.destroy())
    await once(socket.on('error', () => undefined).resume(), 'secureConnect')
    // POST / with the authority as a literal (RFC 7541, appendix A).
    const head = Buffer.concat([Buffer.from([0x83, 0x84, 0x87, 0x01, 15]), Buffer.from('app.example.com')])
    const parts = [frame(SETTINGS, 0, 0), frame(HEADERS, END_HEADERS, 1, head), frame(DATA, 0, 1, Buffer.from('hello'))]
    socket.write(Buffer.concat([Buffer.from(PREFACE), ...parts]))
    await waitUntil(() => upstream.received().includes('hello'))
    socket.write(frame(RST_STREAM, 0, 1, code(value)))
    await waitUntil(() => upstream.sockets.size === 0)
    expect([value, upstream.requests]).toEqual([value, []])
    expect(await replayNewest(gateway)).toEqual([400, 'The end of its body has not arrived.'])
  }
})
