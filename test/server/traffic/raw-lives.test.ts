import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openRawPorts, openRawUpstream, replayNewest, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const GET = 'GET /a HTTP/1.1\r\nhost: app.example.com\r\n\r\n'
const kinds = ['plain', 'tls'] as const
const nameOf = (kind: (typeof kinds)[number]) => (kind === 'tls' ? 'app.example.com' : undefined)

describe.each(kinds)('What a visitor opens ends with the visit, at the port %s (rules: traffic#ports)', (kind) => {
  test('also if 100 pipelined requests wait', async () => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports[kind], GET.repeat(100), nameOf(kind))
    await waitUntil(() => upstream.requests.length === 1)
    visitor.socket.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toHaveLength(1)
  })

  // So it is at Go's and at other proxies: a connection that is half closed cannot be told from one that is closed.
  test('also if the visitor ends only its own side', async () => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports[kind], GET, nameOf(kind))
    await waitUntil(() => upstream.requests.length === 1)
    visitor.socket.end()
    expect(await visitor.closed()).toBe('')
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('in the middle of a request', async () => {
    const upstream = await openRawUpstream(OK)
    const { ports, gateway } = await openRawPorts(upstream.url)
    const head = 'POST /a HTTP/1.1\r\nhost: app.example.com\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'
    const visitor = await visitRaw(ports[kind], head, nameOf(kind))
    await waitUntil(() => upstream.received().includes('hello'))
    visitor.socket.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect([upstream.requests, upstream.received().endsWith('5\r\nhello\r\n')]).toEqual([[], true])
    // rules: agent#replays
    expect(await replayNewest(gateway)).toEqual([400, 'The end of its body has not arrived.'])
    const whole = await visitRaw(ports[kind], `${head}0\r\n\r\n`, nameOf(kind))
    await whole.until(/ok$/)
    expect(await replayNewest(gateway)).toEqual([204])
    expect(upstream.requests.map(({ body }) => body)).toEqual(['hello', 'hello'])
  })

  test('in the middle of a response', async () => {
    const upstream = await openRawUpstream('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome')
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports[kind], GET, nameOf(kind))
    await visitor.until(/some$/)
    visitor.socket.destroy()
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('when a policy replaces the response of the upstream', async () => {
    const upstream = await openRawUpstream('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome')
    const rules = [{ actions: [{ type: 'custom-response', config: { status_code: 403, body: 'no' } }] }]
    const policy = { traffic_policy: JSON.stringify({ on_http_response: rules }) }
    const { ports } = await openRawPorts(upstream.url, policy)
    const visitor = await visitRaw(ports[kind], GET, nameOf(kind))
    await visitor.until(/no$/)
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('when the upstream answers before the body has come', async () => {
    const upstream = await openRawUpstream(OK)
    upstream.server.on('connection', (socket: Socket) => socket.once('data', () => socket.write(OK)))
    const { ports } = await openRawPorts(upstream.url)
    const head = 'POST /a HTTP/1.1\r\nhost: app.example.com\r\ncontent-length: 1000\r\n\r\nhello'
    const visitor = await visitRaw(ports[kind], head, nameOf(kind))
    expect(await visitor.until(/ok$/)).toMatch(/^HTTP\/1.1 200 /)
    await waitUntil(() => upstream.sockets.size === 0)
    // The connection of the visitor goes on after the rest of the body.
    visitor.socket.write('x'.repeat(995) + GET)
    await visitor.until(/ok.*ok$/s)
  })

  test('and 300 visitors that leave at any moment leave nothing', async () => {
    const upstream = await openRawUpstream((socket, { body }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      for (let part = 0; part < 3; part++) setImmediate(() => socket.write(`4\r\n${body.slice(0, 4)}\r\n`))
      setImmediate(() => setImmediate(() => socket.write('0\r\n\r\n')))
    })
    const { ports } = await openRawPorts(upstream.url)
    const head = 'POST /a HTTP/1.1\r\nhost: app.example.com\r\ncontent-length: 8\r\n\r\n'
    let left = 0
    for (let visit = 0; visit < 300; visit++) {
      const visitor = await visitRaw(ports[kind], `${head}abcdefgh`.slice(0, 20 + (visit % 70)), nameOf(kind))
      const leave = () => {
        left++
        visitor.socket.destroy()
      }
      if (visit % 3 === 0) leave()
      else if (visit % 3 === 1) setImmediate(leave)
      else setTimeout(leave, visit % 10)
    }
    await waitUntil(() => left === 300)
    // A whole request still passes, and then only its connection waits for the next.
    const visitor = await visitRaw(ports[kind], `${head}12345678`, nameOf(kind))
    await visitor.until(/0\r\n\r\n$/)
    await waitUntil(() => upstream.sockets.size <= 1)
  })
})

describe('Connections to an upstream (rules: traffic#ports)', () => {
  test('that it has just ended lose no GET: 200 of 200 pass', async () => {
    const upstream = await openRawUpstream((socket) => {
      socket.write(OK)
      setImmediate(() => socket.end())
    })
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, '')
    for (let count = 1; count <= 200; count++) {
      visitor.socket.write(GET)
      await waitUntil(() => visitor.received().split('ok').length > count)
      if (count % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(visitor.received().match(/HTTP\/1.1 \d+/g)).toEqual(new Array(200).fill('HTTP/1.1 200'))
  })

  test('are used again, and a response that nobody asked for is never the next one', async () => {
    const upstream = await openRawUpstream((socket, { head }) => {
      socket.write(OK)
      if (head.includes('/evil')) setTimeout(() => socket.write(OK.replace('ok', 'no')), 5)
    })
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, GET + GET)
    await visitor.until(/ok.*ok$/s)
    expect(upstream.sockets.size).toBe(1)
    visitor.socket.write(GET.replace('/a', '/evil'))
    await visitor.until(/ok.*ok.*ok$/s)
    await waitUntil(() => upstream.sockets.size === 0)
    visitor.socket.write(GET)
    expect(await visitor.until(/ok.*ok.*ok.*ok$/s)).not.toContain('no')
  })

  test('are not used again after two responses at once', async () => {
    const upstream = await openRawUpstream(OK + OK.replace('ok', 'no'))
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, GET.repeat(3))
    expect(await visitor.until(/(ok.*){3}$/s)).not.toContain('\r\n\r\nno')
  })

  test('end with the ports', async () => {
    const upstream = await openRawUpstream(OK)
    const { ports, close } = await openRawPorts(upstream.url)
    await (await visitRaw(ports.plain, GET)).until(/ok$/)
    expect(upstream.sockets.size).toBe(1)
    await close()
    await waitUntil(() => upstream.sockets.size === 0)
  })
})

