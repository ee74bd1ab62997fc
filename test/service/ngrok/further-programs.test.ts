import { expect } from 'vitest'
import { outcome } from '../../support/client.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { filterPath, readAllItems, programTest as test } from './support.ts'

const DENY = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'

// Programs that the contract does not name. Each makes the calls that public programs of its kind make.

test('An infrastructure tool creates, reads, changes and deletes resources, also one that is already deleted', async ({
  gateway,
  send,
}) => {
  // The tool sends every field that has a value, and null or nothing for the others.
  const resources: [path: string, json: object, change: object][] = [
    ['/reserved_domains', { domain: 'tf.example.com', description: 'one', metadata: '' }, { description: 'two' }],
    ['/reserved_addrs', { description: 'one', metadata: '{}', region: '' }, { description: '', metadata: '{"a":1}' }],
    ['/ip_policies', { description: 'one', metadata: 'm' }, { description: 'two', metadata: '' }],
    ['/vaults', { name: 'tf', description: 'one' }, { name: 'tf-2', description: 'two' }],
    ['/bot_users', { name: 'tf', active: null }, { active: false }],
    ['/service_users', { name: 'tf service' }, { name: 'renamed', active: true }],
    ['/credentials', { description: 'one', acl: null, owner_id: null }, { acl: ['bind:*.example.com'] }],
    ['/api_keys', { description: 'one', metadata: '' }, { metadata: 'm' }],
    ['/ssh_credentials', { public_key: SSH_KEYS.ed25519, acl: [] }, { description: 'two' }],
    [
      '/endpoints',
      { url: 'https://tf.example.com', traffic_policy: DENY, bindings: ['public'], pooling_enabled: false },
      { traffic_policy: `${DENY}\n`, bindings: ['public'], pooling_enabled: true },
    ],
  ]
  const paths: string[] = []
  for (const [path, json, change] of resources) {
    const { status, body } = await send('POST', path, { json })
    expect(status, path).toBe(201)
    const resourcePath = `${path}/${body.id}`
    const { token: _, ...fields } = body
    expect((await send('GET', resourcePath)).body, path).toMatchObject(fields)
    const changed = await send('PATCH', resourcePath, { json: { id: body.id, ...change } })
    expect([changed.status, (await send('GET', resourcePath)).body]).toEqual([200, changed.body])
    const [key, value] = Object.entries(change)[0] as [string, unknown]
    expect(changed.body[key] ?? '', `${path} ${key}`).toEqual(value)
    paths.unshift(resourcePath)
  }
  // Somebody deletes a resource manually.
  gateway.endpoints.delete(paths[0]?.split('/')[2] ?? '')
  const statuses = []
  for (const path of paths) statuses.push((await send('DELETE', path)).status)
  expect(statuses).toEqual([404, ...paths.slice(1).map(() => 204)])
  expect(gateway.leftovers()).toEqual([])
})

test('A script allows only the home address, and finds its rule by description', async ({ gateway, send }) => {
  gateway.ipPolicies.create({ description: 'office' })
  const policy = gateway.ipPolicies.create({ description: 'home' })
  for (const cidr of ['198.51.100.0/24', '203.0.113.0/24']) {
    gateway.ipPolicyRules.create({ ip_policy_id: policy.id, cidr, action: 'deny', description: 'never' })
  }
  async function allowAddress(address: string) {
    const policies = (await send('GET', filterPath('/ip_policies', "obj.description == 'home'"))).body.ip_policies
    const id = policies[0].id
    const rules = filterPath('/ip_policy_rules', `obj.ip_policy == '${id}' && obj.action == 'allow'`)
    const [old] = (await send('GET', rules)).body.ip_policy_rules
    const json = { cidr: `${address}/32`, description: 'router' }
    return old
      ? send('PATCH', `/ip_policy_rules/${old.id}`, { json })
      : send('POST', '/ip_policy_rules', { json: { ...json, ip_policy_id: id, action: 'allow' } })
  }
  const first = await allowAddress('192.0.2.1')
  const second = await allowAddress('192.0.2.2')
  expect([first.status, second.status, second.body.id, second.body.cidr]).toEqual([
    201,
    200,
    first.body.id,
    '192.0.2.2/32',
  ])
  expect(outcome(await allowAddress('no address'))).toBe('400 ERR_NGROK_1406')
})

