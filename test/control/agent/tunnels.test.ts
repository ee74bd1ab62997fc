import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { createWithAgent, NO_METRICS, OWN_DOMAIN } from './agent.ts'

const URL_OF_APP = 'https://app.example.com'

// rules: agent#the-oldest-agent
describe('The tunnels of the agent', () => {
  test('are none before the first start', async () => {
    const { call } = createWithAgent()
    expect(await call('GET', '/api/tunnels')).toEqual({ status: 200, body: { tunnels: [], uri: '/api/tunnels' } })
    expect((await call('GET', '/api/status')).body).toMatchObject({ status: 'connecting', session: { legs: [] } })
  })

  test('have the fields of the documentation', async () => {
    const { call } = createWithAgent(OWN_DOMAIN)
    const sent = { addr: '80', proto: 'http', name: 'web', domain: 'app.example.com' }
    const { status, body } = await call('POST', '/api/tunnels', sent)
    expect(status).toBe(201)
    expect(body).toEqual({
      name: 'web',
      ID: expect.stringMatching(/^[0-9a-f]{32}$/),
      uri: '/api/tunnels/web',
      public_url: URL_OF_APP,
      proto: 'https',
      config: { addr: 'http://localhost:80', inspect: true },
      metrics: NO_METRICS,
    })
    expect((await call('GET', '/api/tunnels')).body.tunnels).toEqual([body])
    expect((await call('GET', '/api/tunnels/web')).body).toEqual(body)
  })

  test('are in the REST API, and what a test declares is here', async () => {
    const { gateway, names } = createWithAgent()
    gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP, name: 'declared' }] })
    const started = await gateway.agent.start({ addr: 3000, name: 'started' })
    expect(await names()).toEqual(['declared', 'started'])
    expect(gateway.tunnelSessions.list().tunnel_sessions).toHaveLength(1)
    expect(gateway.endpoints.list().endpoints).toMatchObject([
      { url: started.public_url, name: 'started', upstream_url: 'http://localhost:3000', type: 'ephemeral' },
      { url: URL_OF_APP },
    ])
    expect(gateway.tunnels.list().tunnels).toMatchObject([{ forwards_to: 'http://localhost:3000' }, {}])
  })

  test('are those of the oldest session, which is not an SSH session', async () => {
    const { gateway, call, names } = createWithAgent()
    const declare = (name: string, session = {}) =>
      gateway.declare.tunnelSession({ ...session, endpoints: [{ url: `https://${name}.example.com`, name }] })
    declare('ssh', { transport: 'ssh' })
    const { id } = declare('oldest')
    declare('newest')
    const endpoints = async () => (await call('GET', '/api/endpoints')).body.endpoints
    expect([await names(), await endpoints()]).toEqual([['oldest'], [expect.objectContaining({ name: 'oldest' })]])
    gateway.tunnelSessions.stop(id)
    expect([await names(), await endpoints()]).toEqual([['newest'], [expect.objectContaining({ name: 'newest' })]])
  })

  test('end with their session', async () => {
    const { gateway, names, call } = createWithAgent()
    await gateway.agent.start({ addr: 80 })
    const [session] = gateway.tunnelSessions.list().tunnel_sessions
    gateway.tunnelSessions.restart(session?.id ?? '')
    expect(await names()).toEqual(['command_line'])
    gateway.tunnelSessions.stop(gateway.tunnelSessions.list().tunnel_sessions[0]?.id ?? '')
    expect(await names()).toEqual([])
    expect((await call('GET', '/api/status')).body.status).toBe('connecting')
  })

  test('can be stopped, once', async () => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'a b' })
    const path = '/api/tunnels/a%20b'
    expect((await call('GET', path)).body.uri).toBe(path)
    expect(await call('DELETE', path)).toEqual({ status: 204, body: undefined })
    const body = { error_code: 100, status_code: 404, msg: 'Resource not found', details: { path } }
    expect(await call('DELETE', path)).toEqual({ status: 404, body })
    expect((await call('GET', path)).status).toBe(404)
    expect(gateway.endpoints.list().endpoints).toEqual([])
  })
})

