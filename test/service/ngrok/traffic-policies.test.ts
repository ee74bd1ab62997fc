import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { client, createControlClient, outcome } from '../../support/client.ts'
import { START, stateOf } from '../../support/gateway.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HTTPS = [`${ROUTE}/traffic_policy`, 'on_http_request:\r\n  - actions: [ {type: deny} ]  # "no"\n'] as const
const TCP = ['/edges/tcp/edgtcp_1/traffic_policy', '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}'] as const
const TLS = ['/edges/tls/edgtls_1/traffic_policy', ' { "on_tcp_connect" : [ ] }\n'] as const

describe.each([HTTPS, TCP, TLS])('The module at %s (rules: traffic-policy#text)', (path, value) => {
  const openGateway = () => {
    const gateway = createNgrok({ clock: { now: () => START } })
    return { gateway, http: client(gateway) }
  }

  test('keeps the text byte for byte, in a snapshot too, until it is deleted', async () => {
    const { gateway, http } = openGateway()
    expect(outcome(await http('GET', path))).toBe('404 ERR_NGROK_90404')
    const { status, body } = await http('PUT', path, { json: { value } })
    expect([status, body]).toEqual([200, { enabled: true, value }])
    const restored = createNgrok()
    restored.restore(gateway.snapshot())
    expect((await client(restored)('GET', path)).body).toEqual({ enabled: true, value })
    expect((await http('DELETE', path)).status).toBe(204)
    expect((await http('DELETE', path)).status).toBe(204)
    expect(outcome(await http('GET', path))).toBe('404 ERR_NGROK_90404')
  })

  test('takes the envelope of the official clients', async () => {
    const { http } = openGateway()
    const [, , , id, , route] = path.split('/')
    const ids = path === HTTPS[0] ? { edge_id: id, id: route } : { id }
    const { status, body } = await http('PUT', path, { json: { ...ids, module: { enabled: false, value } } })
    expect([status, body]).toEqual([200, { enabled: false, value }])
    const wrong = { ...ids, id: 'edghtsrt_2', module: { value } }
    expect(outcome(await http('PUT', path, { json: wrong }))).toBe('400 ERR_NGROK_215')
  })

  test.each([
    [{}, 215],
    [{ value: 7 }, 215],
    [{ value: '- a' }, 2236],
    [{ value: 'on_request: []' }, 2230],
    [{ value: '{"on_tcp_connect":[{"actions":[{"type":"redirect"}]}]}' }, path === HTTPS[0] ? 2248 : 2202],
  ])('rejects %j and keeps what it has', async (json, number) => {
    const { gateway, http } = openGateway()
    await http('PUT', path, { json: { value } })
    const before = stateOf(gateway)
    expect(outcome(await http('PUT', path, { json }))).toBe(`400 ERR_NGROK_${number}`)
    expect(stateOf(gateway)).toBe(before)
  })
})

test('A policy and the older module `policy` of a route do not touch each other', async () => {
  const gateway = createNgrok()
  const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
  gateway.trafficPolicy.replace(route, { enabled: false })
  gateway.routeTrafficPolicy.replace(route, { value: '{}' })
  gateway.trafficPolicy.delete(route)
  expect(gateway.routeTrafficPolicy.get(route)).toEqual({ enabled: true, value: '{}' })
})

test.each(['edgtcp_1', 'edgtls_1'])('With declared references the edge %s must be declared', async (edge) => {
  const gateway = createNgrok({ references: 'declared' })
  const path = `/edges/${edge.slice(3, 6)}/${edge}/traffic_policy`
  const put = () => client(gateway)('PUT', path, { json: { value: '{}' } })
  expect(outcome(await put())).toBe('404 ERR_NGROK_7000')
  gateway.declare.edge(edge)
  expect((await put()).status).toBe(200)
  expect(() => gateway.restore(gateway.snapshot())).not.toThrow()
  expect(() => gateway.declare.edge(edge, { routes: ['edghtsrt_1'] })).toThrow(/routes along with their HTTPS edge/)
  const control = createControlClient(gateway.fetch, 'http://127.0.0.1')
  expect((await control('POST', '/declare', { edge: 'edgtls_2' })).status).toBe(200)
  expect((await control('POST', '/declare', { edge: 'edgxyz_2' })).status).toBe(400)
})

