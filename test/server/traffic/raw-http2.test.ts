import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession, send } from '../../support/http2-visitor.ts'
import { openRawPorts, openRawUpstream, type RawAnswer, replayNewest, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

async function open(answer: RawAnswer, options?: http2.ClientSessionOptions) {
  const upstream = await openRawUpstream(answer)
  const opened = await openRawPorts(upstream.url)
  return { upstream, ...opened, session: openSession(opened.ports.tls, opened.ca, options) }
}

describe('A visitor that speaks HTTP/2 (rules: traffic#ports)', () => {
  test.each(['DELETE', 'OPTIONS', 'GET', 'PUT', 'PROPFIND'])('has its body of %s framed', async (method) => {
    const { upstream, session } = await open(OK)
    const body = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
    expect(await send(session, { ':method': method }, body)).toMatchObject({ status: 200, text: 'ok' })
    expect(await send(session, { ':method': method, 'content-length': body.length }, body)).toMatchObject({
      status: 200,
    })
    expect(upstream.requests.map(({ head, body }) => [head.split(' ')[0], body])).toEqual([
      [method, body],
      [method, body],
    ])
    expect(upstream.requests[0]?.head).toMatch(/^transfer-encoding: chunked\r$/m)
    expect(upstream.requests[1]?.head).toMatch(new RegExp(`^content-length: ${body.length}\r$`, 'm'))
  })

  // rules: agent#replays
  test('and leaves midway has sent no whole request, which the agent does not replay', async () => {
    const { upstream, session, gateway, ports, ca } = await open(OK)
    const socket = connect({
      host: '127.0.0.1',
      port: ports.tls,
      servername: 'app.example.com',
      ca,
      ALPNProtocols: ['h2'],
    })
    // Node ends a stream before it resets it, so the connection breaks off.
    const leaving = openSession(ports.tls, ca, { createConnection: () => socket })
    const stream = leaving.request({ ':path': '/a', ':method': 'POST' }).on('error', () => undefined)
    stream.write('hello')
    await waitUntil(() => upstream.received().includes('hello'))
    socket.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(await replayNewest(gateway)).toEqual([400, 'The end of its body has not arrived.'])
    await send(session, { ':method': 'POST' }, 'hello')
    expect(await replayNewest(gateway)).toEqual([204])
    expect(upstream.requests.map(({ body }) => body)).toEqual(['hello', 'hello'])
  })

  test('gets no response of an endpoint if its authority is too long', async () => {
    const { upstream, session } = await open(OK)
    const answer = await send(session, { ':authority': `${'a.'.repeat(500)}com` })
    expect(answer).toMatchObject({ status: 400, text: expect.stringMatching(/^The host is "(a\.){39}a.*Allowed: /) })
    expect(upstream.requests).toEqual([])
  })

  // HPACK cannot compress these characters.
  const long = (length: number) => '{}|~'.repeat(length / 4)
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, `${index}${long(1024)}`]))
  test.each([
    ['a field of 65,536 bytes', { 'x-a': long(65_536) }, { status: 200 }],
    ['a field of 65,540 bytes', { 'x-a': long(65_540) }, { status: undefined, code: 9 }],
    ['a path of 100 kB that HPACK compresses', { ':path': `/${'a'.repeat(100_000)}` }, { status: 200 }],
    ['140 fields of 1 kB', fields(140), { status: 200 }],
    ['150 fields of 1 kB', fields(150), { status: undefined, code: 2 }],
  ])('has heads up to the limits of Node: %s (docs/limits.md)', async (_name, headers, expected) => {
    const { session } = await open(OK, { maxSendHeaderBlockLength: 1_000_000 })
    expect(await send(session, headers)).toMatchObject(expected)
  })

  test('has at most 250 requests at once (SECURITY.md)', async () => {
    const waiting: Socket[] = []
    const { session, upstream } = await open((socket) => waiting.push(socket))
    await once(session, 'remoteSettings')
    for (let count = 0; count < 251; count++) session.request({ ':path': '/a' }).on('error', () => undefined)
    await waitUntil(() => upstream.requests.length >= 250)
    expect([session.remoteSettings.maxConcurrentStreams, upstream.requests.length]).toEqual([250, 250])
    waiting[0]?.write(OK)
    await waitUntil(() => upstream.requests.length === 251)
  })

  test('cannot send more or less than it says', async () => {
    const { upstream, ports, ca } = await open(OK)
    for (const length of [2, 9]) {
      // Some versions of Node end the session, too. Node 24 and newer name another error.
      const session = openSession(ports.tls, ca)
      expect([1, 2]).toContain((await send(session, { ':method': 'POST', 'content-length': length }, 'hello')).code)
    }
    expect(await send(openSession(ports.tls, ca), {})).toMatchObject({ status: 200 })
    // A connection whose request has ended before it was sent waits for the next one.
    await waitUntil(() => upstream.sockets.size <= 1)
    expect(upstream.requests.map(({ head }) => head.split(' ')[0])).toEqual(['GET'])
  })

  test.each([
    ['204 with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n', { status: 204, text: '', code: 0 }],
    ['205 with a length', 'HTTP/1.1 205 Reset\r\ncontent-length: 2\r\n\r\nok', { status: 205, text: '', code: 0 }],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', { status: 304, text: '', code: 0 }],
    ['600', 'HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n', { status: 502, code: 0 }],
    [
      'headers of its connection',
      OK.replace('\r\n\r\n', '\r\nconnection: x-a\r\nx-a: 1\r\nkeep-alive: timeout=1\r\n\r\n'),
      { status: 200, text: 'ok', code: 0 },
    ],
    [
      'two cookies',
      OK.replace('\r\n\r\n', '\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n'),
      { status: 200, headers: { 'set-cookie': ['a=1', 'b=2'] } },
    ],
    ['103', `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`, { status: 200, informed: [103], text: 'ok' }],
    [
      'trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-sum: 1\r\nngrok-error-code: x\r\n\r\n',
      { status: 200, text: 'ok', trailers: { 'x-sum': '1' } },
    ],
  ])('gets the response of an upstream with %s', async (_name, answer, expected) => {
    const { session } = await open(answer)
    const got = await send(session, {})
    expect(got).toMatchObject(expected)
    expect(Object.keys({ ...got.headers, ...got.trailers })).not.toContain('x-a')
    if (got.status !== 502) expect(got.trailers).not.toHaveProperty('ngrok-error-code')
    expect(await send(session, { ':path': '/again' })).toMatchObject({ code: 0 })
  })

  test('gets no length with a 103 (RFC 9110, section 8.6)', async () => {
    const { session } = await open(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\ncontent-length: 5\r\n\r\n${OK}`)
    const [hints] = await once(session.request({ ':path': '/a' }), 'headers')
    expect(Object.keys(hints)).toEqual([':status', 'link'])
  })

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nok'],
  ])('gets a reset if the upstream ends in the middle of %s', async (_name, answer) => {
    const { session } = await open((socket) => socket.end(answer))
    expect(await send(session, {})).toMatchObject({ status: 200, code: http2.constants.NGHTTP2_INTERNAL_ERROR })
  })

  test('ends its request at the upstream when it resets a stream, and the others of its connection go on', async () => {
    const { upstream, session } = await open((socket, { head }) => head.startsWith('GET /b') && socket.write(OK))
    const stream = session.request({ ':path': '/a' }).on('error', () => undefined)
    await waitUntil(() => upstream.requests.length === 1)
    stream.close(http2.constants.NGHTTP2_CANCEL)
    expect(await send(session, { ':path': '/b' })).toMatchObject({ text: 'ok' })
    await waitUntil(() => upstream.sockets.size === 1)
  })

  test('ends its requests when it leaves', async () => {
    const { upstream, session } = await open(() => undefined)
    for (let count = 0; count < 20; count++) session.request({ ':path': '/a' }).on('error', () => undefined)
    await waitUntil(() => upstream.requests.length === 20)
    session.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('that has reset its stream gets no 103, whose upstream sends one at this moment', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    const { upstream, session } = await open((socket) => {
      for (let count = 0; count < 20; count++) setTimeout(() => socket.writable && socket.write(hint), count % 4)
    })
    for (let count = 0; count < 60; count++) {
      const stream = session.request({ ':path': '/a' }).on('error', () => undefined)
      stream.once('headers', () => stream.close(http2.constants.NGHTTP2_CANCEL))
      await new Promise((resolve) => stream.once('close', resolve))
    }
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('has the head of its request at the upstream before the body', async () => {
    const { upstream, session } = await open(OK)
    const stream = session.request({ ':path': '/a', ':method': 'POST' })
    await waitUntil(() => /^POST \/a HTTP\/1.1\r\n.*\r\n\r\n$/s.test(upstream.received()))
    stream.end('hello')
    const [headers] = await once(stream, 'response')
    expect([headers[':status'], upstream.requests[0]?.body]).toEqual([200, 'hello'])
  })

  test('gets each response at its own request', async () => {
    const { session } = await open((socket, { head }) => {
      const [, path = ''] = /^GET (\S+)/.exec(head) ?? []
      setTimeout(
        () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${path.length}\r\n\r\n${path}`),
        (path.length * 7) % 5,
      )
    })
    const paths = Array.from({ length: 50 }, (_, index) => `/${'x'.repeat(index % 9)}${index}`)
    const answers = await Promise.all(paths.map((path) => send(session, { ':path': path })))
    expect(answers.map(({ text }) => text)).toEqual(paths)
  })

  test('may send and get a head of 50 kB', async () => {
    const big = 'a'.repeat(50_000)
    const answer = `HTTP/1.1 200 OK\r\nx-big: ${big}\r\ncontent-length: 2\r\n\r\nok`
    const { upstream, session } = await open(answer, { settings: { maxHeaderListSize: 1_000_000 } })
    expect((await send(session, { 'x-big': big })).headers['x-big']).toHaveLength(50_000)
    expect(upstream.requests[0]?.head).toContain(big)
  })

  test('passes a path with dots, an empty query and cookies in parts', async () => {
    const { upstream, session } = await open(OK)
    await send(session, { ':path': '/x/../%2e/b?', cookie: ['a=1', 'b=2'] })
    expect(upstream.requests[0]?.head).toMatch(/^GET \/x\/\.\.\/%2e\/b\? HTTP\/1.1\r\n.*^cookie: a=1; b=2\r$/ms)
  })

  test('gets 408 if it is silent in the middle of a body, and its stream ends', async () => {
    const upstream = await openRawUpstream(OK)
    const { ports, ca } = await openRawPorts(upstream.url, {}, { trafficTimeout: '1s' })
    const stream = openSession(ports.tls, ca).request({ ':path': '/a', ':method': 'POST' })
    stream.write('hello')
    const [headers] = await once(stream.resume(), 'response')
    await once(stream, 'close')
    expect([headers[':status'], stream.rstCode]).toEqual([408, 0])
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toEqual([])
  })

  test('gets 504 if its upstream reads no more of an upload', async () => {
    const upstream = await openRawUpstream(OK)
    upstream.server.on('connection', (socket: Socket) => socket.pause())
    const { ports, ca } = await openRawPorts(upstream.url, {}, { trafficTimeout: '1s' })
    const session = openSession(ports.tls, ca, { maxSessionMemory: 100 })
    const answer = await send(session, { ':method': 'POST' }, 'a'.repeat(20_000_000))
    expect(answer).toMatchObject({ status: 504, headers: { 'ngrok-error-code': 'ERR_NGROK_3005' } })
  })

  test('is disconnected if it is silent, also in the middle of a request that has its response', async () => {
    const upstream = await openRawUpstream(OK)
    const rules = [{ actions: [{ type: 'deny', config: {} }] }]
    const policy = { traffic_policy: JSON.stringify({ on_http_request: rules }) }
    const { ports, ca } = await openRawPorts(upstream.url, policy, { trafficTimeout: '2s' })
    const session = openSession(ports.tls, ca)
    const stream = session.request({ ':method': 'POST', ':path': '/a' }, { endStream: false })
    await once(
      stream.on('error', () => undefined),
      'response',
    )
    await once(session, 'close')
  })

  test.each<[string, http2.OutgoingHttpHeaders, number]>([
    ['a method in lower case', { ':method': 'delete' }, 501],
    ['a path with a fragment', { ':path': '/x#/admin' }, 400],
    ['a path outside ASCII', { ':path': '/\u00e9' }, 400],
    ['a Host that is not its authority', { ':authority': 'app.example.com', host: 'other.example.com' }, 400],
  ])('is rejected: %s (RFC 9110, section 9.1; RFC 9113, section 8.3.1)', async (_, headers, status) => {
    const upstream = await openRawUpstream(OK)
    const { ports, ca } = await openRawPorts(upstream.url)
    expect(await send(openSession(ports.tls, ca), headers)).toMatchObject({ status })
    expect(upstream.requests).toHaveLength(0)
  })

  test.each(['age', 'date', 'etag', 'location', 'content-encoding', 'content-type', 'retry-after'])(
    'gets an error for a response with two fields %s, which HTTP/2 has once, and then other responses',
    async (name) => {
      const two = `${name}: 1\r\n${name}: 2\r\n`
      const upstream = await openRawUpstream((socket, { head }) => {
        if (head.startsWith('GET /b ')) socket.write(OK)
        else socket.write(`HTTP/1.1 103 E\r\n${two}\r\nHTTP/1.1 200 OK\r\n${two}content-length: 2\r\n\r\nok`)
      })
      const { ports, ca } = await openRawPorts(upstream.url)
      const session = openSession(ports.tls, ca)
      expect(await send(session, {})).toMatchObject({ status: 500, text: expect.stringContaining('3007') })
      expect(await send(session, { ':path': '/b' })).toMatchObject({ status: 200, text: 'ok' })
    },
  )

  test('gets 405 for CONNECT', async () => {
    const { session } = await open(OK)
    const stream = session
      .request({ ':method': 'CONNECT', ':authority': 'app.example.com' })
      .on('error', () => undefined)
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(405)
  })
})

