import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../support/memory-store.ts'
import { createWithAgent, OWN_DOMAIN } from './agent.ts'

// rules: agent#definitions, agent#addresses
describe('The address of a definition', () => {
  test.each([
    ['http://', 'http://localhost:80'],
    ['https://', 'https://localhost:443'],
    ['https://example.com', 'https://example.com:443'],
    ['http://example.com/a', 'http://example.com/a'],
    [':8080', 'http://localhost:8080'],
    ['8080', 'http://localhost:8080'],
    ['tcp.example.com', 'http://tcp.example.com:80'],
  ])('%j is %s', async (addr, expected) => {
    const { gateway } = createWithAgent()
    expect((await gateway.agent.start({ addr })).config.addr).toBe(expected)
  })

  test.each(['a b', 'http://a:0', 'http://a:b'])('%j is rejected, with what is allowed', async (addr) => {
    const { call } = createWithAgent()
    const { status, body } = await call('POST', '/api/tunnels', { addr, name: 'web' })
    expect([status, body.details.err]).toEqual([
      400,
      expect.stringContaining('a port, an address such as "localhost:80"'),
    ])
  })
})

describe('The schemes of a definition', () => {
  test.each([
    [{}, ['https']],
    [{ bind_tls: true }, ['https']],
    [{ bind_tls: 'true' }, ['https']],
    [{ bind_tls: false }, ['http']],
    [{ bind_tls: 'false' }, ['http']],
    [{ bind_tls: 'both' }, ['https', 'http']],
    [{ schemes: [] }, ['https']],
    [{ schemes: ['http'] }, ['http']],
    [{ schemes: ['http'], bind_tls: true }, ['http']],
    [{ proto: 'https', bind_tls: 'both' }, ['https']],
    [{ proto: 'tcp', bind_tls: 'both' }, ['tcp']],
    [{ url: 'http://app.example.com', bind_tls: 'both' }, ['http']],
    [{ url: 'https://', bind_tls: false }, ['https']],
  ])('%o are %j', async (definition, schemes) => {
    const { call } = createWithAgent(OWN_DOMAIN)
    expect((await call('POST', '/api/tunnels', { addr: 80, name: 'web', ...definition })).status).toBe(201)
    const { tunnels } = (await call('GET', '/api/tunnels')).body
    const found = tunnels.map(({ name, proto }: { name: string; proto: string }) => `${name} ${proto}`)
    expect(found).toEqual(schemes.map((scheme, index) => `web${index > 0 ? ` (${scheme})` : ''} ${scheme}`))
  })
})

describe('The host of a definition', () => {
  test.each([
    [{ domain: 'a.example.com', hostname: 'b.example.com' }, 'https://a.example.com'],
    [{ url: 'c.example.com', domain: 'a.example.com' }, 'https://c.example.com'],
    [{ hostname: 'b.example.com', subdomain: 'd' }, 'https://b.example.com'],
    [{ subdomain: 'd', bind_tls: false }, 'http://d.ngrok.app'],
    [{ subdomain: 'd', remote_addr: '1.tcp.ngrok.io:2' }, 'https://d.ngrok.app'],
    [{ url: '', domain: '', hostname: '', subdomain: 'd' }, 'https://d.ngrok.app'],
  ])('%o is %s', async (definition, url) => {
    const { gateway } = createWithAgent(OWN_DOMAIN)
    expect((await gateway.agent.start({ addr: 80, ...definition } as never)).public_url).toBe(url)
  })
})

describe('The fields of a definition', () => {
  test('reach the endpoint and the tunnel', async () => {
    const { gateway, call } = createWithAgent()
    const fields = { metadata: 'm', inspect: false, pooling_enabled: true, policy: '{"on_http_request":[]}' }
    const { config } = await gateway.agent.start({ addr: 80, name: 'web', ...fields })
    expect(config.inspect).toBe(false)
    expect((await call('GET', '/api/endpoints/web')).body).toMatchObject({
      ...{ inspect: false, pooling_enabled: true, traffic_policy: fields.policy },
    })
    expect(gateway.endpoints.list().endpoints).toMatchObject([{ metadata: 'm', pooling_enabled: true }])
  })

  test('with passwords keep the other phases and rules of a policy, which may be a text', async () => {
    const { gateway } = createWithAgent()
    const policy = 'on_http_request: [{ actions: [{ type: deny }] }]\non_http_response: []\n'
    await gateway.agent.start({ addr: 80, name: 'web', basic_auth: ['bob:long-password'], policy })
    const [endpoint] = gateway.endpoints.list().endpoints
    expect(JSON.parse(endpoint?.traffic_policy ?? '')).toEqual({
      on_http_request: [
        { actions: [{ type: 'basic-auth', config: { credentials: ['bob:long-password'] } }] },
        { actions: [{ type: 'deny' }] },
      ],
      on_http_response: [],
    })
  })

  test('without passwords are the policy as it was sent', async () => {
    const { gateway } = createWithAgent()
    const sent = 'on_http_request: []\n'
    await gateway.agent.start({ addr: 80, basic_auth: [], traffic_policy: sent })
    expect(gateway.endpoints.list().endpoints[0]?.traffic_policy).toBe(sent)
  })

  test.each(['env', '=prod', ''])('have no label %j', async (label) => {
    const { call } = createWithAgent()
    const { status, body } = await call('POST', '/api/tunnels', { addr: 80, name: 'edge', labels: ['a=b', label] })
    expect([status, body.details.err]).toEqual([
      400,
      expect.stringMatching(/labels\.1 is ".*a label such as "env=prod"/),
    ])
  })

  test('may have a label whose value is empty, or has an equals sign and several lines', async () => {
    const { gateway } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'edge', labels: ['a=', 'b=c=d\ne'] })
    expect(gateway.tunnels.list().tunnels[0]?.labels).toEqual({ a: '', b: 'c=d\ne' })
  })
})

