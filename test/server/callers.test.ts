import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { type Gateway, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { CLOCK_START } from '../support/clock.ts'
import { startServer } from '../support/command.ts'
import { openRawConnection } from '../support/wire.ts'

const KEYS = 'Authorization: Bearer k\r\nNgrok-Version: 2\r\n'
const BODY = '{"description":"made by a page"}'
const TUNNEL = '{"name":"a","addr":80,"proto":"http"}'

const post = (path: string, body: string) => ({ line: `POST ${path} HTTP/1.1`, body })
const get = (path: string) => ({ line: `GET ${path} HTTP/1.1`, body: '' })

/** A request to each server, and to each part of the main one. */
const TARGETS = {
  'a list of the API': { ...get('/reserved_addrs'), isAgent: false },
  'a creation of the API': { ...post('/reserved_addrs', BODY), isAgent: false },
  'an unknown path of the API': { ...get('/nothing'), isAgent: false },
  'the front page': { ...get('/'), isAgent: false },
  'a control': { ...post('/_fauxgate/reset', '{}'), isAgent: false },
  "a visitor's request by a control": {
    ...post('/_fauxgate/traffic', '{"url":"https://a.example.com"}'),
    isAgent: false,
  },
  'the inspector': { ...get('/_fauxgate/'), isAgent: false },
  'the events of the inspector': { ...get('/_fauxgate/events'), isAgent: false },
  'a list of the agent': { ...get('/api/tunnels'), isAgent: true },
  'a tunnel of the agent': { ...post('/api/tunnels', TUNNEL), isAgent: true },
}

type Target = (typeof TARGETS)[keyof typeof TARGETS]

async function open(options: NgrokOptions = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), ...options })
  const server = await serve(gateway, { agent: 0 })
  onTestFinished(() => server.close())
  const send = async ({ line, body, isAgent }: Target, headers: string) => {
    const port = isAgent ? Number(new URL(server.agentUrl ?? '').port) : server.port
    const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const connection = await openRawConnection(
      port,
      `${line}\r\n${headers}${KEYS}${length}Connection: close\r\n\r\n${body}`,
    )
    const received = line.includes('/events') ? await firstBytes(connection) : await connection.ended()
    return { status: Number(received.split(' ')[1]), received }
  }
  return { gateway, send, port: server.port }
}

async function firstBytes(connection: Awaited<ReturnType<typeof openRawConnection>>): Promise<string> {
  await connection.until(/\r\n\r\n/)
  return connection.received()
}

const stateOf = (gateway: Gateway) =>
  JSON.stringify([gateway.snapshot(), gateway.requests.all(), gateway.traffic.count()])

