import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type Server } from 'node:http'
import http2 from 'node:http2'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import tls from 'node:tls'
import { afterEach, describe, expect, it, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const ECHO: RequestListener = (request, response) => {
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.setHeader('x-received', JSON.stringify([request.method, request.url, request.headers]))
  request.pipe(response)
}

async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = http.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // It listens at a port.
}

/** Opens a gateway with an agent at app.example.com that forwards to a server, and with ports for visitors. */
async function open(
  listener: RequestListener = ECHO,
  { daysAgo = 1, ...options }: { readonly traffic_policy?: string; readonly daysAgo?: number } = {},
) {
  const { server, url } = await listen(listener)
  const now = Math.floor(Date.now() / 1000) * 1000
  const gateway = createNgrok({ clock: manualClock(now - daysAgo * 86_400_000) })
  const domain = gateway.reservedDomains.create({ domain: 'app.example.com' })
  const endpoint = { url: 'https://app.example.com', forwards_to: 'http://localhost:3000', ...options }
  gateway.declare.tunnelSession({ endpoints: [endpoint] })
  const config = { traffic: 0, trafficTls: 0, upstreams: [`http://localhost:3000=${url}`] }
  const [plain, secure] = await serveTraffic(gateway, '127.0.0.1', config)
  closing.push(
    () => plain?.close(),
    () => secure?.close(),
  )
  return { gateway, domain, upstream: server, port: plain?.port ?? 0, tlsPort: secure?.port ?? 0 }
}

