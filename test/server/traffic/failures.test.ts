import { once } from 'node:events'
import http2 from 'node:http2'
import { connect } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import type { LoggedRequest } from '../../../src/server/log/log.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'
import { openRawPorts, openRawUpstream, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const HOST = 'host: app.example.com\r\n'
const GET = `GET /a HTTP/1.1\r\n${HOST}\r\n`
const WISH = `GET /wish HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: websocket\r\n\r\n`
const CONNECT = `CONNECT app.example.com:443 HTTP/1.1\r\n${HOST}\r\n`
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
const kinds = ['plain', 'tls'] as const
const nameOf = (kind: (typeof kinds)[number]) => (kind === 'tls' ? 'app.example.com' : undefined)

const policyOf = (type: string, config: object = {}) => ({
  traffic_policy: JSON.stringify({ on_http_request: [{ actions: [{ type, config }] }] }),
})

/** Opens a session of HTTP/2 at the port with TLS. */
async function openSession(upstream: string, endpoint: object = {}) {
  const { ports, ca } = await openRawPorts(upstream, { ...endpoint })
  const place = { host: '127.0.0.1', port: ports.tls, servername: 'app.example.com', ca, ALPNProtocols: ['h2'] }
  const session = http2.connect('https://app.example.com', { createConnection: () => connect(place) })
  onTestFinished(() => session.destroy())
  return session
}

/** Collects what would end the process, until the test has finished. */
function collectUncaught(): unknown[] {
  const uncaught: unknown[] = []
  const collect = (error: unknown) => void uncaught.push(error)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, collect)
    onTestFinished(() => void process.off(event, collect))
  }
  return uncaught
}

test('A visitor that sends early bytes and leaves ends its wish to switch (rules: traffic#ports)', async () => {
  const upstream = await openRawUpstream(() => undefined)
  const { ports } = await openRawPorts(upstream.url)
  const visitor = await visitRaw(ports.plain, WISH)
  await waitUntil(() => upstream.requests.length === 1)
  visitor.socket.end('early bytes')
  await waitUntil(() => upstream.sockets.size === 0)
  expect(await visitor.closed()).toBe('')
})

describe('A visitor that resets its connection ends its own requests, and nothing else (rules: traffic#ports):', () => {
  test.each([
    ['in a request', GET, 1],
    ['while its wish to switch waits for another request', GET + WISH, 1],
    ['while CONNECT waits for another request', GET + CONNECT, 1],
    ['while an upstream decides about its wish', WISH, 1],
    ['in a body', `POST /a HTTP/1.1\r\n${HOST}content-length: 9\r\n\r\nhello`, 1],
  ])('%s', async (_when, sent) => {
    const uncaught = collectUncaught()
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, sent)
    await waitUntil(() => upstream.received().includes('HTTP/1.1'))
    visitor.socket.resetAndDestroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(uncaught).toEqual([])
  })

  test('after it has switched protocols', async () => {
    const uncaught = collectUncaught()
    const upstream = await openRawUpstream(SWITCHED)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, WISH)
    await visitor.until(/^HTTP\/1.1 101 .*\r\n\r\n/s)
    visitor.socket.resetAndDestroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(uncaught).toEqual([])
  })
})

describe('A policy that closes the connection (rules: traffic#ports)', () => {
  test.each(kinds)('ends that of its visitor without a response, at the port %s', async (kind) => {
    const print = vi.spyOn(console, 'error')
    onTestFinished(() => print.mockRestore())
    const { ports } = await openRawPorts('http://127.0.0.1:1', policyOf('close-connection'))
    expect(await (await visitRaw(ports[kind], GET, nameOf(kind))).closed()).toBe('')
    expect(print).not.toHaveBeenCalled()
  })

  test('resets the stream of HTTP/2', async () => {
    const session = await openSession('http://127.0.0.1:1', policyOf('close-connection'))
    const stream = session.request({ ':path': '/a' })
    const [error] = await once(stream, 'error').catch((thrown) => [thrown])
    expect(String(error)).toContain('ERR_HTTP2_STREAM_ERROR')
  })
})

test('A fact that a policy needs and nobody gave is 501, in words (rules: traffic#ports)', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression
  const policy = policyOf('log', { metadata: { a: '${conn.geo.city}' } })
  const { ports } = await openRawPorts('http://127.0.0.1:1', policy)
  const text = await (await visitRaw(ports.plain, GET)).until(/\r\n\r\n.*\n/s)
  expect(text).toMatch(
    /^HTTP\/1\.1 501 .*\r\n\r\n.*The policy reads conn\.geo\.city, which only the real service knows/s,
  )
})

