import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openRawPorts, openRawUpstream, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const HOST = 'host: app.example.com\r\n'
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
const kinds = ['plain', 'tls'] as const
const nameOf = (kind: (typeof kinds)[number]) => (kind === 'tls' ? 'app.example.com' : undefined)

/** One request of a connection. Its response has its path as the body. */
const get = (path: string, lines = '', body = '') => `GET ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`
const wishing = (path: string, protocol: string, lines = '', body = '') =>
  get(path, `connection: Upgrade\r\nupgrade: ${protocol}\r\n${lines}`, body)
const GET = get('/get')
const H2C = wishing('/h2c', 'h2c')
const WISH_WITH_BODY = wishing('/body', 'websocket', 'content-length: 5\r\n', 'hello')
const WISH = wishing('/wish', 'websocket')
const CONNECT = `CONNECT app.example.com:443 HTTP/1.1\r\n${HOST}\r\n`
const CHUNKS_OF_1_0 = get('/a', 'connection: keep-alive\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n').replace(
  '1.1',
  '1.0',
)
const EXPECT = get('/tea', 'expect: tea\r\n')

/** Answers with the path of each request, in a later turn of the event loop. */
const openUpstream = () =>
  openRawUpstream((socket, { head }) => {
    const [, path = ''] = head.split(' ')
    setImmediate(() => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${path.length + 1}\r\n\r\n${path};`))
  })

/** The responses in a text: those to a GET as their path, all others as their status. */
const responsesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) .*?\r\n\r\n(?:(\/\w+);)?/gs)].map(([, status, path]) => path ?? Number(status))

describe.each(kinds)('Requests of a connection take turns at the port %s (rules: traffic#ports)', (kind) => {
  test.each([
    ['a wish for HTTP/2 behind a request', GET + H2C, ['/get', '/h2c']],
    ['a wish for HTTP/2 between requests, which ends the connection', GET + H2C + GET, ['/get', '/h2c']],
    ['a wish that is ignored, and one that is not', GET + H2C + WISH, ['/get', '/h2c']],
    ['a wish with a body behind a request', GET + WISH_WITH_BODY + WISH, ['/get', '/body']],
    ['a wish behind 150 requests', GET.repeat(150) + WISH, [...new Array(150).fill('/get'), '/wish']],
    ['CONNECT behind 150 requests', GET.repeat(150) + CONNECT, [...new Array(150).fill('/get'), 405]],
    // Node 22 and newer reject it themselves.
    ['no request behind one without a known framing', get('/a', 'transfer-encoding:\r\n') + GET, [expect.any(Number)]],
    ['no request behind chunks of HTTP/1.0', CHUNKS_OF_1_0 + GET, [400]],
    ['a wish behind two requests', GET + GET + WISH, ['/get', '/get', '/wish']],
    ['requests behind a wish, which are bytes of the other protocol', GET + WISH + GET, ['/get', '/wish']],
    ['CONNECT behind a request', GET + CONNECT, ['/get', 405]],
    [
      'CONNECT with a body behind a request',
      GET + CONNECT.replace(HOST, `${HOST}content-length: 3\r\n`),
      ['/get', 405],
    ],
    ['an unknown expectation between requests', GET + EXPECT + GET, ['/get', 417, '/get']],
    ['a wish behind an unknown expectation', GET + EXPECT + WISH, ['/get', 417, '/wish']],
  ])('%s', async (_name, sent, expected) => {
    const upstream = await openUpstream()
    const { ports } = await openRawPorts(upstream.url, {}, { trafficTimeout: '2s' })
    const visitor = await visitRaw(ports[kind], sent, nameOf(kind))
    await waitUntil(() => responsesIn(visitor.received()).length === expected.length)
    const text = await visitor.closed()
    expect(responsesIn(text)).toEqual(expected)
    expect(upstream.requests).toHaveLength(expected.filter((each) => typeof each === 'string').length)
  })

  test.each([
    ['wish', WISH],
    ['CONNECT', CONNECT],
  ])('and a visitor that leaves while its %s waits ends the request before it', async (_what, waiting) => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports[kind], GET + waiting, nameOf(kind))
    await waitUntil(() => upstream.requests.length === 1)
    visitor.socket.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toHaveLength(1)
  })

  test('and a wish whose visitor does not read the response before it ends in silence', async () => {
    const big = 'a'.repeat(30_000_000)
    const upstream = await openRawUpstream(`HTTP/1.1 200 OK\r\ncontent-length: ${big.length}\r\n\r\n${big}`)
    const { ports } = await openRawPorts(upstream.url, {}, { trafficTimeout: '2s' })
    const visitor = await visitRaw(ports[kind], GET + WISH, nameOf(kind))
    visitor.socket.pause()
    await waitUntil(() => upstream.requests.length === 1)
    await waitUntil(() => upstream.sockets.size === 0)
  })
})

// An expression without a value ends in an error before anything of the body is read.
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression
const FAILING = { type: 'redirect', config: { to: "https://example.com${getQueryParam('b')[0]}" } }
const failing = { traffic_policy: JSON.stringify({ on_http_request: [{ actions: [FAILING] }] }) }
const post = (lines: string, body: string) => `POST /a HTTP/1.1\r\n${HOST}${lines}\r\n${body}`

describe.each(kinds)('After a response to an unread body, the port %s (rules: traffic#ports)', (kind) => {
  const rows: [name: string, sent: string, responses: number[]][] = [
    ['with a length', post('content-length: 5\r\n', 'hello'), [500]],
    ['that breaks off', post('content-length: 9\r\n', 'hello'), [500]],
    ['in chunks', post('transfer-encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'), [500]],
    ['in chunks that break off', post('transfer-encoding: chunked\r\n', '5\r\nhello\r\n'), [500]],
    ['that waits to continue', post('expect: 100-continue\r\ncontent-length: 5\r\n', ''), [100, 500]],
    ['with a wish', post('connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 5\r\n', 'hello'), [500]],
    ['with a wish, and breaks off', post('connection: upgrade\r\nupgrade: x\r\ncontent-length: 9\r\n', 'hello'), [500]],
    ['before a request', post('content-length: 5\r\n', 'hello') + GET, [500, 500]],
    ['before a wish', post('content-length: 5\r\n', 'hello') + H2C, [500, 500]],
    ['before bytes that are no HTTP', post('content-length: 5\r\n', 'hello\u0001'), [500]],
  ]
  test.each(rows)('closes the silent connection: a body %s', async (_name, sent, responses) => {
    const { ports } = await openRawPorts('http://127.0.0.1:1', failing, {
      trafficTimeout: kind === 'tls' ? '2s' : '200ms',
    })
    const visitor = await visitRaw(ports[kind], sent, nameOf(kind))
    expect(responsesIn(await visitor.closed()).slice(0, responses.length)).toEqual(responses)
  })

  test.each(rows.filter(([, , [first]]) => first === 500))(
    'closes the connection that its visitor has ended: a body %s',
    async (_name, sent) => {
      const { ports } = await openRawPorts('http://127.0.0.1:1', failing)
      const visitor = await visitRaw(ports[kind], '', nameOf(kind))
      visitor.socket.end(sent, 'latin1')
      await visitor.closed()
    },
  )
})

describe.each(kinds)('A connection that has switched protocols, at the port %s', (kind) => {
  test('ends when its upstream never ends its side', async () => {
    const upstream = await openRawUpstream(SWITCHED)
    upstream.server.on('connection', (socket: Socket) => Object.assign(socket, { allowHalfOpen: true }))
    const { ports } = await openRawPorts(upstream.url, {}, { trafficTimeout: '2s' })
    const visitor = await visitRaw(ports[kind], WISH, nameOf(kind))
    await visitor.until(/^HTTP\/1.1 101 /)
    visitor.socket.end()
    await once(visitor.socket, 'close')
    await waitUntil(() => {
      // It learns of the end only by a write.
      for (const socket of upstream.sockets) socket.write('x')
      return upstream.sockets.size === 0
    })
  })
})