describe('A start that is rejected', () => {
  test('for another reason than the acl does not blame the credential of the agent', async () => {
    const { gateway, call, control } = createWithAgent()
    const { id } = gateway.credentials.create({ acl: ['bind:app.example.com'] })
    gateway.declare.tunnelSession({ credential: id })
    await call('POST', '/api/tunnels', { name: 'web', addr: 80, url: 'https://app.example.com/path' })
    const [{ about }] = (await control('GET', '/troubles')).body
    expect(JSON.stringify(about)).not.toContain(id)
  })

  test('by the store says so, and is forgotten once the tunnel starts', async () => {
    const store = memoryStore()
    const { gateway, call, control } = createWithAgent({ store })
    store.failure = new Error('no space')
    const start = () => call('POST', '/api/tunnels', { addr: 80, name: 'web' })
    const { status, body } = await start()
    expect([status, body.details.err]).toEqual([502, expect.stringMatching(/no space.*ERR_NGROK_90507/s)])
    await expect(gateway.agent.start({ addr: 80, name: 'web' })).rejects.toMatchObject({ key: 'store_failed' })
    store.failure = undefined
    expect((await start()).status).toBe(201)
    expect(JSON.stringify((await control('GET', '/troubles')).body)).not.toContain('no space')
  })

  test('by a clock that fails is the error of the clock', async () => {
    const { gateway, call } = createWithAgent()
    const get = () => {
      throw new Error('The clock is broken.')
    }
    Object.defineProperty(gateway.clock, 'now', { get })
    const bodies = { '/api/tunnels': { addr: 80 }, '/api/endpoints': { upstream: { url: 80 } } }
    for (const [path, body] of Object.entries(bodies))
      await expect(call('POST', path, { name: 'web', ...body })).rejects.toThrow('The clock is broken.')
  })

  test('because its name is taken is 400 of the agent', async () => {
    const { call } = createWithAgent()
    const start = () => call('POST', '/api/endpoints', { name: 'web', upstream: { url: 80 } })
    expect((await start()).status).toBe(201)
    const { status, body } = await start()
    expect([status, body.error_code, body.details.err]).toEqual([400, 102, expect.stringContaining('"web"')])
  })
})

test('Requests that were deleted while they passed take no room of later ones', async () => {
  const { gateway, call } = createWithAgent()
  const { public_url } = await gateway.agent.start({ addr: 3000, name: 'web' })
  const MIB = new Uint8Array(1024 * 1024)
  const controllers: ReadableStreamDefaultController[] = []
  const start = (controller: ReadableStreamDefaultController) => void controllers.push(controller)
  gateway.traffic.upstream('http://localhost:3000', () => new Response(new ReadableStream({ start })))
  const responses = await Promise.all(Array.from({ length: 52 }, () => gateway.traffic.fetch(public_url)))
  expect((await call('DELETE', '/api/requests/http')).status).toBe(204)
  for (const each of controllers) {
    each.enqueue(MIB)
    each.close()
  }
  for (const each of responses) expect((await each.arrayBuffer()).byteLength).toBe(MIB.length)
  gateway.traffic.upstream('http://localhost:3000', () => new Response('small'))
  await (await gateway.traffic.fetch(`${public_url}/later`)).text()
  const { requests } = (await call('GET', '/api/requests/http')).body
  expect(requests.map(({ request }: { request: { uri: string } }) => request.uri)).toEqual(['/later'])
})

test('An address that the service chooses has a host that reserved ones have, whatever the seed (rules: reserved-addresses#address)', async () => {
  const found = new Set<string>()
  for (let seed = 0; seed < 40; seed++) {
    const { gateway, call } = createWithAgent({ seed: `address ${seed}` })
    const { body: tunnel } = await call('POST', '/api/tunnels', { addr: 22, proto: 'tcp', name: 'a' })
    const { body: endpoint } = await call('POST', '/api/endpoints', { url: 'tcp://', upstream: { url: 22 }, name: 'b' })
    await gateway.agent.restart({ newUrls: true })
    const urls = [tunnel.public_url, endpoint.url, ...gateway.endpoints.list().endpoints.map(({ url }) => url)]
    expect(urls).toHaveLength(4)
    for (const url of urls) {
      expect(url).toMatch(/^tcp:\/\/[0-6]\.tcp\.ngrok\.io:1\d{4}$/)
      found.add(new URL(url).hostname)
    }
  }
  expect([...found].sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `${n}.tcp.ngrok.io`))
})