interface Sent {
  readonly port: number
  readonly path?: string
  readonly method?: string
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function send({ port, host = 'app.localhost', headers, body = '', ...rest }: Sent) {
  const request = http.request({ host: '127.0.0.1', port, headers: { host, ...headers }, agent: false, ...rest })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('A port for visitors (rules: traffic#ports)', () => {
  test.each(['app.example.com', 'app.example.com:8080', 'app.example.com.localhost', 'app.localhost'])(
    'sends a request for %s to the upstream of its endpoint, and the response back',
    async (host) => {
      const { port, gateway } = await open()
      const { status, headers, text } = await send({ port, host, method: 'POST', path: '/a?b=c', body: 'hello' })
      expect([status, text, headers['set-cookie']]).toEqual([200, 'hello', ['a=1', 'b=2']])
      const [method, path, received] = JSON.parse(String(headers['x-received']))
      expect([method, path]).toEqual(['POST', '/a?b=c'])
      expect(received).toMatchObject({
        host: 'app.example.com',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'https',
      })
      expect(gateway.traffic.last()).toMatchObject({
        method: 'POST',
        url: 'https://app.example.com/a?b=c',
        status: 200,
      })
    },
  )

  it('takes the host from X-Fauxgate-Host, which the upstream does not get', async () => {
    const { port } = await open()
    const { headers } = await send({ port, host: 'elsewhere', headers: { 'x-fauxgate-host': 'app.example.com' } })
    expect(JSON.parse(String(headers['x-received']))[2]).not.toHaveProperty('x-fauxgate-host')
  })

  it('has the errors of visitors for a host without an endpoint, and for an upstream that is down', async () => {
    const { port, upstream } = await open()
    expect(await send({ port, host: 'nope.localhost' })).toMatchObject({
      status: 404,
      headers: { 'ngrok-error-code': 'ERR_NGROK_3200' },
    })
    upstream.close()
    upstream.closeAllConnections()
    const down = await send({ port })
    expect([down.status, down.headers['ngrok-error-code']]).toEqual([502, 'ERR_NGROK_8012'])
  })

  it('applies the policy of the endpoint', async () => {
    const rules = [{ actions: [{ type: 'deny', config: { status_code: 418 } }] }]
    const { port } = await open(ECHO, { traffic_policy: JSON.stringify({ on_http_request: rules }) })
    expect((await send({ port })).status).toBe(418)
  })

  it('leaves in the journal what it takes to send a visit again', async () => {
    const { gateway, port } = await open()
    const headers = { 'content-type': 'application/json', 'content-length': '7' }
    await send({ port, method: 'POST', path: '/a', headers, body: '{"a":1}' })
    expect(gateway.traffic.last()).toMatchObject({ number: 1, body: '{"a":1}', from: { ip: '127.0.0.1' }, headers })
    await send({ port, method: 'POST', path: '/a', body: 'of unknown length' })
    expect(gateway.traffic.last()).not.toHaveProperty('body')
  })

  it('keeps its upstreams after a reset', async () => {
    const { port, gateway } = await open()
    gateway.reset()
    gateway.declare.tunnelSession({
      endpoints: [{ url: 'https://app.example.com', forwards_to: 'http://localhost:3000' }],
    })
    expect((await send({ port, method: 'POST', body: 'again' })).text).toBe('again')
  })

  it('passes a body on before it has ended, in both directions', async () => {
    const { port } = await open()
    const headers = { host: 'app.localhost', 'transfer-encoding': 'chunked' }
    const request = http.request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
    request.write('first')
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const [chunk] = await once(response, 'data')
    expect(String(chunk)).toBe('first')
    request.end(' last')
    expect(await textOf(response)).toBe(' last')
  })

  it('passes trailers on, in both directions', async () => {
    const received: unknown[] = []
    const { port } = await open((request, response) => {
      request.resume().on('end', () => {
        received.push(request.trailers)
        response.writeHead(200, { trailer: 'x-sum' })
        response.write('body')
        response.addTrailers({ 'x-sum': 'abc', host: 'evil.example.com', te: 'gzip' })
        response.end()
      })
    })
    const headers = { host: 'app.localhost', 'transfer-encoding': 'chunked', trailer: 'x-count' }
    const request = http.request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
    request.write('body')
    request.addTrailers({ 'x-count': '1' })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(await textOf(response)).toBe('body')
    expect([received, response.trailers]).toEqual([[{ 'x-count': '1' }], { 'x-sum': 'abc' }])
  })

  it('sends no body with the response to HEAD, and the connection can be used again', async () => {
    const { port } = await open((_request, response) => response.setHeader('content-length', '5').end('hello'))
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    closing.push(() => agent.destroy())
    for (const method of ['HEAD', 'GET', 'HEAD']) {
      const request = http.request({ host: '127.0.0.1', port, method, agent, headers: { host: 'app.localhost' } }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      expect([response.headers['content-length'], await textOf(response)]).toEqual([
        '5',
        method === 'GET' ? 'hello' : '',
      ])
    }
  })

  it('ends the request to the upstream if the visitor leaves', async () => {
    const responses: http.ServerResponse[] = []
    const { port } = await open((_request, response) => {
      responses.push(response)
      response.write('a beginning')
    })
    const request = http.get({ host: '127.0.0.1', port, headers: { host: 'app.localhost' }, agent: false })
    request.on('error', () => undefined)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response, 'data')
    const [upstream] = responses
    if (!upstream) throw new Error('The upstream got no request.')
    const closed = once(upstream, 'close')
    request.destroy()
    await closed
    expect(upstream.writableFinished).toBe(false)
  })

  it('joins the connections of a WebSocket', async () => {
    const { port, upstream } = await open()
    upstream.on('upgrade', (request, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\n`,
      )
      socket.pipe(socket)
    })
    const head = 'GET /ws HTTP/1.1\r\nhost: app.localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(head))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 101 .*\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n$/s)
    socket.write('over the wire')
    expect(String((await once(socket, 'data'))[0])).toBe('over the wire')
    socket.destroy()
  })

  it('passes a whole URL by its path, and a GET with its body', async () => {
    const { port } = await open()
    const { headers } = await send({ port, path: 'http://app.localhost/whole?x=1', body: '' })
    expect(JSON.parse(String(headers['x-received'])).slice(0, 2)).toEqual(['GET', '/whole?x=1'])
    const got = await send({ port, headers: { 'content-length': '3' }, body: 'abc' })
    expect([got.status, got.text]).toEqual([200, 'abc'])
  })

  it('passes the response of an upstream that does not switch protocols', async () => {
    const { port } = await open((_request, response) => response.writeHead(426, { upgrade: 'other' }).end('not here'))
    const head = 'GET /ws HTTP/1.1\r\nhost: app.localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(head))
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\n.*not here/s)
  })

  it('refuses to switch protocols where the gateway rejects the request', async () => {
    const { port } = await open()
    const head = 'GET /ws HTTP/1.1\r\nhost: nope.localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(head))
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 404 /)
  })
})

describe('The port with TLS (rules: traffic#ports)', () => {
  const shake = (port: number, servername: string | undefined, ca: string) =>
    new Promise<string>((resolve) => {
      const options = { host: '127.0.0.1', port, ca, checkServerIdentity: () => undefined }
      const socket = tls.connect({ ...options, ...(servername && { servername }) }, () => {
        resolve(socket.getPeerCertificate().serialNumber)
        socket.destroy()
      })
      socket.once('error', (error) => resolve(error.message))
    })

  /** Shakes hands as a client that verifies names, or as one that accepts any certificate. */
  const visitTls = (port: number, servername: string, options: tls.ConnectionOptions) =>
    new Promise<{ readonly error?: string; readonly certificate?: X509Certificate; readonly text?: string }>(
      (resolve) => {
        const socket = tls.connect({ host: '127.0.0.1', port, servername, ...options }, async () => {
          const certificate = socket.getPeerX509Certificate()
          socket.write(`GET /early HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`)
          resolve({ ...(certificate && { certificate }), text: await textOf(socket) })
        })
        socket.once('error', (error) => resolve({ error: String(Object(error).code) }))
      },
    )

  it('presents a default certificate for another name before the first is issued, and while a job fails', async () => {
    const { gateway, tlsPort, port } = await open()
    const ca = gateway.authority.certificatePem
    const cases = [
      ['app.example.com', () => undefined],
      ['app.localhost', () => undefined],
      ['nobody.example.com', () => undefined],
      [
        'app.example.com',
        () => {
          gateway.provisioning.failAlways('DNS_ERROR')
          gateway.clock.advance('1h')
        },
      ],
    ] as const
    for (const [name, before] of cases) {
      before()
      expect(await visitTls(tlsPort, name, { ca })).toEqual({ error: 'ERR_TLS_CERT_ALTNAME_INVALID' })
      const { certificate, text } = await visitTls(tlsPort, name, { ca, checkServerIdentity: () => undefined })
      expect([certificate?.checkHost(name), certificate?.checkHost('any.ngrok.io')]).toEqual([undefined, '*.ngrok.io'])
      expect(text).toMatch(name.startsWith('app') ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 404 .*ERR_NGROK_3200/s)
    }
    // Without TLS, no certificate is missing.
    expect((await send({ port, path: '/plain', host: 'app.example.com' })).status).toBe(200)
    expect(gateway.traffic.last()?.trace.map((each) => 'step' in each && each.step)).not.toContain('certificate')
  })

  it('has the certificate of the domain once it is issued, and after a renewal the next', async () => {
    const { gateway, domain, tlsPort } = await open(ECHO, { daysAgo: 61 })
    const ca = gateway.authority.certificatePem
    const serial = () => {
      const { certificate } = gateway.reservedDomains.get(domain.id)
      return gateway.tlsCertificates.get(String(certificate?.id)).serial_number.toUpperCase()
    }
    gateway.clock.advance('30s')
    const first = serial()
    expect(await shake(tlsPort, 'app.example.com', ca)).toBe(first)
    expect(await shake(tlsPort, 'app.localhost', ca)).toMatch(/^[0-9A-F]+$/)
    gateway.clock.advance('60d')
    gateway.clock.advance('1m')
    expect(serial()).not.toBe(first)
    expect(await shake(tlsPort, 'app.example.com', ca)).toBe(serial())
  })

  it('shows an expired certificate, which clients reject', async () => {
    const { gateway, tlsPort } = await open(ECHO, { daysAgo: 100 })
    gateway.clock.advance('30s')
    const ca = gateway.authority.certificatePem
    expect(await shake(tlsPort, 'app.example.com', ca)).toBe('certificate has expired')
  })

  it("always has a certificate for names below the service's own domains", async () => {
    const { gateway, tlsPort } = await open(ECHO, { daysAgo: 100 })
    const ca = gateway.authority.certificatePem
    expect(await shake(tlsPort, 'app.ngrok-free.app', ca)).toBe('certificate has expired')
    gateway.clock.advance('99d')
    expect(await shake(tlsPort, 'app.ngrok-free.app', ca)).toMatch(/^[0-9A-F]+$/)
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://web.ngrok.app' }] })
    expect(await shake(tlsPort, 'web.localhost', ca)).toMatch(/^[0-9A-F]+$/)
  })

  it('speaks HTTP/2 and HTTP/1.1', async () => {
    const { gateway, tlsPort: port } = await open()
    gateway.clock.advance('30s')
    const session = http2.connect(`https://app.example.com`, {
      createConnection: () =>
        tls.connect({
          host: '127.0.0.1',
          port,
          servername: 'app.example.com',
          ca: gateway.authority.certificatePem,
          ALPNProtocols: ['h2'],
        }),
    })
    const stream = session.request({ ':method': 'POST', ':path': '/two' })
    stream.end('over two')
    const [headers] = await once(stream, 'response')
    expect([headers[':status'], await textOf(stream)]).toEqual([200, 'over two'])
    session.close()
  })

  it.each([
    [{ ALPNProtocols: ['http/1.1', 'h2'] }, 'TLSv1.3 h2'],
    [{ ALPNProtocols: ['http/1.1'], maxVersion: 'TLSv1.2' }, 'TLSv1.2 http/1.1'],
    [
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ],
  ] as const)('prefers HTTP/2, and speaks TLS from 1.2 on: %j is %s', async (offered, expected) => {
    const { tlsPort: port } = await open()
    const found = new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, servername: 'app.example.com', rejectUnauthorized: false }
      const ALPNProtocols = 'ALPNProtocols' in offered ? [...offered.ALPNProtocols] : []
      const socket = tls.connect({ ...options, ...offered, ALPNProtocols }, () => {
        resolve(`${socket.getProtocol()} ${socket.alpnProtocol}`)
        socket.destroy()
      })
      socket.once('error', (error) => resolve(Object(error).code))
    })
    expect(await found).toBe(expected)
  })

  it('answers a client without a server name with 3003', async () => {
    const { tlsPort: port } = await open()
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () =>
      socket.write('GET / HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\n\r\n'),
    )
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 421 .*ERR_NGROK_3003/s)
  })
})

test.each([
  'http://192.0.2.1:80',
  'http://example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
])('An upstream is a server of this machine, and not %s, unless the host is named', async (server) => {
  const upstreams = [`https://app.internal=${server}`]
  const refused = serveTraffic(createNgrok(), '127.0.0.1', { upstreams })
  await expect(refused).rejects.toThrow(/servers on this machine/)
  const { hostname } = new URL(server)
  expect(await serveTraffic(createNgrok(), '127.0.0.1', { upstreams, upstreamHosts: [hostname] })).toEqual([])
})