describe('The older module `policy` is checked by the language (rules: traffic-policy#module)', () => {
  const rule = (type: string, config: Readonly<Record<string, unknown>> = {}, ...expressions: string[]) => ({
    ...(expressions.length > 0 && { expressions }),
    actions: [{ type, config }],
  })
  const send = (path: string, json: object) => client(createNgrok(), ngrokFamilies)('PUT', path, { json })
  const HTTPS_ROUTE = `${ROUTE}/policy`

  test.each<[object, number, string]>([
    [{ inbound: [rule('deny', {}, 'req.Metod == "GET"')] }, 2200, 'inbound.0.expressions.0'],
    [{ inbound: [rule('deny', {}, 'req.Method')] }, 2200, 'inbound.0.expressions.0'],
    [{ outbound: [rule('log', {}, 'res.Status == 200')] }, 2200, 'outbound.0.expressions.0'],
    [{ inbound: [rule('add-headers')] }, 2234, 'inbound.0.actions.0.config.headers'],
    [{ inbound: [rule('rate-limit', { rate: 1 })] }, 2234, 'inbound.0.actions.0.config.name'],
    [{ outbound: [rule('redirect', { to: 'a' })] }, 2202, 'outbound.0.actions.0.type'],
    [{ inbound: [{ actions: [{ type: 'close-connection' }, { type: 'deny' }] }] }, 2207, 'inbound.0.actions.1'],
  ])('%j', async (json, number, field) => {
    const { status, body } = await send(HTTPS_ROUTE, json)
    expect([status, body.error_code]).toEqual([400, `ERR_NGROK_${number}`])
    expect(body.details).toMatchObject({ field })
    expect(body.msg).toContain('policy')
  })

  test('The documented actions keep their shape, and expressions have both spellings', async () => {
    const json = {
      enabled: true,
      inbound: [
        rule('url-rewrite', { from: '(', to: 'a', more: 1 }, "req.Method == 'PUT' && conn.Geo.CountryCode != 'DE'"),
        rule('custom-response', { content: '${x', content_type: 'a', status_code: 200 }, "req.method == 'PUT'"),
        rule('deny', { status_code: 403 }),
      ],
      outbound: [rule('log', { metadata: {} }, 'res.StatusCode >= 500'), rule('deny')],
    }
    expect((await send(HTTPS_ROUTE, json)).body).toEqual(json)
  })

  test('A status is compared with a number or with a text, as programs of 2024 did', async () => {
    const json = { enabled: true, inbound: [], outbound: [rule('deny', {}, 'res.StatusCode <= "300"')] }
    expect((await send(HTTPS_ROUTE, json)).body).toEqual(json)
  })

  test.each(['tcp', 'tls'])('A %s edge has the actions and variables of connections', async (kind) => {
    const path = `/edges/${kind}/edg${kind}_1/policy`
    const put = async (json: object) => outcome(await send(path, json))
    expect(await put({ inbound: [rule('restrict-ips', { allow: ['10.0.0.0/8'] }, "conn.ClientIP != ''")] })).toBe('200')
    expect(await put({ inbound: [rule('redirect', { to: 'a' })] })).toBe('400 ERR_NGROK_2202')
    expect(await put({ inbound: [rule('deny', {}, "req.method == 'GET'")] })).toBe('400 ERR_NGROK_2200')
  })

  test('A route that is created with the module is checked too', async () => {
    const gateway = createNgrok()
    const { id } = gateway.httpsEdges.create({})
    const policy = { inbound: [rule('deny', {}, 'req.Metod == "GET"')] }
    const create = () => gateway.httpsEdgeRoutes.create(id, { match: '/', policy })
    expect(create).toThrow(/^In the policy, inbound\[0\]\.expressions\[0\] .* Did you mean req\.[Mm]ethod\?/)
  })
})

describe('The policy of an endpoint', () => {
  const HALF = 'on_http_request: [{ actions: [{ type: remove-headers, config: { headers: [x-a] } }] }]'

  test('of the cloud ends traffic, unless a quirk allows half a policy (rules: traffic-policy#termination)', async () => {
    const json = { url: 'https://a.internal', traffic_policy: HALF }
    expect(outcome(await client(createNgrok())('POST', '/endpoints', { json }))).toBe('400 ERR_NGROK_2235')
    const gateway = createNgrok({ quirks: { policyMayFallThrough: true } })
    const { status, body } = await client(gateway)('POST', '/endpoints', { json })
    expect(status).toBe(201)
    const strict = createNgrok()
    strict.restore(gateway.snapshot())
    // Only a new URL or policy is checked.
    const patch = (fields: object) => client(strict)('PATCH', `/endpoints/${body.id}`, { json: fields })
    expect((await patch({ description: 'a' })).status).toBe(200)
    expect(outcome(await patch({ url: 'https://b.internal' }))).toBe('400 ERR_NGROK_2235')
  })

  test('of an agent is checked where it is declared, and may fall through (rules: traffic-policy#termination)', () => {
    const gateway = createNgrok()
    const declare = (traffic_policy: string) =>
      gateway.declare.tunnelSession({ endpoints: [{ url: 'https://a.internal', traffic_policy }] })
    expect(() => declare(HALF.replace('remove', 'remov'))).toThrow(/Did you mean "?remove-headers/)
    expect(gateway.tunnelSessions.list().tunnel_sessions).toEqual([])
    expect(() => declare(HALF)).not.toThrow()
  })
})