// rules: agent#definitions
describe('A definition', () => {
  test.each([
    [{ addr: 80 }, 'https', 'http://localhost:80'],
    [{ addr: 'localhost' }, 'https', 'http://localhost:80'],
    [{ addr: '192.168.1.2:8080' }, 'https', 'http://192.168.1.2:8080'],
    [{ addr: 'https://localhost:8443' }, 'https', 'https://localhost:8443'],
    [{ addr: 80, proto: 'https' }, 'https', 'http://localhost:80'],
    [{ addr: 80, bind_tls: false }, 'http', 'http://localhost:80'],
    [{ addr: 80, bind_tls: 'true' }, 'https', 'http://localhost:80'],
    [{ addr: 22, proto: 'tcp' }, 'tcp', 'localhost:22'],
    [{ addr: 443, proto: 'tls' }, 'tls', 'localhost:443'],
  ] as const)('%o has the protocol %s', async (definition, proto, addr) => {
    const { gateway } = createWithAgent()
    const { public_url, config, ...tunnel } = await gateway.agent.start(definition)
    expect([tunnel.proto, config.addr, public_url.split(':')[0]]).toEqual([proto, addr, proto])
  })

  test.each([
    [{ hostname: 'app.example.com' }, URL_OF_APP],
    [{ subdomain: 'app' }, 'https://app.ngrok.app'],
    [{ url: 'http://app.example.com' }, 'http://app.example.com'],
    [{ url: 'app.example.com' }, URL_OF_APP],
  ] as const)('%o has the URL %s', async (definition, url) => {
    const { gateway } = createWithAgent(OWN_DOMAIN)
    expect((await gateway.agent.start({ addr: 80, ...definition })).public_url).toBe(url)
  })

  test('with a reserved address has its URL', async () => {
    const { gateway } = createWithAgent()
    const { addr } = gateway.reservedAddrs.create()
    const { public_url } = await gateway.agent.start({ addr: 22, proto: 'tcp', remote_addr: addr })
    expect(public_url).toBe(`tcp://${addr}`)
  })

  test('with both schemes starts two tunnels on one host', async () => {
    const { gateway, names, call } = createWithAgent()
    const { public_url } = await gateway.agent.start({ addr: 80, name: 'web', schemes: ['http', 'https'] })
    expect(await names()).toEqual(['web', 'web (http)'])
    // As pyngrok asks for it.
    const other = (await call('GET', '/api/tunnels/web%20%28http%29')).body
    expect([other.public_url, other.proto]).toEqual([public_url.replace('https', 'http'), 'http'])
  })

  test('with labels has no URL and no endpoint', async () => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'edge', labels: ['env=prod'] })
    expect((await call('GET', '/api/tunnels')).body.tunnels).toMatchObject([
      { name: 'edge', public_url: '', proto: '' },
    ])
    expect((await call('GET', '/api/endpoints')).body.endpoints).toEqual([])
    expect(gateway.tunnels.list().tunnels).toMatchObject([{ labels: { env: 'prod' } }])
  })

  test('with passwords or a policy has the policy', async () => {
    const { gateway } = createWithAgent()
    const traffic_policy = { on_http_request: [{ actions: [{ type: 'deny' }] }] }
    const { public_url } = await gateway.agent.start({ addr: 80, basic_auth: ['bob:long-password'], traffic_policy })
    const statusOf = async (headers: Record<string, string>) =>
      (await gateway.traffic.fetch(public_url, { headers })).status
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ authorization: `Basic ${btoa('bob:long-password')}` })).toBe(403)
  })

  test('may have fields that are without effect here', async () => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80, host_header: 'rewrite', compression: true })
    expect((await call('POST', '/api/tunnels', { addr: 80, name: 'b', oauth: { provider: 'google' } })).status).toBe(
      201,
    )
  })
})

