import { createHmac } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

const EDGE = 'edghts_1'
const ROUTE = 'edghtsrt_1'
const ids = { edge_id: EDGE, id: ROUTE }
const github = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

// rules: traffic#modules
describe('a route of the standard dialect', () => {
  const create = () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'edges' })
    gateway.declare.backend('bkdhr_1')
    gateway.traffic.upstream('bkdhr_1', async (request) => new Response(`got ${await request.text()}`))
    const visit = (init: Parameters<typeof gateway.traffic.fetch>[1] = {}) =>
      gateway.traffic.fetch('https://shop.example.com/hook', { edge: EDGE, route: ROUTE, backend: 'bkdhr_1', ...init })
    return { gateway, visit }
  }

  test('verifies webhooks', async () => {
    const { gateway, visit } = create()
    gateway.webhookVerification.replace(ids, { provider: 'github', secret: 'a shared secret' })
    const send = (signature: string) =>
      visit({ method: 'POST', body: '{"a":1}', headers: { 'x-hub-signature-256': signature } })
    expect(await (await send(github('{"a":1}', 'a shared secret'))).text()).toBe('got {"a":1}')
    const refused = await send(github('{"a":1}', 'another secret'))
    expect([refused.status, refused.headers.get('service-error-code')]).toEqual([403, 'ERR_GATEWAY_3204'])
    gateway.webhookVerification.replace(ids, { enabled: false, provider: 'github', secret: 'a shared secret' })
    expect((await send('sha256=00')).status).toBe(200)
  })

  test('breaks its circuit, by the settings in seconds', async () => {
    const { gateway, visit } = create()
    gateway.circuitBreaker.replace(ids, { volume_threshold: 2, tripped_duration: 30, error_threshold_percentage: 0.5 })
    gateway.faults.add({ traffic: 'bkdhr_1', status: 500, times: 2 })
    expect([(await visit()).status, (await visit()).status, (await visit()).status]).toEqual([500, 500, 503])
    gateway.clock.advance('29s')
    expect((await visit()).status).toBe(503)
    gateway.clock.advance('1s')
    expect((await visit()).status).toBe(200)
  })

  test('compresses', async () => {
    const { gateway, visit } = create()
    gateway.compression.replace(ids, { enabled: true })
    const response = await visit({ headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe('got ')
  })

  test('applies its policy, in the older spelling', async () => {
    const { gateway, visit } = create()
    gateway.trafficPolicy.replace(ids, {
      inbound: [
        {
          name: 'home',
          expressions: ["conn.Geo.CountryCode != 'DE'", "req.Method == 'GET'"],
          actions: [{ type: 'deny', config: { status_code: 451 } }],
        },
      ],
      outbound: [
        { expressions: ['res.StatusCode == 200'], actions: [{ type: 'log', config: { metadata: { a: 'b' } } }] },
      ],
    })
    expect((await visit({ from: { country: 'US' } })).status).toBe(451)
    expect(gateway.traffic.last()?.rule).toBe('home')
    expect((await visit({ from: { country: 'DE' } })).status).toBe(200)
  })

  test('splits traffic by the weights of its backend: chi-squared with a fixed seed', async () => {
    const { gateway, visit } = create()
    const counts = { bkdhr_1: 0, bkdhr_2: 0, bkdhr_3: 0 }
    for (const name of ['bkdhr_1', 'bkdhr_2', 'bkdhr_3'] as const) {
      gateway.declare.backend(name)
      gateway.traffic.upstream(name, () => {
        counts[name]++
        return new Response()
      })
    }
    const { id } = gateway.weightedBackends.create({ backends: { bkdhr_1: 70, bkdhr_2: 30, bkdhr_3: 0 } })
    for (let request = 0; request < 500; request++) await visit({ backend: id })
    const deviation = (counts.bkdhr_1 - 350) ** 2 / 350 + (counts.bkdhr_2 - 150) ** 2 / 150
    // With 1 degree of freedom, 10.8 has a probability of 0.001.
    expect([counts.bkdhr_3, deviation < 10.8]).toEqual([0, true])
  })
})