test('A fleet manager gives each device an address, a token that binds only this address, and an SSH key', async ({
  gateway,
  send,
}) => {
  async function enrolDevice(serial: string, public_key: string) {
    const texts = { description: `device ${serial}`, metadata: JSON.stringify({ serial }) }
    const address = (await send('POST', '/reserved_addrs', { json: { ...texts, region: 'eu' } })).body
    const acl = [`bind:${address.addr}`]
    const credential = await send('POST', '/credentials', { json: { ...texts, acl } })
    const ssh = await send('POST', '/ssh_credentials', { json: { ...texts, acl, public_key } })
    return { address, credential, ssh }
  }
  const { address, credential, ssh } = await enrolDevice('001', SSH_KEYS.ed25519)
  expect([credential.status, credential.body.acl, ssh.status]).toEqual([201, [`bind:${address.addr}`], 201])
  // A cloned device has the key of the original.
  expect(outcome((await enrolDevice('002', SSH_KEYS.ed25519)).ssh)).toBe('400 ERR_NGROK_609')

  gateway.declare.tunnelSession({ credential: credential.body.id, endpoints: [{ url: `tcp://${address.addr}` }] })
  const [endpoint] = (await send('GET', filterPath('/endpoints', `obj.url == 'tcp://${address.addr}'`))).body.endpoints
  expect([endpoint.hostport, endpoint.tcp_addr.id]).toEqual([address.addr, address.id])
  const sessionsPath = filterPath('/tunnel_sessions', `obj.credential == '${credential.body.id}'`)
  expect((await send('GET', sessionsPath)).body.tunnel_sessions).toHaveLength(1)
  // Somebody steals the device. Its session ends when its credential is deleted.
  expect((await send('DELETE', `/credentials/${credential.body.id}`)).status).toBe(204)
  expect((await send('GET', sessionsPath)).body.tunnel_sessions).toEqual([])
})

test('A deployment replaces a version by another at one pooled URL', async ({ gateway, send }) => {
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const deploy = (version: string) =>
    send('POST', '/endpoints', {
      json: {
        url: 'https://app.example.com',
        type: 'cloud',
        pooling_enabled: true,
        metadata: version,
        traffic_policy: JSON.stringify({
          on_http_request: [
            { actions: [{ type: 'forward-internal', config: { url: `https://${version}.internal` } }] },
          ],
        }),
      },
    })
  const listVersions = async () =>
    (await send('GET', '/endpoints?url=https%3A%2F%2Fapp.example.com')).body.endpoints.map(
      ({ metadata }: { metadata: string }) => metadata,
    )
  const blue = await deploy('blue')
  const green = await deploy('green')
  expect([blue.status, green.status, await listVersions()]).toEqual([201, 201, ['green', 'blue']])
  expect((await send('DELETE', `/endpoints/${blue.body.id}`)).status).toBe(204)
  expect(await listVersions()).toEqual(['green'])
  const bad = await send('PATCH', `/endpoints/${green.body.id}`, { json: { traffic_policy: '{"on_nothing": []}' } })
  expect(outcome(bad)).toBe('400 ERR_NGROK_2230')
})