test('A failure that nobody expects is 500 with 3007, and is printed once (rules: traffic#ports)', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => print.mockRestore())
  const fail = () => {
    throw new Error('planted')
  }
  const [port] = await serveTraffic(createNgrok(), '127.0.0.1', { traffic: 0 }, 'upstreams', fail)
  onTestFinished(() => port?.close())
  const visitor = await visitRaw(port?.port ?? 0, GET + GET)
  const text = await visitor.until(/3007\n.*3007\n/s)
  expect(text).toMatch(
    /^HTTP\/1\.1 500 .*^ngrok-error-code: ERR_NGROK_3007\r$.*\r\n\r\nERR_NGROK_3007\nThe gateway failed\./ims,
  )
  expect(print.mock.calls.map(([error]) => String(error).split('\n')[0])).toEqual(['Error: planted', 'Error: planted'])
})

describe('The certificates of the port with TLS (rules: traffic#ports)', () => {
  const shake = async (port: number, servername: string) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate().serialNumber
  }

  test('are made once for each name, and once a day below a domain of the service', async () => {
    const { ports, gateway } = await openRawPorts('http://127.0.0.1:1')
    const issue = vi.spyOn(gateway.authority, 'serverCertificate')
    const read = vi.spyOn(gateway.authority, 'privateKeyPem')
    onTestFinished(() => void [issue, read].map((each) => each.mockRestore()))
    const names = ['app.example.com', 'APP.example.com', 'app.localhost', 'web.ngrok.app']
    for (const name of [...names, ...names]) await shake(ports.tls, name)
    const issued = issue.mock.calls.map(([options]) => options?.names?.[0])
    expect(issued.sort()).toEqual(['app.localhost', 'localhost', 'web.ngrok.app'])
    expect(read).toHaveBeenCalledTimes(1)
    gateway.clock.advance('1d')
    await shake(ports.tls, 'web.ngrok.app')
    expect(issue).toHaveBeenCalledTimes(4)
  })

  test('are for the name that the client sends, also below localhost', async () => {
    const { ports, ca } = await openRawPorts('http://127.0.0.1:1')
    for (const servername of ['app.example.com', 'app.localhost', 'web.ngrok.app']) {
      const socket = connect({ host: '127.0.0.1', port: ports.tls, servername, ca })
      await once(socket, 'secureConnect')
      expect(socket.authorized).toBe(true)
      socket.destroy()
    }
  })

  test('are that of a wildcard for a name that it covers', async () => {
    const { ports, gateway } = await openRawPorts('http://127.0.0.1:1')
    const { id } = gateway.reservedDomains.create({ domain: '*.wild.example.com' })
    const made = gateway.authority.serverCertificate({ names: ['*.wild.example.com'] })
    const certificate = gateway.tlsCertificates.create(made)
    gateway.reservedDomains.update(id, { certificate_id: certificate.id })
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://*.wild.example.com' }] })
    expect(await shake(ports.tls, 'a.wild.example.com')).toBe(certificate.serial_number.toUpperCase())
  })
})

test('A visit that a closed connection ends, or a fact that no port knows, is logged with the reason (rules: traffic#ports)', async () => {
  const gateway = createNgrok()
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression
  const needy = policyOf('log', { metadata: { a: '${conn.geo.city}' } })
  gateway.declare.tunnelSession({
    endpoints: [
      { url: 'https://closed.example.com', ...policyOf('close-connection') },
      { url: 'https://needy.example.com', ...needy },
    ],
  })
  const logged: object[] = []
  const log = ({ path, status, error, message }: LoggedRequest) => void logged.push({ path, status, error, message })
  const [port] = await serveTraffic(gateway, '127.0.0.1', { traffic: 0 }, 'upstreams', log)
  onTestFinished(() => port?.close())
  const visit = (host: string) => visitRaw(port?.port ?? 0, `GET /?a=1 HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  await (await visit('closed.example.com')).closed()
  await (await visit('needy.example.com')).until(/\n$/)
  expect(logged).toEqual([
    { path: 'https://closed.example.com/', status: null, error: null, message: expect.stringMatching(/./) },
    { path: 'https://needy.example.com/', status: 501, error: null, message: expect.stringContaining('conn.geo.city') },
  ])
  const [closed, needed] = gateway.traffic.all()
  expect([closed?.status, needed?.status]).toEqual([null, 501])
  expect(gateway.report()).toMatch(/closed\.example\.com\/\S* without a response/)
  expect(gateway.report()).toMatch(/needy\.example\.com\/\S* 501/)
  // In the process, the same visit rejects, and no response exists.
  await expect(gateway.traffic.fetch('https://needy.example.com/')).rejects.toThrow('conn.geo.city')
  expect(gateway.traffic.last()?.status).toBeNull()
})
