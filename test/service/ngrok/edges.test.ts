import { describe, expect, it } from 'vitest'
import { expectError } from '../../support/client.ts'
import { isDeeplyFrozen } from '../../support/gateway.ts'
import { createRouteModules, openGateway } from './support.ts'

const texts = { description: 'acme', metadata: '{"environment": "staging"}' }
const ROUTE_MODULES = [
  'backend',
  'circuit_breaker',
  'compression',
  'ip_restriction',
  'oauth',
  'oidc',
  'policy',
  'request_headers',
  'response_headers',
  'saml',
  'traffic_policy',
  'user_agent_filter',
  'webhook_verification',
  'websocket_tcp_converter',
]
const toNulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))

describe('An edge (rules: edges#edges)', () => {
  it('of HTTPS has routes, and its hostports are free when it is deleted', async () => {
    const { gateway, send } = openGateway()
    gateway.reservedDomains.create({ domain: 'example.com' })
    const json = { ...texts, hostports: ['Example.com:443'] }
    const https = (await send('POST', '/edges/https', { json })).body
    expect(https.hostports).toEqual(['example.com:443'])
    const route = (await send('POST', `/edges/https/${https.id}/routes`, { json: { ...texts, match: '/' } })).body
    const uri = `${https.uri}/routes/${route.id}`
    const head = { id: expect.stringMatching(/^edghtsrt_/), edge_id: https.id, uri, created_at: https.created_at }
    expect(route).toEqual({ ...texts, ...head, match: '/', match_type: 'path_prefix', ...toNulls(ROUTE_MODULES) })
    expect((await send('GET', '/edges/https')).body.https_edges[0].routes).toEqual([route])
    const results = [gateway.httpsEdges.get(https.id), gateway.httpsEdgeRoutes.get({ edge_id: https.id, id: route.id })]
    expect(results.map(isDeeplyFrozen)).toEqual([true, true])
    await send('DELETE', `/edges/https/${https.id}`)
    expect((await send('POST', '/edges/tls', { json })).body.hostports).toEqual(['example.com:443'])
    expect(gateway.endpoints.list().endpoints.map(({ public_url }) => public_url)).toEqual(['tls://example.com'])
  })

  it('has its modules as fields and as resources, and they are deleted with it', async () => {
    const { gateway, send } = openGateway()
    const backend_id = gateway.tunnelGroupBackends.create({ labels: { a: 'b' } }).id
    const ip_policy_ids = [gateway.ipPolicies.create().id]
    const json = {
      backend: { backend_id },
      ip_restriction: { ip_policy_ids, enabled: false },
      traffic_policy: { value: 'on_tcp_connect: []' },
    }
    const { body } = await send('POST', '/edges/tcp', { json })
    const path = `/edges/tcp/${body.id}`
    expect(body.backend).toEqual({
      enabled: true,
      backend: { id: backend_id, uri: `https://api.ngrok.com/backends/tunnel_group/${backend_id}` },
    })
    expect(body.ip_restriction).toEqual({
      enabled: false,
      ip_policies: [{ id: ip_policy_ids[0], uri: `https://api.ngrok.com/ip_policies/${ip_policy_ids[0]}` }],
    })
    for (const each of ['backend', 'ip_restriction', 'traffic_policy']) {
      expect((await send('GET', `${path}/${each}`)).body, each).toEqual(body[each])
    }
    await send('DELETE', `${path}/traffic_policy`)
    const changed = await send('PATCH', path, { json: { ip_restriction: { ip_policy_ids } } })
    expect(changed.body).toMatchObject({
      traffic_policy: null,
      ip_restriction: { enabled: true },
      backend: body.backend,
    })
    // A backend can be deleted while an edge names it.
    expect((await send('DELETE', `/backends/tunnel_group/${backend_id}`)).status).toBe(204)
    expect((await send('GET', path)).body.backend).toEqual(body.backend)
    await send('DELETE', path)
    const restored = openGateway().gateway
    restored.restore(gateway.snapshot())
    expect(JSON.parse(JSON.stringify(gateway.snapshot())).records.tcp_edge_backend).toEqual([])
  })

  it.each([
    ['tcp', { backend: { backend_id: 'x' } }, 6526],
    ['tcp', { backend: { backend_id: 'bkdwd_gone' } }, 6501],
    ['tcp', { ip_restriction: { ip_policy_ids: [] } }, 7025],
    ['tcp', { ip_restriction: { ip_policy_ids: ['ipp_gone'] } }, 7007],
    ['tcp', { traffic_policy: { value: 'on_http_request: []' } }, 2230],
    ['tls', { tls_termination: { terminate_at: 'upstream', min_version: '1.2' } }, 7032],
    ['tls', { tls_termination: { min_version: '2' } }, 219],
    ['tls', { tls_termination: { terminate_at: 'agent' } }, 224],
    ['https', { tls_termination: { terminate_at: 'edge' } }, 7109],
    ['https', { mutual_tls: { certificate_authority_ids: ['x'] } }, 228],
  ])('of %s rejects %j', async (kind, json, number) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', `/edges/${kind}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  it('names the field of a module that is wrong', async () => {
    const { send } = openGateway()
    const json = { traffic_policy: { value: '{"on_tcp_connect":[{"actions":[{"type":"add-headers"}]}]}' } }
    const { body } = await send('POST', '/edges/tcp', { json })
    const field = 'field:traffic_policy.value.on_tcp_connect.0.actions.0.type'
    expect(body.details[field]).toBe(body.msg)
    expect(body.msg).toMatch(/^In the policy, on_tcp_connect\[0\]\.actions\[0\]\.type is add-headers/)
  })
})

