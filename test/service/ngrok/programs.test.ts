import { expect } from 'vitest'
import { type Client, outcome, type RequestParts } from '../../support/client.ts'
import { CSR } from './certificate-requests.ts'
import { filterPath, readAllItems, programTest as test } from './support.ts'

// The calls of real programs in their order, including calls that fail (contract: section 10).

const DENY = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'

/** Deletes a resource. Like programs, ignores that the resource does not exist. */
async function deleteIfExists(send: Client, path: string, parts?: RequestParts): Promise<void> {
  const response = await send('DELETE', path, parts)
  if (response.status !== 404) expect(outcome(response), path).toBe('204')
}

test('A web backend gives a user a connector, copes with resources of an earlier run, and deletes everything', async ({
  gateway,
  send,
}) => {
  const headers = { 'content-type': 'application/json' }
  const create = async (path: string, json: object) => (await send('POST', path, { json })).body

  /** Creates a resource. After a 400, returns the existing resource. */
  async function findOrCreate(path: string, json: object, expression: string) {
    const created = await send('POST', path, { json })
    if (created.status === 201) return created.body
    expect(created.status).toBe(400)
    const { body } = await send('GET', filterPath(path, expression), { headers })
    return body[path.slice(1)][0]
  }

  async function provide(policy: string) {
    const bot = await findOrCreate('/bot_users', { name: 'customer-1' }, "obj.name == 'customer-1'")
    const json = { name: 'c1.example.com', region: 'us' }
    const domain = await findOrCreate('/reserved_domains', json, "obj.domain.startsWith('c1.example.')")
    const credential = await create('/credentials', { owner_id: bot.id, acl: [`bind:*.${domain.domain}`] })
    expect(credential.token).toMatch(/^[0-9A-Za-z]{27}_[0-9A-Za-z]{21}$/)
    const endpoint = { type: 'cloud', url: `https://*.${domain.domain}`, traffic_policy: policy }
    let response = await send('POST', '/endpoints', { json: endpoint })
    if (response.status === 400) {
      const all = await readAllItems(send, '/endpoints?limit=2', 'endpoints')
      for (const { id } of all.filter(({ url }) => url === endpoint.url)) {
        expect((await send('DELETE', `/endpoints/${id}`, { headers })).status).toBe(204)
      }
      response = await send('POST', '/endpoints', { json: endpoint })
    }
    expect([response.status, response.body.traffic_policy]).toEqual([201, policy])
    return [`/credentials/${credential.id}`, `/endpoints/${response.body.id}`, `/reserved_domains/${domain.id}`, bot]
  }

  const [orphan] = await provide(DENY)
  // Other endpoints fill the pages before the endpoint of the program.
  for (const name of ['a', 'b', 'c']) {
    gateway.endpoints.create({ type: 'cloud', url: `https://${name}.c1.example.com`, traffic_policy: DENY })
  }
  const [credential, endpoint, domain, bot] = await provide(`${DENY}\n`)
  expect(gateway.botUsers.list().bot_users).toHaveLength(1)

  // A newer version of the program changes the existing endpoint.
  const { endpoints } = (await send('GET', filterPath('/endpoints', "obj.url == 'https://*.c1.example.com'"))).body
  expect(endpoints.map(({ id }: { id: string }) => `/endpoints/${id}`)).toEqual([endpoint])
  const patched = await send('PATCH', endpoint, { json: { traffic_policy: DENY } })
  expect([patched.status, patched.body.traffic_policy]).toEqual([200, DENY])

  expect(outcome(await send('DELETE', domain))).toBe('400 ERR_NGROK_446')
  for (const { id } of gateway.endpoints.list().endpoints.filter(({ id }) => !endpoint.endsWith(id))) {
    await deleteIfExists(send, `/endpoints/${id}`, { headers })
  }
  for (const path of [credential, orphan, credential, endpoint, domain, `/bot_users/${bot.id}`]) {
    await deleteIfExists(send, path, { headers })
  }
  expect(gateway.leftovers()).toEqual([])
})