// rules: control-api#callers
describe.each(Object.entries(TARGETS))('%s', (_name, target) => {
  test.each([
    ...['attacker.example', 'attacker.example:80', 'localhost.attacker.example', 'app.localhost', '192.168.0.1', ''],
    ...['127.0.0.1.attacker.example', '0x7f.0.0.1', 'localhost@attacker.example', '[::2]'],
  ])('is rejected with the Host %j, as after a DNS rebinding, and nothing changes', async (host) => {
    const { gateway, send } = await open()
    const before = stateOf(gateway)
    const { status, received } = await send(target, `Host: ${host}\r\n`)
    expect([status, received]).toEqual([403, expect.stringContaining('ERR_NGROK_90403')])
    expect(received).toContain(`The host ${JSON.stringify(JSON.stringify(host)).slice(1, -1)} is not allowed.`)
    expect(received).toContain('others with --allow-host or --base-url')
    expect(stateOf(gateway)).toBe(before)
  })

  test.each(['localhost', 'attacker.example'])(
    'gets 400 with two Hosts, the first one %s (RFC 9112, section 3.2)',
    async (first) => {
      const { gateway, send } = await open()
      const before = stateOf(gateway)
      const second = first === 'localhost' ? 'attacker.example' : 'localhost'
      const { status, received } = await send(target, `Host: ${first}\r\nHost: ${second}\r\n`)
      expect([status, received]).toEqual([400, expect.stringContaining('two Host headers')])
      expect(stateOf(gateway)).toBe(before)
    },
  )

  test('is rejected with the URL of another host, as of a proxy (RFC 9112, section 3.2.2)', async () => {
    const { gateway, send } = await open()
    const before = stateOf(gateway)
    const line = target.line.replace(' /', ' http://attacker.example/')
    expect((await send({ ...target, line }, 'Host: localhost\r\n')).status).toBe(403)
    expect(stateOf(gateway)).toBe(before)
  })

  test.each([
    ...[
      'https://attacker.example',
      'http://localhost.attacker.example',
      'http://app.localhost',
      'http://a.localhost:3000',
    ],
    ...['null', 'file://', 'http://192.168.0.1', 'chrome-extension://abc', 'https://localhost@attacker.example', ''],
  ])('is refused to a page of the origin %j, and nothing changes', async (origin) => {
    const { gateway, send } = await open()
    const before = stateOf(gateway)
    const { status, received } = await send(target, `Host: localhost\r\nOrigin: ${origin}\r\n`)
    expect([status, received]).toEqual([403, expect.stringContaining('others with --cors')])
    expect(received.toLowerCase()).not.toContain('access-control-allow-origin')
    expect(stateOf(gateway)).toBe(before)
  })

  test.each(['http://localhost', 'http://localhost:3000', 'https://127.0.0.1:8443', 'http://[::1]:1'])(
    'answers a page of this machine: %s',
    async (origin) => {
      const { send } = await open()
      expect((await send(target, `Host: 127.0.0.1\r\nOrigin: ${origin}\r\n`)).status).not.toBe(403)
    },
  )

  test.each<[string, NgrokOptions, string]>([
    ['allowHosts, as the Host', { control: { allowHosts: ['fauxgate'] } }, 'Host: fauxgate:4000\r\n'],
    [
      'allowHosts, as a page',
      { control: { allowHosts: ['fauxgate'] } },
      'Host: localhost\r\nOrigin: http://fauxgate\r\n',
    ],
    ['baseUrl', { baseUrl: 'http://fauxgate:4000' }, 'Host: fauxgate:4000\r\nOrigin: http://fauxgate:4000\r\n'],
    ['cors', { cors: ['https://a.example.com'] }, 'Host: localhost\r\nOrigin: https://a.example.com\r\n'],
    ['cors with a file', { cors: ['null'] }, 'Host: localhost\r\nOrigin: null\r\n'],
    ['cors for all', { cors: ['*'] }, 'Host: localhost\r\nOrigin: https://b.example.com\r\n'],
  ])('answers what the option %s names', async (_option, options, headers) => {
    const { send } = await open(options)
    expect((await send(target, headers)).status).not.toBe(403)
  })

  test('answers no other origin than those of cors, and no other port of one', async () => {
    const { send } = await open({ cors: ['https://a.example.com'], baseUrl: 'http://fauxgate:4000' })
    for (const origin of [
      'https://a.example.com:1',
      'http://a.example.com',
      'https://b.a.example.com',
      'http://fauxgate:1',
    ])
      expect((await send(target, `Host: fauxgate:4000\r\nOrigin: ${origin}\r\n`)).status).toBe(403)
  })
})

test('a preflight of another site is rejected, and one of this machine is answered', async () => {
  const { send } = await open()
  const preflight = (origin: string) =>
    send(
      { line: 'OPTIONS /reserved_addrs HTTP/1.1', body: '', isAgent: false },
      `Host: localhost\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n`,
    )
  expect((await preflight('https://attacker.example')).status).toBe(403)
  const { status, received } = await preflight('http://localhost:3000')
  expect([status, received]).toEqual([
    204,
    expect.stringContaining('Access-Control-Allow-Origin: http://localhost:3000'),
  ])
})