test('A cleanup job finds the domains of old previews by metadata, and deletes each after its endpoints', async ({
  gateway,
  send,
}) => {
  for (let i = 0; i < 5; i++) {
    const metadata = i < 4 ? `pr-${i}` : 'production'
    gateway.reservedDomains.create({ domain: `p${i}.example.com`, metadata })
    gateway.endpoints.create({ type: 'cloud', url: `https://p${i}.example.com`, traffic_policy: DENY, metadata })
    gateway.clock.advance('1d')
  }
  const stale = `obj.metadata.startsWith('pr-') && timestamp(obj.created_at) < timestamp('2026-01-03T12:00:00Z')`
  const stalePath = `${filterPath('/reserved_domains', stale)}&limit=2`
  const domains = await readAllItems(send, stalePath, 'reserved_domains')
  expect(domains.map(({ metadata }) => metadata)).toEqual(['pr-2', 'pr-1', 'pr-0'])
  for (const { id, domain } of domains) {
    const path = `/reserved_domains/${id}`
    expect(outcome(await send('DELETE', path)), domain).toBe('400 ERR_NGROK_446')
    const { endpoints } = (await send('GET', filterPath('/endpoints', `obj.url == 'https://${domain}'`))).body
    for (const each of endpoints) expect((await send('DELETE', `/endpoints/${each.id}`)).status).toBe(204)
    expect((await send('DELETE', path)).status).toBe(204)
  }
  expect(await readAllItems(send, stalePath, 'reserved_domains')).toEqual([])
})

test('A dashboard in a browser reads sessions, endpoints and domains with one key', async ({ gateway }) => {
  const origin = 'https://dashboard.example.com'
  const headers = { authorization: 'Bearer key', 'ngrok-version': '2', origin }
  gateway.declare.tunnelSession({ endpoints: [{}], os: 'windows', agent_version: '3.5.0' })
  const preflight = await gateway.fetch(`${gateway.url}/tunnels`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,ngrok-version',
    },
  })
  expect([preflight.ok, preflight.headers.get('access-control-allow-origin')]).toEqual([true, origin])
  const counts: Record<string, number> = {}
  for (const items of ['tunnels', 'tunnel_sessions', 'endpoints', 'reserved_domains', 'reserved_addrs']) {
    const response = await gateway.fetch(`${gateway.url}/${items}?limit=100`, { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    counts[items] = (await response.json())[items].length
  }
  expect(counts).toEqual({ tunnels: 1, tunnel_sessions: 1, endpoints: 1, reserved_domains: 0, reserved_addrs: 0 })
})

test('A manager of agents updates old agents, restarts them, and finds their URLs again', async ({ gateway, send }) => {
  const url = 'https://app.ngrok-free.app'
  gateway.declare.tunnelSession({ agent_version: '3.1.0', update: '3.39.0', endpoints: [{ url }] })
  gateway.declare.tunnelSession({ agent_version: '3.1.0', os: 'windows', update: '3.39.0' })
  gateway.declare.tunnelSession({ agent_version: '3.39.0' })
  const outdated = filterPath('/tunnel_sessions', "obj.agent_version == '3.1.0'")
  const outcomes: string[] = []
  for (const { id } of await readAllItems(send, outdated, 'tunnel_sessions')) {
    outcomes.push(outcome(await send('POST', `/tunnel_sessions/${id}/update`, { json: { id } })))
    outcomes.push(outcome(await send('POST', `/tunnel_sessions/${id}/update`, { json: { id } })))
    outcomes.push(outcome(await send('POST', `/tunnel_sessions/${id}/restart`, { json: { id } })))
  }
  expect(outcomes).toEqual(['204', '400 ERR_NGROK_809', '400 ERR_NGROK_804', '204', '400 ERR_NGROK_809', '204'])
  const [tunnel] = await readAllItems(send, '/tunnels', 'tunnels')
  const session = (await send('GET', tunnel.tunnel_session.uri)).body
  expect([tunnel.public_url, session.agent_version]).toEqual([url, '3.39.0'])
  expect((await readAllItems(send, outdated, 'tunnel_sessions')).map(({ os }) => os)).toEqual(['windows'])
})