test('A Kubernetes operator registers, finds its registration again, and reads its endpoints', async ({
  gateway,
  send,
}) => {
  expect((await send('GET', '/api_keys?limit=1')).status).toBe(200)
  const deployment = { name: 'ngrok-operator', namespace: 'ngrok', version: '0.19.0', cluster_name: 'prod' }
  const metadata = '{"owned-by":"ngrok-operator"}'
  const json = {
    description: 'Created by ngrok-operator',
    metadata,
    enabled_features: ['Ingress', 'Bindings'],
    region: '',
    deployment,
    binding: { endpoint_selectors: ["endpoint.proto == 'tcp'"], csr: CSR },
  }

  async function register() {
    const all = await readAllItems(send, '/kubernetes_operators', 'operators')
    const found = all.find(
      (each) => each.deployment.name === deployment.name && each.deployment.namespace === deployment.namespace,
    )
    if (!found) return send('POST', '/kubernetes_operators', { json })
    const { body } = await send('GET', `/kubernetes_operators/${found.id}`)
    expect(body.metadata).toBe(metadata)
    const { region: _, deployment: __, ...changes } = json
    return send('PATCH', `/kubernetes_operators/${found.id}`, {
      json: { ...changes, deployment: { name: 'ngrok-operator' } },
    })
  }

  const bad = await send('POST', '/kubernetes_operators', { json: { ...json, binding: { csr: 'no request' } } })
  expect([bad.body.status_code, bad.body.error_code]).toEqual([400, 'ERR_NGROK_19001'])
  const first = await register()
  expect([first.status, first.body.region]).toEqual([201, 'global'])
  const again = await register()
  expect([again.status, again.body.id]).toEqual([200, first.body.id])
  expect(again.body.deployment).toEqual(deployment)
  expect(again.body.binding.ingress_endpoint).toMatch(/^[^/:]+:\d+$/)

  const { cert, not_after } = again.body.binding.cert
  expect(cert).toContain('-----BEGIN CERTIFICATE-----')
  const renewal = Date.parse(not_after) - 30 * 24 * 3_600_000
  expect(renewal).toBeGreaterThan(Date.parse(first.body.created_at))
  gateway.clock.advanceTo(renewal + 1000)
  const renewed = (await register()).body.binding.cert
  expect(Date.parse(renewed.not_after)).toBeGreaterThan(Date.parse(not_after))

  const bound = `/kubernetes_operators/${first.body.id}/bound_endpoints`
  expect(await readAllItems(send, bound, 'endpoints')).toEqual([])
  const url = 'tcp://db.shop:5432'
  gateway.endpoints.create({
    type: 'cloud',
    url,
    bindings: ['kubernetes'],
    traffic_policy: DENY.replace('http_request', 'tcp_connect'),
  })
  const [endpoint] = await readAllItems(send, bound, 'endpoints')
  expect([endpoint?.public_url, endpoint?.proto, typeof endpoint?.uri]).toEqual([url, 'tcp', 'string'])
  await deleteIfExists(send, `/kubernetes_operators/${first.body.id}`)
  await deleteIfExists(send, `/kubernetes_operators/${first.body.id}`)
})

test('A Kubernetes operator creates, changes and recreates a domain', async ({ gateway, send }) => {
  const name = 'shop.example.com'

  async function reconcile(expected: { description: string }, knownId?: string): Promise<string> {
    const current = knownId === undefined ? undefined : await send('GET', `/reserved_domains/${knownId}`)
    if (current?.status === 200) {
      if (current.body.description === expected.description) return current.body.id
      return (await send('PATCH', `/reserved_domains/${knownId}`, { json: expected })).body.id
    }
    const all = await readAllItems(send, '/reserved_domains', 'reserved_domains')
    const found = all.find(({ domain }) => domain === name)
    if (found) return found.id
    const json = { domain: name, region: '', ...expected, resolves_to: [{ value: 'us' }] }
    const { status, body } = await send('POST', '/reserved_domains', { json })
    expect([status, body.resolves_to]).toEqual([201, [{ value: 'us' }]])
    return body.id
  }

  const id = await reconcile({ description: 'one' })
  expect(await reconcile({ description: 'one' })).toBe(id)
  expect(await reconcile({ description: 'two' }, id)).toBe(id)
  expect(gateway.reservedDomains.get(id).description).toBe('two')
  // Somebody deletes the resource, and the program creates it again.
  gateway.reservedDomains.delete(id)
  const next = await reconcile({ description: 'two' }, id)
  expect(next).not.toBe(id)

  const endpoint = gateway.endpoints.create({ type: 'cloud', url: `https://${name}`, traffic_policy: DENY })
  const attempts: string[] = []
  for (let i = 0; i < 3; i++) {
    attempts.push(outcome(await send('DELETE', `/reserved_domains/${next}`)))
    if (i === 1) gateway.endpoints.delete(endpoint.id)
  }
  expect(attempts).toEqual(['400 ERR_NGROK_446', '400 ERR_NGROK_446', '204'])
})