describe('an HTTPS edge of ngrok', () => {
  const create = () => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START), provisioningDelay: 0 })
    gateway.reservedDomains.create({ domain: 'shop.example.com' })
    const { id: edge_id } = gateway.httpsEdges.create({ hostports: ['shop.example.com:443'] })
    const response = (body: string) => gateway.httpResponseBackends.create({ body, status_code: 200 }).id
    const visit = (path: string, init: Parameters<typeof gateway.traffic.fetch>[1] = {}) =>
      gateway.traffic.fetch(`https://shop.example.com${path}`, init)
    return { gateway, edge_id, response, visit }
  }

  test('sends a path to the exact route, else to that of the longest prefix', async () => {
    const { gateway, edge_id, response, visit } = create()
    const route = (match: string, match_type: 'exact_path' | 'path_prefix') =>
      gateway.httpsEdgeRoutes.create(edge_id, { match, match_type, backend: { backend_id: response(match) } })
    route('/', 'path_prefix')
    route('/blog', 'path_prefix')
    route('/blog/new', 'exact_path')
    const textOf = async (path: string) => (await visit(path)).text()
    expect([
      await textOf('/'),
      await textOf('/blog/old'),
      await textOf('/blog/new'),
      await textOf('/blog/new/er'),
    ]).toEqual(['/', '/blog', '/blog/new', '/blog'])
  })

  test('without a route for the path is 404 with 3200, and the trace says so', async () => {
    const { gateway, edge_id, response, visit } = create()
    gateway.httpsEdgeRoutes.create(edge_id, {
      match: '/blog',
      match_type: 'exact_path',
      backend: { backend_id: response('blog') },
    })
    const { status, headers } = await visit('/shop?a=1')
    expect([status, headers.get('ngrok-error-code')]).toEqual([404, 'ERR_NGROK_3200'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`no route of the edge ${edge_id} matches /shop"`)
  })

  test('runs its modules in order', async () => {
    const { gateway, edge_id, response, visit } = create()
    const { id: office } = gateway.ipPolicies.create({})
    gateway.ipPolicyRules.create({ ip_policy_id: office, cidr: '203.0.113.0/24', action: 'allow' })
    gateway.httpsEdgeRoutes.create(edge_id, {
      match: '/',
      backend: { backend_id: response('page') },
      ip_restriction: { ip_policy_ids: [office] },
      user_agent_filter: { deny: ['(?i)bot'], allow: ['Goodbot'] },
      response_headers: { add: { 'x-frontend': 'ngrok' }, remove: [] },
      traffic_policy: {
        value: '{"on_http_request":[{"expressions":["req.url.path == \'/no\'"],"actions":[{"type":"deny"}]}]}',
      },
    })
    const statusOf = async (path: string, agent: string, ip = '203.0.113.1') =>
      (await visit(path, { from: { ip }, headers: { 'user-agent': agent } })).status
    expect(await statusOf('/', 'x', '198.51.100.1')).toBe(403)
    expect(gateway.traffic.last()?.error).toBe('ERR_NGROK_3203')
    expect([await statusOf('/', 'evilbot'), await statusOf('/', 'Goodbot'), await statusOf('/no', 'x')]).toEqual([
      403, 200, 403,
    ])
    expect((await visit('/', { from: { ip: '203.0.113.1' } })).headers.get('x-frontend')).toBe('ngrok')
    const did = 'route_user_agent_filter let the user agent pass'
    expect(gateway.traffic.last()?.trace).toContainEqual({ step: 'module', did })
    await statusOf('/', 'evilbot')
    expect(gateway.traffic.last()?.trace).toContainEqual({
      step: 'module',
      did: 'route_user_agent_filter rejected the user agent',
      isEnd: true,
    })
  })

  test('sends visitors to the provider of its sign-in, and lets requests with OPTIONS pass if it says so', async () => {
    const gateway = createNgrok()
    gateway.routeOauth.replace(ids, { provider: { google: {} }, options_passthrough: true })
    gateway.traffic.upstream('bkdhr_1', () => new Response('hello'))
    const visit = async (init: Parameters<typeof gateway.traffic.fetch>[1] = {}) => {
      const place = { edge: EDGE, route: ROUTE, backend: 'bkdhr_1' }
      return (await gateway.traffic.fetch('https://shop.example.com/', { ...place, ...init })).status
    }
    const identityOf = (provider: string) => ({ from: { identity: { provider, email: 'a@example.com' } } })
    expect([await visit(), await visit(identityOf('google')), await visit(identityOf('github'))]).toEqual([
      302, 200, 302,
    ])
    expect(await visit({ method: 'OPTIONS' })).toBe(200)
  })

  test('fails over to the first backend that is online, and to tunnels by their labels', async () => {
    const { gateway, edge_id, response, visit } = create()
    const group = gateway.tunnelGroupBackends.create({ labels: { team: 'web' } }).id
    const backend_id = gateway.failoverBackends.create({ backends: [group, response('sorry')] }).id
    gateway.httpsEdgeRoutes.create(edge_id, { match: '/', backend: { backend_id } })
    expect(await (await visit('/')).text()).toBe('sorry')
    gateway.declare.tunnelSession({ labelled: [{ labels: { team: 'web' }, forwards_to: 'http://localhost:8080' }] })
    gateway.traffic.upstream('http://localhost:8080', ({ url }) => new Response(url))
    expect(await (await visit('/x')).text()).toBe('http://localhost:8080/x')
  })

  test('reaches static backends at their address', async () => {
    const { gateway, edge_id, visit } = create()
    const backend_id = gateway.staticBackends.create({
      address: 'internal.example.com:8080',
      tls: { enabled: true },
    }).id
    gateway.httpsEdgeRoutes.create(edge_id, { match: '/', backend: { backend_id } })
    expect((await visit('/')).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3006')
    gateway.traffic.upstream('https://internal.example.com:8080', () => new Response('static'))
    expect(await (await visit('/')).text()).toBe('static')
  })
})