// rules: agent#errors
describe('A start that is rejected', () => {
  test.each([
    ['{', 'SyntaxError'],
    [[], 'an array'],
    [{}, 'addr is missing'],
    [{ addr: 80, proto: 'udp' }, 'proto is "udp"'],
    [{ addr: 'a b:c' }, 'addr is "a b:c"'],
    [{ addr: 80, labels: ['env'] }, 'labels.0 is "env"'],
    [{ addr: 80, port: 1 }, 'field port not found in type config.HTTPv2Tunnel'],
    [{ addr: 80, name: 'taken' }, 'tunnel "taken" already exists'],
  ])('for %j is 400 with 102', async (sent, err) => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'taken' })
    const before = gateway.snapshot()
    expect(await call('POST', '/api/tunnels', sent)).toEqual({
      status: 400,
      body: {
        error_code: 102,
        status_code: 400,
        msg: 'invalid tunnel configuration',
        details: { err: expect.stringContaining(err) },
      },
    })
    expect(gateway.snapshot()).toEqual(before)
  })

  test.each([
    [{ url: 'https://taken.example.com' }, 'ERR_NGROK_334'],
    [{ url: 'https://app.example.com/path' }, 'ERR_NGROK_9037'],
    [{ proto: 'tcp', url: 'tcp://app.example.com' }, 'ERR_NGROK_18003'],
    [{ traffic_policy: '{"on_http_request":[{"actions":[{"type":"nope"}]}]}' }, 'ERR_NGROK_2201'],
  ])('by the service for %j is 502 with 103 and %s', async (sent, code) => {
    const { gateway, call } = createWithAgent(OWN_DOMAIN)
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://taken.example.com' }] })
    const before = gateway.snapshot()
    const { status, body } = await call('POST', '/api/tunnels', { addr: 80, name: 'web', ...sent })
    expect([status, body]).toMatchObject([502, { error_code: 103, status_code: 502, msg: 'failed to start tunnel' }])
    expect(body.details.err).toMatch(new RegExp(`\r\n\r\n${code}\r\n$`))
    expect(gateway.snapshot()).toEqual(before)
  })

  test('by a limit of the plan has its number', async () => {
    const { gateway, call } = createWithAgent({ account: { plan: 'free' } })
    const pooled = { addr: 80, pooling_enabled: true }
    for (let count = 0; count < 3; count++) await gateway.agent.start({ ...pooled, name: `web-${count}` })
    const { status, body } = await call('POST', '/api/tunnels', { ...pooled, name: 'more' })
    expect([status, body.details.err]).toEqual([502, expect.stringContaining('ERR_NGROK_18021')])
    await expect(gateway.agent.start({ ...pooled, name: 'more' })).rejects.toMatchObject({
      code: body.details.err.trim().split('\r\n').at(-1),
    })
  })

  test('throws in the direct API', async () => {
    const { gateway } = createWithAgent()
    await gateway.agent.start({ addr: 80 })
    await expect(gateway.agent.start({ addr: 80 })).rejects.toMatchObject({ key: 'agent_tunnel_taken' })
    // @ts-expect-error An address is required.
    await expect(gateway.agent.start({})).rejects.toMatchObject({ key: 'field_invalid' })
  })

  test('is a trouble until a tunnel of its name starts, and the last 100 are', async () => {
    const { gateway, call, control } = createWithAgent()
    const fail = (name: string) => call('POST', '/api/tunnels', { name, addr: 80, url: 'https://app.example.com/path' })
    for (let count = 0; count < 101; count++) expect((await fail(`tunnel ${count}`)).status).toBe(502)
    await fail('tunnel 50')
    const count = async () =>
      (await control('GET', '/troubles')).body.reduce(
        (sum: number, trouble: { count: number }) => sum + trouble.count,
        0,
      )
    expect(await count()).toBe(101)
    await gateway.agent.start({ addr: 80, name: 'tunnel 50' })
    expect(await count()).toBe(99)
    await gateway.agent.start({ addr: 80, name: 'tunnel 0' })
    expect(await count()).toBe(99)
  })

  test.each([
    ['a chosen URL', { url: 'tcp://1.tcp.ngrok.io:20001' }, 308],
    ['a new URL', { proto: 'tcp' }, 356],
  ] as const)('by the acl of its credential has the number for %s', async (_name, chosen, number) => {
    const { gateway, call, control } = createWithAgent()
    const { id } = gateway.credentials.create({ acl: ['bind:app.example.com'] })
    gateway.declare.tunnelSession({ credential: id })
    const { body } = await call('POST', '/api/tunnels', { name: 'web', addr: 22, proto: 'tcp', ...chosen })
    expect(JSON.stringify(body)).toContain(`ERR_NGROK_${number}`)
    const [{ about }] = (await control('GET', '/troubles')).body
    expect(about).toContainEqual({ collection: 'credentials', key: id, name: id })
  })

  test('because the gateway has no agents says so', async () => {
    const gateway = createGateway()
    await expect(gateway.agent.start({ addr: 80 })).rejects.toMatchObject({ key: 'agent_unavailable' })
    const response = await gateway.agent.fetch('http://localhost:4040/api/tunnels')
    expect(await response.json()).toEqual({ tunnels: [], uri: '/api/tunnels' })
  })
})

test('other paths and methods are 404 and 405', async () => {
  const { call } = createWithAgent()
  expect(await call('GET', '/api/nothing')).toEqual({
    status: 404,
    body: { status_code: 404, msg: 'Not Found', details: { path: '/api/nothing' } },
  })
  expect((await call('GET', '/api/tunnels/%ff')).status).toBe(404)
  expect((await call('PATCH', '/api/tunnels')).status).toBe(405)
  expect((await call('GET', '/api/')).body.uri).toBe('/api')
})

test('the oldest tunnel of a name is found, and one without a name by its id', async () => {
  const { gateway, call, names } = createWithAgent()
  const labels = { env: 'prod' }
  gateway.declare.tunnelSession({
    endpoints: [
      { url: 'https://one.example.com', name: 'web' },
      { url: 'https://two.example.com', name: 'web' },
    ],
    labelled: [{ labels, name: 'api' }, { labels }],
  })
  expect((await call('GET', '/api/tunnels/web')).body.public_url).toBe('https://one.example.com')
  expect((await call('GET', '/api/tunnels/api')).status).toBe(200)
  const id = (await names()).find((name) => name.startsWith('tn_'))
  expect((await call('GET', `/api/tunnels/${id}`)).status).toBe(200)
  const named = gateway.tunnels.list().tunnels.find(({ public_url }) => public_url === 'https://one.example.com')
  expect((await call('GET', `/api/tunnels/${named?.id}`)).status).toBe(404)
  expect((await call('DELETE', '/api/tunnels/web')).status).toBe(204)
  expect((await call('GET', '/api/tunnels/web')).body.public_url).toBe('https://two.example.com')
})

test('each start takes as long as the first, however many tunnels there are', async () => {
  // To look at all tunnels for each start would take a minute.
  const { gateway, names } = createWithAgent()
  for (let count = 0; count < 2000; count++) await gateway.agent.start({ addr: 3000, name: `tunnel ${count}` })
  expect(await names()).toHaveLength(2000)
}, 15_000)