test('A Kubernetes operator creates a cloud endpoint as soon as the other endpoint is pooled, and changes it', async ({
  gateway,
  send,
}) => {
  gateway.reservedDomains.create({ domain: 'shop.example.com' })
  const policy = '{ "on_http_request":\n\t[ {"actions": [{"type":"deny"}]} ] }\n'
  const json = { url: 'https://shop.example.com', type: 'cloud', bindings: ['public'], traffic_policy: policy }

  const other = gateway.endpoints.create({ type: 'cloud', url: json.url, traffic_policy: DENY })
  const pooled = { ...json, pooling_enabled: true }
  expect(outcome(await send('POST', '/endpoints', { json: pooled }))).toBe('400 ERR_NGROK_18016')
  gateway.endpoints.update(other.id, { pooling_enabled: true })
  expect(outcome(await send('POST', '/endpoints', { json }))).toBe('400 ERR_NGROK_18017')
  const { status, body } = await send('POST', '/endpoints', { json: pooled })
  expect([status, body.traffic_policy, body.domain.id]).toEqual([201, policy, other.domain?.id])

  const path = `/endpoints/${body.id}`
  expect((await send('GET', path)).body).toEqual(body)
  const refused = await send('PATCH', path, { json: { traffic_policy: '{"on_http_request":[{"actions":[{}]}]}' } })
  expect([refused.status, refused.body.msg]).toEqual([400, expect.stringContaining('policy')])
  const changed = await send('PATCH', path, { json: { traffic_policy: DENY, description: 'changed' } })
  expect([changed.status, changed.body.traffic_policy]).toEqual([200, DENY])
  expect((await send('GET', path)).body).toEqual(changed.body)

  gateway.endpoints.delete(body.id)
  expect(outcome(await send('PATCH', path, { json: { description: 'gone' } }))).toBe('404 ERR_NGROK_90404')
  expect((await send('POST', '/endpoints', { json: pooled })).status).toBe(201)
})

test('A Kubernetes operator changes the rules in an IP policy to the expected rules', async ({ gateway, send }) => {
  const policy = (await send('POST', '/ip_policies', { json: { description: 'office', metadata: 'm' } })).body.id
  gateway.ipPolicyRules.create({
    ip_policy_id: gateway.ipPolicies.create({}).id,
    cidr: '10.0.0.0/8',
    action: 'allow',
  })

  async function reconcile(expected: readonly { cidr: string; action: string; description: string }[]) {
    const all = await readAllItems(send, '/ip_policy_rules?limit=1', 'ip_policy_rules')
    const rules = all.filter((each) => each.ip_policy.id === policy)
    for (const rule of rules.filter(
      ({ cidr, action }) => !expected.some((w) => w.cidr === cidr && w.action === action),
    )) {
      await deleteIfExists(send, `/ip_policy_rules/${rule.id}`)
    }
    const outcomes: string[] = []
    for (const rule of expected) {
      const same = rules.find(({ cidr, action }) => cidr === rule.cidr && action === rule.action)
      const json = { description: rule.description }
      const response = same
        ? await send('PATCH', `/ip_policy_rules/${same.id}`, { json })
        : await send('POST', '/ip_policy_rules', { json: { ...rule, ip_policy_id: policy } })
      outcomes.push(outcome(response))
    }
    return outcomes
  }

  const [office, home] = ['192.0.2.0/24', '2001:db8::/32']
  expect(await reconcile([{ cidr: office, action: 'allow', description: '' }])).toEqual(['201'])
  expect(
    await reconcile([
      { cidr: office, action: 'deny', description: 'closed' },
      { cidr: home, action: 'allow', description: 'home' },
      { cidr: '192.0.2.300/32', action: 'allow', description: 'a slip' },
    ]),
  ).toEqual(['201', '201', '400 ERR_NGROK_1406'])
  expect(await reconcile([{ cidr: office, action: 'deny', description: 'shut' }])).toEqual(['200'])
  const remaining = gateway.ipPolicyRules.list().ip_policy_rules.filter((each) => each.ip_policy.id === policy)
  expect(remaining).toMatchObject([{ cidr: office, action: 'deny', description: 'shut' }])
  const texts = await send('PATCH', `/ip_policies/${policy}`, { json: { description: 'offices' } })
  expect(texts.body).toMatchObject({ description: 'offices', metadata: 'm' })
  expect((await send('DELETE', `/ip_policies/${policy}`)).status).toBe(204)
  expect(gateway.ipPolicyRules.list().ip_policy_rules).toHaveLength(1)
})

