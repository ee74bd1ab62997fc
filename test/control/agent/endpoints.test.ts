import { expect, test } from 'vitest'
import { createWithAgent, NO_METRICS, OWN_DOMAIN } from './agent.ts'

const SENT = {
  name: 'my_tunnel',
  url: 'https://app.example.com',
  upstream: { url: '8001' },
  pooling_enabled: true,
}

const SHOWN = {
  name: 'my_tunnel',
  uri: '/api/endpoints/my_tunnel',
  url: 'https://app.example.com',
  upstream: { url: 'http://localhost:8001', protocol: 'https' },
  inspect: true,
  traffic_policy: '',
  pooling_enabled: true,
}

// rules: agent#endpoints
test('An endpoint with an unknown protocol of its upstream, and a tunnel to a flag, are rejected', async () => {
  const { call, names } = createWithAgent()
  const wrong = await call('POST', '/api/endpoints', { upstream: { url: 80, protocol: 'spdy' } })
  expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('http2')])
  for (const addr of ['--log=stdout', 'http://--log=stdout:80', 'a=b:80'])
    expect((await call('POST', '/api/tunnels', { addr })).status).toBe(400)
  expect(await names()).toEqual([])
})

test('an endpoint has the fields of the documentation, and metrics alone', async () => {
  const { call } = createWithAgent(OWN_DOMAIN)
  const detail = { ...SHOWN, metrics: NO_METRICS }
  expect(await call('POST', '/api/endpoints', SENT)).toEqual({ status: 201, body: detail })
  expect(await call('GET', '/api/endpoints')).toEqual({ status: 200, body: { endpoints: [SHOWN] } })
  expect(await call('GET', '/api/endpoints/my_tunnel')).toEqual({ status: 200, body: detail })
})

test('PUT creates an endpoint, and replaces it', async () => {
  const { call, gateway } = createWithAgent()
  const { upstream } = SENT
  const first = await call('PUT', '/api/endpoints/web', { upstream })
  expect(first.status).toBe(201)
  const traffic_policy = 'on_http_request: []'
  const second = await call('PUT', '/api/endpoints/web', { upstream: { url: 'localhost:9' }, traffic_policy })
  expect([second.status, second.body]).toMatchObject([
    200,
    { url: first.body.url, upstream: { url: 'http://localhost:9' }, traffic_policy },
  ])
  expect(gateway.endpoints.list().endpoints).toHaveLength(1)
  // What was read can be sent.
  expect((await call('PUT', '/api/endpoints/web', second.body)).status).toBe(200)
})

test.each([
  ['public', 'https://app.example.com'],
  ['internal', 'https://app.internal'],
])('an endpoint may have the binding %s', async (binding, url) => {
  const { call, gateway } = createWithAgent(OWN_DOMAIN)
  expect((await call('POST', '/api/endpoints', { ...SENT, url, bindings: [binding] })).status).toBe(201)
  expect(gateway.endpoints.list().endpoints).toMatchObject([{ bindings: [binding] }])
  expect((await call('POST', '/api/endpoints', { ...SENT, url, bindings: ['private'] })).status).toBe(400)
})

test('an endpoint with a binding that its URL cannot have is rejected', async () => {
  const { call } = createWithAgent()
  expect((await call('POST', '/api/endpoints', { ...SENT, bindings: ['internal'] })).status).toBe(502)
})

// rules: agent#addresses
test.each([
  ['tcp', 'tcp'],
  ['tls', 'tls'],
  ['https', 'http'],
])('the upstream of an endpoint %s:// is at %s:// by default', async (scheme, upstream) => {
  const { call } = createWithAgent()
  const { body } = await call('POST', '/api/endpoints', { name: 'new', url: `${scheme}://`, upstream: { url: 22 } })
  expect(body.upstream.url).toBe(`${upstream}://localhost:22`)
})

// rules: agent#addresses
test.each(['tcp', 'tls', 'http', 'https'])('the URL "%s://" is a new one with this scheme', async (scheme) => {
  const { call } = createWithAgent()
  const upstream = { url: 'localhost:22' }
  const first = await call('POST', '/api/endpoints', { name: 'new', url: `${scheme}://`, upstream })
  expect([first.status, first.body.url]).toEqual([201, expect.stringMatching(`^${scheme}://.+`)])
  const second = await call('PUT', '/api/endpoints/new', { url: `${scheme}://`, upstream })
  expect([second.status, second.body.url === first.body.url]).toEqual([200, false])
  const tunnel = await call('POST', '/api/tunnels', {
    name: 'tunnel',
    url: `${scheme}://`,
    addr: 80,
    proto: first.body.url.split(':')[0],
  })
  expect(tunnel.body.public_url).toMatch(`${scheme}://`)
})

test('the upstream "https://" is port 443 of this machine', async () => {
  const { call } = createWithAgent()
  const { body } = await call('POST', '/api/endpoints', { upstream: { url: 'https://', proxy_protocol: '2' } })
  expect(body.upstream.url).toBe('https://localhost:443')
})

test('a PUT that the service rejects leaves the endpoint', async () => {
  const { call, gateway } = createWithAgent(OWN_DOMAIN)
  await call('POST', '/api/endpoints', SENT)
  const before = gateway.snapshot()
  const { status, body } = await call('PUT', '/api/endpoints/my_tunnel', { ...SENT, url: 'https://app.example.com/a' })
  expect([status, body.error_code]).toEqual([502, 103])
  expect((await call('PUT', '/api/endpoints/my_tunnel', { upstream: 'no' })).status).toBe(400)
  expect((await call('POST', '/api/endpoints', '{"')).status).toBe(400)
  expect((await call('POST', '/api/endpoints', SENT)).body.details.err).toContain('already exists')
  expect(gateway.snapshot()).toEqual(before)
})

test('DELETE stops an endpoint, once', async () => {
  const { call, names } = createWithAgent(OWN_DOMAIN)
  await call('POST', '/api/endpoints', SENT)
  expect((await call('DELETE', '/api/endpoints/my_tunnel')).status).toBe(204)
  expect(await names()).toEqual([])
  expect((await call('DELETE', '/api/endpoints/my_tunnel')).status).toBe(404)
  expect((await call('GET', '/api/endpoints/my_tunnel')).status).toBe(404)
})
