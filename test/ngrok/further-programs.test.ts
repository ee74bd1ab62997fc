import { expect } from 'vitest'
import { outcome } from '../support/client.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { everyPage, filtered, programTest as test } from './support.ts'

// Programs that the contract does not name. Each makes the calls that public programs of its kind make.

test('An infrastructure tool applies, reads without a difference, changes, and destroys resources that are already gone', async ({
  gateway,
  ask,
}) => {
  // The tool sends every field that has a value, and null or nothing for the others.
  const wanted: [path: string, json: object, change: object][] = [
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
      { url: 'https://tf.example.com', traffic_policy: '{}', bindings: ['public'], pooling_enabled: false },
      { traffic_policy: 'on_http_request: []\n', bindings: ['public'], pooling_enabled: true },
    ],
  ]
  const made: string[] = []
  for (const [path, json, change] of wanted) {
    const { status, body } = await ask('POST', path, { json })
    expect(status, path).toBe(201)
    const own = `${path}/${body.id}`
    const { token: _, ...shown } = body
    expect((await ask('GET', own)).body, path).toMatchObject(shown)
    const changed = await ask('PATCH', own, { json: { id: body.id, ...change } })
    expect([changed.status, (await ask('GET', own)).body]).toEqual([200, changed.body])
    const [key, value] = Object.entries(change)[0] as [string, unknown]
    expect(changed.body[key] ?? '', `${path} ${key}`).toEqual(value)
    made.unshift(own)
  }
  // Somebody removed one manually.
  gateway.endpoints.delete(made[0]?.split('/')[2] ?? '')
  const ends = []
  for (const path of made) ends.push((await ask('DELETE', path)).status)
  expect(ends).toEqual([404, ...made.slice(1).map(() => 204)])
  expect(gateway.leftovers()).toEqual([])
})

test('A script allows only the home address, and finds its rule by description', async ({ gateway, ask }) => {
  gateway.ipPolicies.create({ description: 'office' })
  const policy = gateway.ipPolicies.create({ description: 'home' })
  for (const cidr of ['198.51.100.0/24', '203.0.113.0/24']) {
    gateway.ipPolicyRules.create({ ip_policy_id: policy.id, cidr, action: 'deny', description: 'never' })
  }
  async function letIn(address: string) {
    const policies = (await ask('GET', filtered('/ip_policies', "obj.description == 'home'"))).body.ip_policies
    const id = policies[0].id
    const rules = filtered('/ip_policy_rules', `obj.ip_policy == '${id}' && obj.action == 'allow'`)
    const [old] = (await ask('GET', rules)).body.ip_policy_rules
    const json = { cidr: `${address}/32`, description: 'router' }
    return old
      ? ask('PATCH', `/ip_policy_rules/${old.id}`, { json })
      : ask('POST', '/ip_policy_rules', { json: { ...json, ip_policy_id: id, action: 'allow' } })
  }
  const first = await letIn('192.0.2.1')
  const second = await letIn('192.0.2.2')
  expect([first.status, second.status, second.body.id, second.body.cidr]).toEqual([
    201,
    200,
    first.body.id,
    '192.0.2.2/32',
  ])
  expect(outcome(await letIn('no address'))).toBe('400 ERR_NGROK_1406')
})

test('A fleet gives each device an address, a token that binds only it, and a key for SSH', async ({
  gateway,
  ask,
}) => {
  async function enrol(serial: string, public_key: string) {
    const texts = { description: `device ${serial}`, metadata: JSON.stringify({ serial }) }
    const address = (await ask('POST', '/reserved_addrs', { json: { ...texts, region: 'eu' } })).body
    const acl = [`bind:${address.addr}`]
    const credential = await ask('POST', '/credentials', { json: { ...texts, acl } })
    const ssh = await ask('POST', '/ssh_credentials', { json: { ...texts, acl, public_key } })
    return { address, credential, ssh }
  }
  const { address, credential, ssh } = await enrol('001', SSH_KEYS.ed25519)
  expect([credential.status, credential.body.acl, ssh.status]).toEqual([201, [`bind:${address.addr}`], 201])
  // A cloned device has the key of the original.
  expect(outcome((await enrol('002', SSH_KEYS.ed25519)).ssh)).toBe('400 ERR_NGROK_609')

  gateway.declare.tunnelSession({ credential: credential.body.id, endpoints: [{ url: `tcp://${address.addr}` }] })
  const [endpoint] = (await ask('GET', filtered('/endpoints', `obj.url == 'tcp://${address.addr}'`))).body.endpoints
  expect([endpoint.hostport, endpoint.tcp_addr.id]).toEqual([address.addr, address.id])
  const online = filtered('/tunnel_sessions', `obj.credential == '${credential.body.id}'`)
  expect((await ask('GET', online)).body.tunnel_sessions).toHaveLength(1)
  // A stolen device: without its credential, its session ends.
  expect((await ask('DELETE', `/credentials/${credential.body.id}`)).status).toBe(204)
  expect((await ask('GET', online)).body.tunnel_sessions).toEqual([])
})