test('A tool creates the secrets that a vault lacks, changes existing secrets, and deletes all of them', async ({
  gateway,
  send,
}) => {
  const vault = gateway.vaults.create({ name: 'prod' }).id
  gateway.vaults.create({ name: 'test' })
  const metadata = '{"managed-by":"external-secrets"}'

  async function push(name: string, value: string): Promise<number> {
    const vaults = await readAllItems(send, '/vaults?limit=1', 'vaults')
    const { id } = vaults.find((each) => each.name === 'prod') ?? {}
    expect((await send('GET', `/vaults/${id}`)).body.name).toBe('prod')
    const secrets = await readAllItems(send, `/vaults/${id}/secrets?limit=1`, 'secrets')
    const found = secrets.find((each) => each.name === name)
    const json = { value, metadata }
    const response = found
      ? await send('PATCH', `/vault_secrets/${found.id}`, { json })
      : await send('POST', '/vault_secrets', { json: { ...json, name, vault_id: id } })
    expect([response.body.name, response.body.metadata, response.body.value]).toEqual([name, metadata, undefined])
    return response.status
  }

  expect((await send('GET', '/vault_secrets')).body.secrets).toEqual([])
  expect(await push('api-key', 'one')).toBe(201)
  expect(await push('db/password', 'two')).toBe(201)
  expect(await push('api-key', 'three')).toBe(200)
  const all = await readAllItems(send, '/vault_secrets?limit=1', 'secrets')
  expect(all.map(({ name, vault }) => [name, vault.id])).toEqual([
    ['db/password', vault],
    ['api-key', vault],
  ])
  for (const { id } of all) await deleteIfExists(send, `/vault_secrets/${id}`)
  await deleteIfExists(send, `/vault_secrets/${all[0]?.id}`)
  expect((await send('DELETE', `/vaults/${vault}`)).status).toBe(204)
})

test('A script finds the URL of an https tunnel, and the host and port of a tcp tunnel', async ({ gateway, send }) => {
  gateway.declare.tunnelSession({
    endpoints: [{ url: 'tcp://1.tcp.ngrok.io:12345' }, { url: 'https://app.ngrok-free.app' }],
  })
  const { tunnels } = (await send('GET', '/tunnels')).body
  const findUrl = (proto: string) => tunnels.find((each: { proto: string }) => each.proto === proto).public_url
  expect([findUrl('https'), findUrl('tcp')]).toEqual(['https://app.ngrok-free.app', 'tcp://1.tcp.ngrok.io:12345'])
  const { endpoints } = (await send('GET', '/endpoints')).body
  expect(endpoints.map((each: { hostport: string }) => each.hostport).sort()).toEqual([
    '1.tcp.ngrok.io:12345',
    'app.ngrok-free.app:443',
  ])
})