test('with a control key, the controls are there for whoever has the key, by any Host; the API is not', async () => {
  const { send } = await open({ control: { key: 'secret' } })
  const headers = 'Host: fauxgate:4000\r\nFauxgate-Control-Key: secret\r\n'
  expect((await send(TARGETS['a control'], headers)).status).toBe(204)
  expect((await send(TARGETS['a list of the API'], headers)).status).toBe(403)
})

test('a request of HTTP/1.0 without a Host is answered: no browser sends one', async () => {
  const { send } = await open()
  const target = { line: 'GET /reserved_addrs HTTP/1.0', body: '', isAgent: false }
  expect((await send(target, '')).status).toBe(200)
  expect((await send(target, 'Origin: https://attacker.example\r\n')).status).toBe(403)
})

test('in the same process, any page and any host may call, as before', async () => {
  const gateway = createNgrok()
  const headers = { authorization: 'Bearer k', 'ngrok-version': '2', origin: 'https://a.example.com' }
  const response = await gateway.fetch(`${gateway.url}/reserved_addrs`, { headers })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, 'https://a.example.com'])
})

test.each([
  [['--allow-host', 'fauxgate', '--cors', 'https://a.example.com'], {}],
  [['--base-url', 'http://fauxgate:4000', '--cors', 'https://a.example.com'], {}],
  [[], { FAUXGATE_ALLOW_HOST: 'fauxgate', FAUXGATE_CORS: 'https://a.example.com' }],
])('the command takes %j and the variables %j, and logs what it rejects', async (flags, environment) => {
  const { output, url } = await startServer(environment, '--dialect', 'ngrok', '--agent', '0', ...flags)
  const port = Number(new URL(/http:[^\s]+/.exec(output.stdout)?.[0] ?? url).port)
  const ask = async (headers: string) => {
    const connection = await openRawConnection(
      port,
      `GET /_fauxgate/clock HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`,
    )
    return Number((await connection.ended()).split(' ')[1])
  }
  expect(await ask('Host: fauxgate:4000\r\nOrigin: https://a.example.com\r\n')).toBe(200)
  expect(await ask('Host: other:4000\r\n')).toBe(403)
  expect(await ask('Host: fauxgate\r\nOrigin: https://b.example.com\r\n')).toBe(403)
})

test.each([
  'a.example.com',
  'https://a.example.com/',
  'https://a.example.com/x',
  'HTTPS://a.example.com',
  'ftp://a',
  '',
])('cors does not take %j', (origin) => {
  expect(() => createNgrok({ cors: [origin] })).toThrow('an origin such as "https://app.example.com", or "*" for all')
})

test('An enforced IP restriction of the API counts the address of the connection, and the control API stays open (rules: ngrok-families#ip-restrictions)', async () => {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  const { id } = gateway.ipPolicies.create()
  gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '203.0.113.0/24', action: 'allow' })
  gateway.ipRestrictions.create({ type: 'api', enforced: true, ip_policy_ids: [id] })
  const headers = { Authorization: 'Bearer k', 'Ngrok-Version': '2', 'X-Forwarded-For': '203.0.113.9' }
  const call = async () => {
    const response = await fetch(`${server.url}/reserved_addrs`, { headers })
    return response.status === 200 ? 200 : ((await response.json()) as { error_code: string }).error_code
  }
  expect(await call()).toBe('ERR_NGROK_220')
  expect(gateway.requests.last()?.response).toMatchObject({
    msg: expect.stringContaining(
      `Allowed: 203.0.113.0/24. To allow others, change the rules of ${id} in the inspector`,
    ),
  })
  expect((await fetch(`${server.url}/_fauxgate/clock`)).status).toBe(200)
  gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '127.0.0.0/8', action: 'allow' })
  expect(await call()).toBe(200)
})