describe('An agent with `upstream_protocol: http2` (rules: traffic#ports)', () => {
  async function openHttp2(onStream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void) {
    const server = http2.createServer().listen(0, '127.0.0.1')
    server.on('stream', (stream, headers) =>
      onStream(
        stream.on('error', () => undefined),
        headers,
      ),
    )
    const sessions = new Set<http2.ServerHttp2Session>()
    server.on('session', (session) => sessions.add(session))
    await once(server, 'listening')
    onTestFinished(() => {
      for (const session of sessions) session.destroy()
      server.close()
    })
    const { port } = server.address() as AddressInfo // It listens at a port.
    const opened = await openRawPorts(
      `http://127.0.0.1:${port}`,
      { upstream_protocol: 'http2' },
      { trafficTimeout: '2s' },
    )
    return { ...opened, session: openSession(opened.ports.tls, opened.ca) }
  }

  test('speaks HTTP/2 with prior knowledge, with bodies and trailers in both directions', async () => {
    const seen: unknown[] = []
    const { session, ports } = await openHttp2((stream, headers) => {
      seen.push([headers[':method'], headers[':path'], headers[':authority'], headers.te])
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.pipe(stream)
    })
    const got = await send(session, { ':method': 'POST', ':path': '/x/../pkg.Service/Call' }, 'message')
    expect(got).toMatchObject({ status: 200, text: 'message', trailers: { 'grpc-status': '0' }, code: 0 })
    const text = await (
      await visitRaw(ports.plain, 'DELETE /a HTTP/1.1\r\nhost: app.example.com\r\ncontent-length: 2\r\n\r\nhi')
    ).until(/0\r\ngrpc-status: 0\r\n\r\n$/)
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n2\r\nhi\r\n/s)
    expect(seen).toEqual([
      ['POST', '/x/../pkg.Service/Call', 'app.example.com', 'trailers'],
      ['DELETE', '/a', 'app.example.com', 'trailers'],
    ])
  })

  test('has the errors of visitors for an upstream that resets, is silent or is none', async () => {
    const { session } = await openHttp2((stream, headers) => {
      if (headers[':path'] === '/reset') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    })
    expect(await send(session, { ':path': '/reset' })).toMatchObject({
      status: 502,
      headers: { 'ngrok-error-code': 'ERR_NGROK_3004' },
    })
    expect(await send(session, { ':path': '/silent' })).toMatchObject({
      status: 504,
      headers: { 'ngrok-error-code': 'ERR_NGROK_3005' },
    })
    const plain = await openRawUpstream('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
    const { ports } = await openRawPorts(plain.url, { upstream_protocol: 'http2' })
    const get = 'GET /a HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\n\r\n'
    expect(await (await visitRaw(ports.plain, get)).closed()).toMatch(/^HTTP\/1.1 502 .*ERR_NGROK_3004/s)
    const { ports: down } = await openRawPorts('http://127.0.0.1:1', { upstream_protocol: 'http2' })
    expect(await (await visitRaw(down.plain, get)).closed()).toMatch(/^HTTP\/1.1 502 .*ERR_NGROK_8012/s)
  })

  test('tells who is silent in the middle of a body: the visitor, or an upstream that reads no more', async () => {
    const { session } = await openHttp2(() => undefined)
    const stream = session.request({ ':path': '/a', ':method': 'POST' })
    stream.write('hello')
    const [headers] = await once(stream.resume(), 'response')
    expect(headers[':status']).toBe(408)
    const { ports, ca } = await openHttp2(() => undefined)
    const uploading = openSession(ports.tls, ca, { maxSessionMemory: 100 })
    const answer = await send(uploading, { ':method': 'POST' }, 'a'.repeat(20_000_000))
    expect(answer).toMatchObject({ status: 504, headers: { 'ngrok-error-code': 'ERR_NGROK_3005' } })
  })

  test('ends the stream when the visitor leaves', async () => {
    const streams: http2.ServerHttp2Stream[] = []
    const { ports } = await openHttp2((stream) => void streams.push(stream))
    const visitor = await visitRaw(ports.plain, 'GET /a HTTP/1.1\r\nhost: app.example.com\r\n\r\n')
    await waitUntil(() => streams.length === 1)
    visitor.socket.destroy()
    await waitUntil(() => streams[0]?.closed === true)
  })
})