test('A rotator of API keys uses the key that it created, and the old key is invalid', async ({ send }) => {
  const bot = (await send('POST', '/bot_users', { json: { name: 'ci' } })).body
  const createKey = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await send('POST', '/api_keys', { headers, json: { owner_id: bot.id, description: 'rotated' } })).body
  }
  const old = await createKey('key')
  const fresh = await createKey(old.token)
  const headers = { authorization: `Bearer ${fresh.token}` }
  const oldKeys = filterPath('/api_keys', `obj.owner_id == '${bot.id}' && obj.id != '${fresh.id}'`)
  const { keys } = (await send('GET', oldKeys, { headers })).body
  expect(keys.map(({ id, token }: { id: string; token: null }) => [id, token])).toEqual([[old.id, null]])
  expect((await send('DELETE', `/api_keys/${old.id}`, { headers })).status).toBe(204)
  const refused = await send('GET', '/api_keys', { headers: { authorization: `Bearer ${old.token}` } })
  expect(outcome(refused)).toBe('403 ERR_NGROK_203')
  expect((await send('GET', '/api_keys', { headers })).status).toBe(200)
  // Neither the id of a key nor the token of an agent is a key.
  const tryKey = async (key: string) =>
    outcome(await send('GET', '/api_keys', { headers: { authorization: `Bearer ${key}` } }))
  const agent = (await send('POST', '/credentials', { json: {} })).body
  expect([await tryKey(fresh.id), await tryKey(agent.token)]).toEqual(['403 ERR_NGROK_208', '400 ERR_NGROK_206'])
  // The key is deleted with its owner.
  expect((await send('DELETE', `/bot_users/${bot.id}`)).status).toBe(204)
  expect(await tryKey(fresh.token)).toBe('403 ERR_NGROK_203')
})

test('A provider of sandboxes gives each tenant an identity, an address, a token and a gateway, and revokes one', async ({
  gateway,
  send,
}) => {
  const create = async (path: string, json: object) => {
    const { status, body } = await send('POST', path, { json })
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(201)
    return body
  }
  async function provide(tenant: string) {
    const texts = { description: `gateway of ${tenant}`, metadata: JSON.stringify({ tenant_id: tenant }) }
    const user = await create('/service_users', { name: `sandbox (tenant ${tenant})` })
    const { id, addr } = await create('/reserved_addrs', { ...texts, region: 'us' })
    const acl = [`bind:sandbox-${tenant}.internal:22`, 'bind:*']
    const credential = await create('/credentials', { ...texts, acl, owner_id: user.id })
    const forward = { type: 'forward-internal', config: { url: `tcp://sandbox-${tenant}.internal:22` } }
    const traffic_policy = JSON.stringify({ on_tcp_connect: [{ actions: [forward] }] })
    const url = `tcp://${addr}`
    const endpoint = await create('/endpoints', { type: 'cloud', bindings: ['public'], url, ...texts, traffic_policy })
    expect([endpoint.hostport, endpoint.tcp_addr.id, credential.owner_id]).toEqual([addr, id, user.id])
    return { user, credential, paths: [`/endpoints/${endpoint.id}`, `/reserved_addrs/${id}`] }
  }
  const [red, blue] = [await provide('red'), await provide('blue')]
  for (const { credential } of [red, blue]) {
    gateway.declare.tunnelSession({
      credential: credential.id,
      endpoints: [{ binding: 'internal', url: `tcp://${credential.id.replace('_', '-').toLowerCase()}.internal:22` }],
    })
  }
  // An address is in use until its gateway is deleted.
  expect(outcome(await send('DELETE', red.paths[1] ?? ''))).toBe('409 ERR_NGROK_90441')
  // Without its user, a tenant has no token and no session any more.
  expect((await send('DELETE', `/service_users/${red.user.id}`)).status).toBe(204)
  for (const path of red.paths) expect((await send('DELETE', path)).status).toBe(204)
  const sessions = await readAllItems(send, '/tunnel_sessions', 'tunnel_sessions')
  expect(sessions.map((each) => each.credential.id)).toEqual([blue.credential.id])
  const redEndpoints = filterPath('/endpoints', `obj.metadata == '{"tenant_id":"red"}'`)
  expect((await send('GET', redEndpoints)).body.endpoints).toEqual([])
})