test('A script stops the session of an agent, whose URL is free afterwards', async ({ gateway, send }) => {
  const url = 'https://app.ngrok-free.app'
  gateway.declare.tunnelSession({ endpoints: [{ url }, { url: 'https://other.ngrok-free.app' }] })
  gateway.reservedDomains.create({ domain: 'cloud.example.com' })
  gateway.endpoints.create({ type: 'cloud', url: 'https://cloud.example.com', traffic_policy: DENY })
  const endpoints = await readAllItems(send, '/endpoints', 'endpoints')
  const expected = new Set([url, 'https://other.ngrok-free.app', 'https://cloud.example.com'])
  const matching = endpoints.filter((each) => expected.has(each.url ?? each.public_url))
  const sessions = new Set(matching.flatMap((each) => each.tunnel_session?.id ?? []))
  expect([matching.length, sessions.size]).toEqual([3, 1])
  for (const id of sessions) {
    expect((await send('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(204)
    expect((await send('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(404)
  }
  expect((await readAllItems(send, '/endpoints', 'endpoints')).map(({ type }) => type)).toEqual(['cloud'])
  expect(() => gateway.declare.tunnelSession({ endpoints: [{ url }] })).not.toThrow()
})

test('A desktop launcher shows tunnels and sessions, and continues where an agent cannot be reached', async ({
  gateway,
  send,
}) => {
  const unreachable = gateway.declare.tunnelSession({ endpoints: [{}], reachable: false })
  const { id } = gateway.declare.tunnelSession({ labelled: [{ labels: { app: 'shop' } }] })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const tunnels = await readAllItems(send, '/tunnels', 'tunnels')
  expect(
    tunnels
      .map(({ labels, public_url }) => public_url ?? labels)
      .map((each) => typeof each)
      .sort(),
  ).toEqual(['object', 'string'])
  const sessions = await readAllItems(send, '/tunnel_sessions', 'tunnel_sessions')
  expect(sessions.map((each) => each.id)).toEqual([id, unreachable.id])
  expect((await send('GET', '/reserved_domains')).body.reserved_domains[0].domain).toBe('app.example.com')
  const { status, body } = await send('POST', `/tunnel_sessions/${unreachable.id}/stop`, { json: {} })
  expect([status, body.error_code, typeof body.msg]).toEqual([503, 'ERR_NGROK_810', 'string'])
  expect(body.msg).toContain(unreachable.id)
  expect((await send('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(204)
})

test('A script reserves the domain of a git worktree once, and deletes it', async ({ send }) => {
  const name = 'feature-1.ngrok.app'
  async function reserve(): Promise<{ id: string; domain: string }> {
    const all = await readAllItems(send, '/reserved_domains', 'reserved_domains')
    const found = all.find(({ domain }) => domain === name)
    return (found ?? (await send('POST', '/reserved_domains', { json: { name } })).body) as {
      id: string
      domain: string
    }
  }
  const first = await reserve()
  expect(first).toMatchObject({ id: expect.stringMatching(/^rd_/), domain: name })
  expect(await reserve()).toEqual(first)
  const deletions = [
    await send('DELETE', `/reserved_domains/${first.id}`),
    await send('DELETE', `/reserved_domains/${first.id}`),
  ]
  expect(deletions.map(({ status }) => status)).toEqual([204, 404])
})

test('A script checks its API key, creates an authtoken, and deletes the old one with the same description', async ({
  gateway,
  send,
}) => {
  const refused = await send('GET', '/api_keys', { headers: { authorization: null } })
  expect([401, 403]).toContain(refused.status)
  const createToken = () => send('POST', '/credentials', { json: { description: 'ci', acl: ['bind:*.example.com'] } })
  const old = (await createToken()).body
  expect((await send('GET', '/api_keys', { headers: { authorization: `Bearer ${old.token}` } })).status).toBe(400)
  for (const path of ['/api_keys', '/credentials', '/tunnel_sessions', '/endpoints', '/reserved_domains']) {
    expect((await send('GET', path)).status, path).toBe(200)
  }
  const { status, body } = await createToken()
  expect([status, typeof body.token]).toEqual([201, 'string'])
  const { credentials } = (await send('GET', filterPath('/credentials', "obj.description == 'ci'"))).body
  expect(credentials.map((each: { token: unknown }) => each.token)).toEqual([null, null])
  expect((await send('DELETE', `/credentials/${old.id}`)).status).toBe(204)
  expect(gateway.credentials.list().credentials.map((each) => each.id)).toEqual([body.id])
})