test('A deployment swaps two versions behind one pooled URL', async ({ gateway, ask }) => {
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const deploy = (version: string) =>
    ask('POST', '/endpoints', {
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
  const online = async () =>
    (await ask('GET', '/endpoints?url=https%3A%2F%2Fapp.example.com')).body.endpoints.map(
      ({ metadata }: { metadata: string }) => metadata,
    )
  const blue = await deploy('blue')
  const green = await deploy('green')
  expect([blue.status, green.status, await online()]).toEqual([201, 201, ['green', 'blue']])
  expect((await ask('DELETE', `/endpoints/${blue.body.id}`)).status).toBe(204)
  expect(await online()).toEqual(['green'])
  const bad = await ask('PATCH', `/endpoints/${green.body.id}`, { json: { traffic_policy: '{"on_nothing": []}' } })
  expect(outcome(bad)).toBe('400 ERR_NGROK_2230')
})

test('A sweeper of preview environments deletes resources that metadata marks, oldest last, and copes with those in use', async ({
  gateway,
  ask,
}) => {
  for (let i = 0; i < 5; i++) {
    const metadata = i < 4 ? `pr-${i}` : 'production'
    gateway.reservedDomains.create({ domain: `p${i}.example.com`, metadata })
    gateway.endpoints.create({ type: 'cloud', url: `https://p${i}.example.com`, traffic_policy: '{}', metadata })
    gateway.clock.advance('1d')
  }
  const stale = `obj.metadata.startsWith('pr-') && timestamp(obj.created_at) < timestamp('2026-01-03T12:00:00Z')`
  const page = `${filtered('/reserved_domains', stale)}&limit=2`
  const domains = await everyPage(ask, page, 'reserved_domains')
  expect(domains.map(({ metadata }) => metadata)).toEqual(['pr-2', 'pr-1', 'pr-0'])
  for (const { id, domain } of domains) {
    const path = `/reserved_domains/${id}`
    expect(outcome(await ask('DELETE', path)), domain).toBe('400 ERR_NGROK_446')
    const { endpoints } = (await ask('GET', filtered('/endpoints', `obj.url == 'https://${domain}'`))).body
    for (const each of endpoints) expect((await ask('DELETE', `/endpoints/${each.id}`)).status).toBe(204)
    expect((await ask('DELETE', path)).status).toBe(204)
  }
  expect(await everyPage(ask, page, 'reserved_domains')).toEqual([])
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
    const answer = await gateway.fetch(`${gateway.url}/${items}?limit=100`, { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    counts[items] = (await answer.json())[items].length
  }
  expect(counts).toEqual({ tunnels: 1, tunnel_sessions: 1, endpoints: 1, reserved_domains: 0, reserved_addrs: 0 })
})

test('A manager of agents updates old agents, restarts them, and finds their URLs again', async ({ gateway, ask }) => {
  const url = 'https://app.ngrok-free.app'
  gateway.declare.tunnelSession({ agent_version: '3.1.0', update: '3.39.0', endpoints: [{ url }] })
  gateway.declare.tunnelSession({ agent_version: '3.1.0', os: 'windows', update: '3.39.0' })
  gateway.declare.tunnelSession({ agent_version: '3.39.0' })
  const outdated = filtered('/tunnel_sessions', "obj.agent_version == '3.1.0'")
  const outcomes: string[] = []
  for (const { id } of await everyPage(ask, outdated, 'tunnel_sessions')) {
    outcomes.push(outcome(await ask('POST', `/tunnel_sessions/${id}/update`, { json: { id } })))
    outcomes.push(outcome(await ask('POST', `/tunnel_sessions/${id}/update`, { json: { id } })))
    outcomes.push(outcome(await ask('POST', `/tunnel_sessions/${id}/restart`, { json: { id } })))
  }
  expect(outcomes).toEqual(['204', '400 ERR_NGROK_809', '400 ERR_NGROK_804', '204', '400 ERR_NGROK_809', '204'])
  const [tunnel] = await everyPage(ask, '/tunnels', 'tunnels')
  const session = (await ask('GET', tunnel.tunnel_session.uri)).body
  expect([tunnel.public_url, session.agent_version]).toEqual([url, '3.39.0'])
  expect((await everyPage(ask, outdated, 'tunnel_sessions')).map(({ os }) => os)).toEqual(['windows'])
})

test('A rotator of API keys uses the key that it created, and the old key is invalid', async ({ ask }) => {
  const bot = (await ask('POST', '/bot_users', { json: { name: 'ci' } })).body
  const mint = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await ask('POST', '/api_keys', { headers, json: { owner_id: bot.id, description: 'rotated' } })).body
  }
  const old = await mint('key')
  const fresh = await mint(old.token)
  const headers = { authorization: `Bearer ${fresh.token}` }
  const mine = filtered('/api_keys', `obj.owner_id == '${bot.id}' && obj.id != '${fresh.id}'`)
  const { keys } = (await ask('GET', mine, { headers })).body
  expect(keys.map(({ id, token }: { id: string; token: null }) => [id, token])).toEqual([[old.id, null]])
  expect((await ask('DELETE', `/api_keys/${old.id}`, { headers })).status).toBe(204)
  const dead = await ask('GET', '/api_keys', { headers: { authorization: `Bearer ${old.token}` } })
  expect(outcome(dead)).toBe('403 ERR_NGROK_203')
  expect((await ask('GET', '/api_keys', { headers })).status).toBe(200)
  // Neither the id of a key nor the token of an agent is a key.
  const asKey = async (key: string) =>
    outcome(await ask('GET', '/api_keys', { headers: { authorization: `Bearer ${key}` } }))
  const agent = (await ask('POST', '/credentials', { json: {} })).body
  expect([await asKey(fresh.id), await asKey(agent.token)]).toEqual(['403 ERR_NGROK_208', '403 ERR_NGROK_206'])
  // The key is deleted with its owner.
  expect((await ask('DELETE', `/bot_users/${bot.id}`)).status).toBe(204)
  expect(await asKey(fresh.token)).toBe('403 ERR_NGROK_203')
})

test('A provider of sandboxes gives each tenant an identity, an address, a token and a gateway, and revokes one', async ({
  gateway,
  ask,
}) => {
  const made = async (path: string, json: object) => {
    const { status, body } = await ask('POST', path, { json })
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(201)
    return body
  }
  async function provide(tenant: string) {
    const texts = { description: `gateway of ${tenant}`, metadata: JSON.stringify({ tenant_id: tenant }) }
    const user = await made('/service_users', { name: `sandbox (tenant ${tenant})` })
    const { id, addr } = await made('/reserved_addrs', { ...texts, region: 'us' })
    const acl = [`bind:sandbox-${tenant}.internal:22`, 'bind:*']
    const credential = await made('/credentials', { ...texts, acl, owner_id: user.id })
    const forward = { type: 'forward-internal', config: { url: `tcp://sandbox-${tenant}.internal:22` } }
    const traffic_policy = JSON.stringify({ on_tcp_connect: [{ actions: [forward] }] })
    const url = `tcp://${addr}`
    const endpoint = await made('/endpoints', { type: 'cloud', bindings: ['public'], url, ...texts, traffic_policy })
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
  expect(outcome(await ask('DELETE', red.paths[1] ?? ''))).toBe('409 ERR_NGROK_90441')
  // Without its user, a tenant has no token and no session any more.
  expect((await ask('DELETE', `/service_users/${red.user.id}`)).status).toBe(204)
  for (const path of red.paths) expect((await ask('DELETE', path)).status).toBe(204)
  const sessions = await everyPage(ask, '/tunnel_sessions', 'tunnel_sessions')
  expect(sessions.map((each) => each.credential.id)).toEqual([blue.credential.id])
  const mine = filtered('/endpoints', `obj.metadata == '{"tenant_id":"red"}'`)
  expect((await ask('GET', mine)).body.endpoints).toEqual([])
})