describe('Hostports of edges (rules: edges#hostports)', () => {
  function openWithReservations() {
    const parts = openGateway()
    const { gateway } = parts
    for (const domain of ['app.example.com', '*.wild.example.com']) gateway.reservedDomains.create({ domain })
    return { ...parts, addr: gateway.reservedAddrs.create().addr }
  }

  it('are online as endpoints of the edge until the edge loses them', () => {
    const { gateway, addr } = openWithReservations()
    const edge = gateway.tcpEdges.create({ hostports: [addr], ...texts })
    const [endpoint] = gateway.endpoints.list().endpoints
    expect(endpoint).toMatchObject({ ...texts, type: 'edge', proto: 'tcp', hostport: addr, edge: { id: edge.id } })
    gateway.tcpEdges.update(edge.id, { hostports: [addr], metadata: 'm' })
    expect(gateway.endpoints.list().endpoints).toMatchObject([{ id: endpoint?.id, metadata: 'm' }])
    expect(() => gateway.declare.end(endpoint?.id ?? '')).toThrow('There is no declared resource')
    expect(gateway.tcpEdges.update(edge.id, { hostports: [] }).hostports).toBeNull()
    expect(gateway.endpoints.list().endpoints).toEqual([])
    gateway.tcpEdges.update(edge.id, { hostports: [addr] })
    gateway.tcpEdges.delete(edge.id)
    expect(gateway.endpoints.list().endpoints).toEqual([])
  })

  it.each<[kind: string, hostport: string, number: number]>([
    ['tcp', '1.tcp.ngrok.io:1', 7113],
    ['tcp', 'app.example.com:443', 7120],
    ['https', 'ADDR', 7121],
    ['tls', 'ADDR', 7133],
    ['https', 'app.example.com:8443', 7116],
    ['https', 'other.example.com:443', 7117],
    ['https', 'app.example.com', 7104],
    ['https', 'https://app.example.com:443', 7104],
    ['https', 'my_shop.app.example.com:443', 7104],
    ['tls', '-a.app.example.com:443', 7104],
    ['tls', `${'a'.repeat(64)}.app.example.com:443`, 7104],
    ['https', `${'a.'.repeat(120)}app.example.com:443`, 7104],
    ['tcp', '1.tcp.ngrok.io:65536', 7112],
    ['tls', 'app.example.com:0', 7112],
  ])('of %s cannot be %s', async (kind, hostport, number) => {
    const { addr, sendRefused } = openWithReservations()
    const json = { hostports: [hostport.replace('ADDR', addr)] }
    expect(await sendRefused('POST', `/edges/${kind}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  it.each([
    ['taken.example.com', 'belongs to another account'],
    ['www.taken.example.com', 'is under taken.example.com, which belongs to another account'],
  ])('cannot be the name %s of another account', (name, problem) => {
    const { gateway } = openGateway({ takenDomains: ['taken.example.com'] })
    const { code, message } = expectError(() => gateway.httpsEdges.create({ hostports: [`${name}:443`] }))
    expect(code).toBe('ERR_NGROK_7118')
    expect(message).toContain(`${problem}. Use your own domain`)
  })

  it('belong to only one edge, and not to an agent', async () => {
    const { gateway, sendRefused } = openWithReservations()
    const hostports = ['app.example.com:443']
    expect(gateway.httpsEdges.create({ hostports: ['a.wild.example.com:443'] }).hostports).toHaveLength(1)
    gateway.httpsEdges.create({ hostports })
    expect(await sendRefused('POST', '/edges/https', { json: { hostports } })).toBe('400 ERR_NGROK_7122')
    expect(await sendRefused('POST', '/edges/tls', { json: { hostports } })).toBe('400 ERR_NGROK_7122')
    const duplicates = ['b.wild.example.com:443', 'b.wild.example.com:443']
    expect(await sendRefused('POST', '/edges/https', { json: { hostports: duplicates } })).toBe('400 ERR_NGROK_7122')
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://c.wild.example.com' }] })
    const inUse = { hostports: ['c.wild.example.com:443'] }
    expect(await sendRefused('POST', '/edges/https', { json: inUse })).toBe('400 ERR_NGROK_7132')
    const url = 'https://app.example.com'
    expect(await sendRefused('POST', '/endpoints', { json: { url, traffic_policy: '{}' } })).toBe('400 ERR_NGROK_18017')
  })
})

describe('Routes of an HTTPS edge (rules: edges#routes)', () => {
  it('have all modules, both as fields and as resources', async () => {
    const { gateway, send } = openGateway()
    const edge = gateway.httpsEdges.create().id
    const parts = createRouteModules(gateway.httpResponseBackends.create().id, gateway.ipPolicies.create().id)
    const { status, body } = await send('POST', `/edges/https/${edge}/routes`, { json: { match: '/', ...parts } })
    expect(status).toBe(201)
    expect(body.request_headers).toEqual({ enabled: true, add: { 'x-frontend': 'ngrok' }, remove: ['cache-control'] })
    expect(body.circuit_breaker).toMatchObject({ enabled: true, error_threshold_percentage: 0.25, num_buckets: 10 })
    const path = `/edges/https/${edge}/routes/${body.id}`
    for (const name of Object.keys(parts)) {
      expect((await send('GET', `${path}/${name}`)).body, name).toEqual(body[name])
      expect((await send('DELETE', `${path}/${name}`)).status, name).toBe(204)
    }
    expect((await send('GET', path)).body).toMatchObject(toNulls(ROUTE_MODULES))
    await send('PUT', `${path}/compression`, { json: { enabled: false } })
    expect((await send('GET', `/edges/https/${edge}`)).body.routes[0].compression).toEqual({ enabled: false })
    const journal = JSON.stringify(gateway.requests.all())
    expect(journal).toContain('webhook_verification')
    expect(journal).not.toContain('s3cret')
  })

  it('cannot have the same path as another route of the edge', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const edge = gateway.httpsEdges.create().id
    const path = `/edges/https/${edge}/routes`
    const first = gateway.httpsEdgeRoutes.create(edge, { match: '/a', match_type: 'exact_path' })
    const other = gateway.httpsEdgeRoutes.create(edge, { match: '/b' })
    for (const [json, number] of [
      [{}, 7123],
      [{ match: 'a' }, 7131],
      [{ match: `/${'a'.repeat(4096)}` }, 7135],
      [{ match: '/', match_type: 'regex' }, 7130],
      [{ match: '/a' }, 7126],
      [{ match: '/', request_headers: { add: { 'a b': 'x' } } }, 7023],
      [{ match: '/', request_headers: { add: { a: 'x\n' } } }, 7024],
      [{ match: '/', response_headers: { add: { a: 'x', A: 'y' } } }, 7069],
      [{ match: '/', response_headers: { remove: ['a b'] } }, 7023],
      [{ match: '/', webhook_verification: { provider: 'nobody' } }, 7030],
      [{ match: '/', oauth: { provider: {} } }, 7037],
    ] as const) {
      expect(await sendRefused('POST', path, { json }), JSON.stringify(json)).toBe(`400 ERR_NGROK_${number}`)
    }
    expect(await sendRefused('PATCH', `${path}/${other.id}`, { json: { match: '/a' } })).toBe('400 ERR_NGROK_7126')
    const changed = await send('PATCH', `${path}/${first.id}`, { json: { id: first.id, edge_id: edge, match: '/c' } })
    expect(changed.body).toEqual({ ...first, match: '/c' })
  })

  it.each([
    [{ secret: 's3cret' }, 'webhook_verification.provider is missing.'],
    [{ provider: 'github' }, 'webhook_verification.secret is missing.'],
    [{ provider: 'sns', secret: 's3cret' }, 'webhook_verification.secret was sent,'],
  ])('name the whole path of a field that a module rejects: %j', (webhook_verification, message) => {
    const { gateway } = openGateway()
    const edge = gateway.httpsEdges.create().id
    const create = () => gateway.httpsEdgeRoutes.create(edge, { match: '/', webhook_verification } as never)
    expect(expectError(create).message).toMatch(message)
  })

  it('exist only if an operation created them, and only on their own edge', async () => {
    const { gateway, sendRefused } = openGateway()
    const [edge, other] = [gateway.httpsEdges.create().id, gateway.httpsEdges.create().id]
    const { id } = gateway.httpsEdgeRoutes.create(edge, { match: '/' })
    for (const path of [`${other}/routes/${id}`, `${edge}/routes/edghtsrt_1`, `edghts_1/routes/${id}`]) {
      expect(await sendRefused('GET', `/edges/https/${path}`)).toBe('404 ERR_NGROK_90404')
    }
    expect(await sendRefused('PUT', `/edges/https/${other}/routes/${id}/compression`)).toBe('404 ERR_NGROK_90404')
    expect(await sendRefused('PUT', `/edges/https/${edge}/routes/edghtsrt_1/compression`)).toBe('404 ERR_NGROK_90404')
    expect(await sendRefused('POST', '/edges/https/edghts_1/routes', { json: { match: '/' } })).toBe(
      '404 ERR_NGROK_90404',
    )
  })

  it('are deleted with their edge, and count as declared if references must be declared', async () => {
    const { gateway, send, sendRefused } = openGateway({ references: 'declared' })
    const edge = gateway.httpsEdges.create().id
    const { id } = gateway.httpsEdgeRoutes.create(edge, { match: '/' })
    const path = `/edges/https/${edge}/routes/${id}/compression`
    expect((await send('PUT', path)).status).toBe(200)
    gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
    expect((await send('PUT', '/edges/https/edghts_1/routes/edghtsrt_1/compression')).status).toBe(200)
    gateway.httpsEdges.delete(edge)
    expect(await sendRefused('GET', path)).toBe('404 ERR_NGROK_7000')
    expect(gateway.leftovers()).toEqual([{ family: 'compression', id: 'edghts_1/edghtsrt_1' }])
  })

  it('that were declared end with their edge, so that a snapshot can be restored', () => {
    const { gateway } = openGateway()
    const edge = gateway.httpsEdges.create().id
    gateway.declare.edge(edge, { routes: ['edghtsrt_1'] })
    gateway.httpsEdges.delete(edge)
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    const { gateway: other } = openGateway()
    other.restore(snapshot)
    expect(other.snapshot()).toEqual(gateway.snapshot())
  })
})