describe.each(kinds)('Silence at the port %s (rules: traffic#ports)', (kind) => {
  const config = { trafficTimeout: '2s' } as const

  test('of an upstream is 504 with 3005, and ends its connection', async () => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url, {}, config)
    const visitor = await visitRaw(ports[kind], GET, nameOf(kind))
    expect(await visitor.until(/\n$/)).toMatch(/^HTTP\/1.1 504 .*ngrok-error-code: ERR_NGROK_3005\r\n/s)
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('of an upstream in the middle of a body ends the connection', async () => {
    const upstream = await openRawUpstream('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello')
    const { ports } = await openRawPorts(upstream.url, {}, config)
    expect(await (await visitRaw(ports[kind], GET, nameOf(kind))).closed()).toMatch(/hello$/)
  })

  test.each([
    ['before a request', ''],
    ['in the middle of a head', 'GET /a HTTP/1.1\r\nhost: app'],
    ['after a response', GET],
  ])('of a visitor %s ends the connection', async (_name, bytes) => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url, {}, config)
    await (await visitRaw(ports[kind], bytes, nameOf(kind))).closed()
  })

  const reads = { type: 'request-body-find-replace', config: { replacements: [{ from: 'a' }] } }
  const policy = { traffic_policy: JSON.stringify({ on_http_request: [{ actions: [reads] }] }) }
  test.each<[name: string, lines: string, body: string, endpoint: object]>([
    ['with a length', 'content-length: 9\r\n', 'hello', {}],
    ['in chunks', 'transfer-encoding: chunked\r\n', '5\r\nhello\r\n', {}],
    ['that has not begun', 'content-length: 9\r\n', '', {}],
    ['that a policy reads', 'content-length: 9\r\n', 'hello', policy],
  ])('of a visitor in the middle of a body is 408, and ends the connection: one %s', async (...row) => {
    const [, lines, body, endpoint] = row
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url, { ...endpoint }, config)
    const sent = `POST /a HTTP/1.1\r\nhost: app.example.com\r\n${lines}\r\n${body}`
    const text = await (await visitRaw(ports[kind], sent, nameOf(kind))).closed()
    expect(text).toMatch(/^HTTP\/1.1 408 .*connection: close\r\n.*No more of the body arrived within 2 s/is)
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toEqual([])
  })

  test('of an upstream that reads no more of an upload is 504 with 3005', async () => {
    const upstream = await openRawUpstream(OK)
    upstream.server.on('connection', (socket: Socket) => socket.pause())
    const { ports } = await openRawPorts(upstream.url, {}, config)
    const big = 20_000_000
    const sent = `POST /a HTTP/1.1\r\nhost: app.example.com\r\ncontent-length: ${big}\r\n\r\n${'a'.repeat(big)}`
    const visitor = await visitRaw(ports[kind], sent, nameOf(kind))
    expect(await visitor.until(/\n$/)).toMatch(/^HTTP\/1.1 504 .*ngrok-error-code: ERR_NGROK_3005\r\n/s)
    // A connection that is not read does not notice its end.
    for (const socket of upstream.sockets) socket.resume()
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('of a visitor that has its response, but never ends its body, ends the connection', async () => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url, {}, config)
    const head = 'POST /a HTTP/1.1\r\nhost: nope.example.com\r\ncontent-length: 9\r\n\r\n'
    const visitor = await visitRaw(ports.plain, head)
    await visitor.until(/ERR_NGROK_3200/)
    visitor.socket.write('hello')
    await visitor.closed()
  })

  test('of both sides of a WebSocket ends it', async () => {
    const switched = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
    const upstream = await openRawUpstream(switched)
    const { ports } = await openRawPorts(upstream.url, {}, config)
    const wish = GET.replace('\r\n\r\n', '\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n')
    expect(await (await visitRaw(ports[kind], wish, nameOf(kind))).closed()).toMatch(/^HTTP\/1.1 101 /)
    await waitUntil(() => upstream.sockets.size === 0)
  })
})

test('A handshake that does not end closes the connection', async () => {
  const { ports } = await openRawPorts('http://127.0.0.1:1', {}, { trafficTimeout: '200ms' })
  const socket = connect(ports.tls, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'close')
})
