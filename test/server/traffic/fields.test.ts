import { once } from 'node:events'
import http2 from 'node:http2'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { openRawPorts, openRawUpstream, visitRaw } from '../../support/raw-traffic.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const HOST = 'host: app.example.com\r\n'

/** Returns the names and values of the headers that an upstream gets from a visitor, without those that the gateway adds. */
async function pass(fields: string): Promise<readonly string[]> {
  const upstream = await openRawUpstream(OK)
  const { ports } = await openRawPorts(upstream.url)
  await (await visitRaw(ports.plain, `GET /a HTTP/1.1\r\n${HOST}${fields}\r\n`)).until(/ok$/)
  const [, ...lines] = upstream.requests[0]?.head.trimEnd().split('\r\n') ?? []
  return lines.filter((line) => !/^(host|x-forwarded-\w+|connection: keep-alive)\b/i.test(line))
}

test.each([
  ['keep their order, cookies among them', 'x-a: 1\r\ncookie: a=1\r\nx-b: 2\r\n', ['x-a: 1', 'cookie: a=1', 'x-b: 2']],
  [
    'have one line for all cookies',
    'x-a: 1\r\ncookie: a=1\r\nx-b: 2\r\nCookie: b=2\r\n',
    ['x-a: 1', 'x-b: 2', 'cookie: a=1; b=2'],
  ],
  ['may have the value "host"', 'x-a: host\r\nx-b: host\r\n', ['x-a: host', 'x-b: host']],
  ['have no wish to switch to nothing', 'connection: Upgrade\r\nx-a: 1\r\n', ['x-a: 1']],
  [
    'end at the gateway if Connection has their names, also beside a wish for HTTP/2',
    'connection: Upgrade, HTTP2-Settings, x-my-upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\nx-my-upgrade: 1\r\nx-a: 1\r\n',
    ['x-a: 1'],
  ],
  [
    'end at the gateway if Connection has their names without spaces, which end with "upgrade"',
    'connection: Upgrade,HTTP2-Settings,x-my-upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\nx-my-upgrade: 1\r\nx-a: 1\r\n',
    ['x-a: 1'],
  ],
  [
    'may have a name that begins with "upgrade", beside a wish for HTTP/2',
    'connection: Upgrade\r\nupgrade: h2c\r\nupgrade-insecure-requests: 1\r\n',
    ['upgrade-insecure-requests: 1'],
  ],
])('The fields of a visitor %s (rules: traffic#ports)', async (_what, fields, received) => {
  expect(await pass(fields)).toEqual(received)
})

test.each(['websocket', 'h2c'])(
  'The response to a wish for %s that is not granted says that its connection ends (rules: traffic#ports)',
  async (protocol) => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url)
    const wish = `GET /a HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: ${protocol}\r\n\r\n`
    expect(await (await visitRaw(ports.plain, wish)).closed()).toMatch(
      /^HTTP\/1\.1 200 .*^connection: close\r$.*ok$/ims,
    )
  },
)

test('A request of HTTP/1.0 passes, with its length or without a body (rules: traffic#ports)', async () => {
  const upstream = await openRawUpstream(OK)
  const { ports } = await openRawPorts(upstream.url)
  for (const [method, rest] of [
    ['GET', '\r\n'],
    ['POST', 'content-length: 5\r\n\r\nhello'],
  ])
    expect(await (await visitRaw(ports.plain, `${method} /a HTTP/1.0\r\n${HOST}${rest}`)).closed()).toMatch(
      / 200 .*ok$/s,
    )
  expect(upstream.requests.map(({ head, body }) => `${head.split(' ')[0]} ${body}`)).toEqual(['GET ', 'POST hello'])
})

test('The response to a request over HTTP/2 for two hosts says so (rules: traffic#ports)', async () => {
  const upstream = await openRawUpstream(OK)
  const { ports, ca } = await openRawPorts(upstream.url)
  const tls = { host: '127.0.0.1', port: ports.tls, servername: 'app.example.com', ca, ALPNProtocols: ['h2'] }
  const session = http2.connect('https://app.example.com', { createConnection: () => connect(tls) })
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':path': '/a', ':authority': 'app.example.com', host: 'other.example.com' })
  const [[headers], [text]] = await Promise.all([once(stream, 'response'), once(stream.setEncoding('utf8'), 'data')])
  expect([headers[':status'], text]).toEqual([400, 'The Host header does not match the host in the URL.\n'])
  expect(upstream.requests).toEqual([])
})

/** Returns the first response to a request at a policy with one action, and the heads that the upstream got. */
async function passAction(type: string, config: object, sent: string) {
  const upstream = await openRawUpstream(OK)
  const rules = [{ actions: [{ type, config }] }]
  const { ports } = await openRawPorts(upstream.url, { traffic_policy: JSON.stringify({ on_http_request: rules }) })
  const response = await (await visitRaw(ports.plain, `${sent}connection: close\r\n\r\n`)).closed()
  return { response, heads: upstream.requests.map(({ head }) => head) }
}

test.each(['a b', 'a/b', 'x@y', 'a?b', 'caf\xc3\xa9', 'a, b', '[::1', ''])(
  'A policy cannot set the Host of a request to %j (rules: traffic#header-values)',
  async (value) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a policy
    const headers = { host: '${getReqHeader("x-v")[0]}' }
    const { response, heads } = await passAction(
      'add-headers',
      { headers },
      `GET /a HTTP/1.1\r\n${HOST}x-v: ${value}\r\n`,
    )
    expect(response).toMatch(/^HTTP\/1.1 500 .*ngrok-error-code: ERR_NGROK_3900\r\n/s)
    expect(heads).toEqual([])
  },
)

test.each(['a_b.internal:80', '[::1]:8080', '127.0.0.1', 'A.example.com:'])(
  'A policy can set the Host of a request to %j (rules: traffic#header-values)',
  async (host) => {
    const { heads } = await passAction('add-headers', { headers: { host } }, `GET /a HTTP/1.1\r\n${HOST}`)
    expect(heads).toEqual([expect.stringContaining(`\r\nhost: ${host}\r\n`)])
  },
)

test('A path that a policy writes has no fragment at the upstream (RFC 9112, section 3.2)', async () => {
  const { heads } = await passAction('url-rewrite', { from: '/a$', to: '/b#c' }, `GET /a HTTP/1.1\r\n${HOST}`)
  expect(heads.map((head) => head.split('\r\n')[0])).toEqual(['GET /b HTTP/1.1'])
})

test.each(['GET', 'HEAD'])(
  'A response of a policy to %s states the length of its body (RFC 9110, section 8.6)',
  async (method) => {
    const config = { status_code: 201, body: '12345678', headers: { 'content-length': '3' } }
    const { response } = await passAction('custom-response', config, `${method} /a HTTP/1.1\r\n${HOST}`)
    expect(response).toMatch(/^HTTP\/1.1 201 .*\r\ncontent-length: 8\r\n/s)
    expect(response.split('\r\n\r\n')[1]).toBe(method === 'HEAD' ? '' : '12345678')
  },
)
