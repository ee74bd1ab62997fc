import { expect } from 'vitest'
import { type Client, outcome, type RequestParts } from '../support/client.ts'
import { CSR } from './certificate-requests.ts'
import { everyPage, filtered, programTest as test } from './support.ts'

// The calls of real programs in their order, including calls that fail (contract: section 10).

const DENY = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'

/** Sends a request, and ignores a response that says that the resource is gone, as programs do. */
async function tolerant(ask: Client, path: string, sending?: RequestParts): Promise<void> {
  const answer = await ask('DELETE', path, sending)
  if (answer.status !== 404) expect(outcome(answer), path).toBe('204')
}

test('A web backend gives a user a connector, copes with resources of an earlier run, and deletes everything', async ({
  gateway,
  ask,
}) => {
  const headers = { 'content-type': 'application/json' }
  const made = async (path: string, json: object) => (await ask('POST', path, { json })).body

  /** Creates a resource that may exist already. After a 400, looks up the existing one. */
  async function ensured(path: string, json: object, expression: string) {
    const created = await ask('POST', path, { json })
    if (created.status === 201) return created.body
    expect(created.status).toBe(400)
    const { body } = await ask('GET', filtered(path, expression), { headers })
    return body[path.slice(1)][0]
  }

  async function provide(policy: string) {
    const bot = await ensured('/bot_users', { name: 'customer-1' }, "obj.name == 'customer-1'")
    const json = { name: 'c1.example.com', region: 'us' }
    const domain = await ensured('/reserved_domains', json, "obj.domain.startsWith('c1.example.')")
    const credential = await made('/credentials', { owner_id: bot.id, acl: [`bind:*.${domain.domain}`] })
    expect(credential.token).toMatch(/^[0-9A-Za-z]{27}_[0-9A-Za-z]{21}$/)
    const endpoint = { type: 'cloud', url: `https://*.${domain.domain}`, traffic_policy: policy }
    let answer = await ask('POST', '/endpoints', { json: endpoint })
    if (answer.status === 400) {
      const all = await everyPage(ask, '/endpoints?limit=2', 'endpoints')
      for (const { id } of all.filter(({ url }) => url === endpoint.url)) {
        expect((await ask('DELETE', `/endpoints/${id}`, { headers })).status).toBe(204)
      }
      answer = await ask('POST', '/endpoints', { json: endpoint })
    }
    expect([answer.status, answer.body.traffic_policy]).toEqual([201, policy])
    return [`/credentials/${credential.id}`, `/endpoints/${answer.body.id}`, `/reserved_domains/${domain.id}`, bot]
  }

  const [orphan] = await provide(DENY)
  // Other endpoints fill the pages before the wanted endpoint.
  for (const name of ['a', 'b', 'c']) {
    gateway.endpoints.create({ type: 'cloud', url: `https://${name}.c1.example.com`, traffic_policy: DENY })
  }
  const [credential, endpoint, domain, bot] = await provide('{}')
  expect(gateway.botUsers.list().bot_users).toHaveLength(1)

  // The newer version asks first and changes what is there.
  const { endpoints } = (await ask('GET', filtered('/endpoints', "obj.url == 'https://*.c1.example.com'"))).body
  expect(endpoints.map(({ id }: { id: string }) => `/endpoints/${id}`)).toEqual([endpoint])
  const patched = await ask('PATCH', endpoint, { json: { traffic_policy: DENY } })
  expect([patched.status, patched.body.traffic_policy]).toEqual([200, DENY])

  expect(outcome(await ask('DELETE', domain))).toBe('400 ERR_NGROK_446')
  for (const { id } of gateway.endpoints.list().endpoints.filter(({ id }) => !endpoint.endsWith(id))) {
    await tolerant(ask, `/endpoints/${id}`, { headers })
  }
  for (const path of [credential, orphan, credential, endpoint, domain, `/bot_users/${bot.id}`]) {
    await tolerant(ask, path, { headers })
  }
  expect(gateway.leftovers()).toEqual([])
})

test('A Kubernetes operator registers itself, finds itself again and asks for its endpoints', async ({
  gateway,
  ask,
}) => {
  expect((await ask('GET', '/api_keys?limit=1')).status).toBe(200)
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

  async function registered() {
    const all = await everyPage(ask, '/kubernetes_operators', 'operators')
    const found = all.find(
      (each) => each.deployment.name === deployment.name && each.deployment.namespace === deployment.namespace,
    )
    if (!found) return ask('POST', '/kubernetes_operators', { json })
    const { body } = await ask('GET', `/kubernetes_operators/${found.id}`)
    expect(body.metadata).toBe(metadata)
    const { region: _, deployment: __, ...changes } = json
    return ask('PATCH', `/kubernetes_operators/${found.id}`, {
      json: { ...changes, deployment: { name: 'ngrok-operator' } },
    })
  }

  const bad = await ask('POST', '/kubernetes_operators', { json: { ...json, binding: { csr: 'no request' } } })
  expect([bad.body.status_code, bad.body.error_code]).toEqual([400, 'ERR_NGROK_19001'])
  const first = await registered()
  expect([first.status, first.body.region]).toEqual([201, 'global'])
  const again = await registered()
  expect([again.status, again.body.id]).toEqual([200, first.body.id])
  expect(again.body.deployment).toEqual(deployment)
  expect(again.body.binding.ingress_endpoint).toMatch(/^[^/:]+:\d+$/)

  const { cert, not_after } = again.body.binding.cert
  expect(cert).toContain('-----BEGIN CERTIFICATE-----')
  const renewal = Date.parse(not_after) - 30 * 24 * 3_600_000
  expect(renewal).toBeGreaterThan(Date.parse(first.body.created_at))
  gateway.clock.advanceTo(renewal + 1000)
  const renewed = (await registered()).body.binding.cert
  expect(Date.parse(renewed.not_after)).toBeGreaterThan(Date.parse(not_after))

  const bound = `/kubernetes_operators/${first.body.id}/bound_endpoints`
  expect(await everyPage(ask, bound, 'endpoints')).toEqual([])
  const url = 'tcp://db.shop:5432'
  gateway.endpoints.create({ type: 'cloud', url, bindings: ['kubernetes'], traffic_policy: '{}' })
  const [endpoint] = await everyPage(ask, bound, 'endpoints')
  expect([endpoint?.public_url, endpoint?.proto, typeof endpoint?.uri]).toEqual([url, 'tcp', 'string'])
  await tolerant(ask, `/kubernetes_operators/${first.body.id}`)
  await tolerant(ask, `/kubernetes_operators/${first.body.id}`)
})

test('A Kubernetes operator keeps domains as its resources say', async ({ gateway, ask }) => {
  const name = 'shop.example.com'

  async function reconciled(expected: { description: string }, known?: string): Promise<string> {
    const read = known === undefined ? undefined : await ask('GET', `/reserved_domains/${known}`)
    if (read?.status === 200) {
      if (read.body.description === expected.description) return read.body.id
      return (await ask('PATCH', `/reserved_domains/${known}`, { json: expected })).body.id
    }
    const all = await everyPage(ask, '/reserved_domains', 'reserved_domains')
    const found = all.find(({ domain }) => domain === name)
    if (found) return found.id
    const json = { domain: name, region: '', ...expected, resolves_to: [{ value: 'us' }] }
    const { status, body } = await ask('POST', '/reserved_domains', { json })
    expect([status, body.resolves_to]).toEqual([201, [{ value: 'us' }]])
    return body.id
  }

  const id = await reconciled({ description: 'one' })
  expect(await reconciled({ description: 'one' })).toBe(id)
  expect(await reconciled({ description: 'two' }, id)).toBe(id)
  expect(gateway.reservedDomains.get(id).description).toBe('two')
  // Somebody deletes the resource, and the program creates it again.
  gateway.reservedDomains.delete(id)
  const next = await reconciled({ description: 'two' }, id)
  expect(next).not.toBe(id)

  const endpoint = gateway.endpoints.create({ type: 'cloud', url: `https://${name}`, traffic_policy: '{}' })
  const attempts: string[] = []
  for (let i = 0; i < 3; i++) {
    attempts.push(outcome(await ask('DELETE', `/reserved_domains/${next}`)))
    if (i === 1) gateway.endpoints.delete(endpoint.id)
  }
  expect(attempts).toEqual(['400 ERR_NGROK_446', '400 ERR_NGROK_446', '204'])
})

test('A Kubernetes operator keeps a cloud endpoint, and joins its pool when the other endpoint is ready', async ({
  gateway,
  ask,
}) => {
  gateway.reservedDomains.create({ domain: 'shop.example.com' })
  const policy = '{ "on_http_request":\n\t[ {"actions": [{"type":"deny"}]} ] }\n'
  const json = { url: 'https://shop.example.com', type: 'cloud', bindings: ['public'], traffic_policy: policy }

  const other = gateway.endpoints.create({ type: 'cloud', url: json.url, traffic_policy: '{}' })
  const pooled = { ...json, pooling_enabled: true }
  expect(outcome(await ask('POST', '/endpoints', { json: pooled }))).toBe('400 ERR_NGROK_18016')
  gateway.endpoints.update(other.id, { pooling_enabled: true })
  expect(outcome(await ask('POST', '/endpoints', { json }))).toBe('400 ERR_NGROK_18017')
  const { status, body } = await ask('POST', '/endpoints', { json: pooled })
  expect([status, body.traffic_policy, body.domain.id]).toEqual([201, policy, other.domain?.id])

  const path = `/endpoints/${body.id}`
  expect((await ask('GET', path)).body).toEqual(body)
  const refused = await ask('PATCH', path, { json: { traffic_policy: '{"on_http_request":[{"actions":[{}]}]}' } })
  expect([refused.status, refused.body.msg]).toEqual([400, expect.stringContaining('policy')])
  const changed = await ask('PATCH', path, { json: { traffic_policy: DENY, description: 'changed' } })
  expect([changed.status, changed.body.traffic_policy]).toEqual([200, DENY])
  expect((await ask('GET', path)).body).toEqual(changed.body)

  gateway.endpoints.delete(body.id)
  expect(outcome(await ask('PATCH', path, { json: { description: 'gone' } }))).toBe('404 ERR_NGROK_90404')
  expect((await ask('POST', '/endpoints', { json: pooled })).status).toBe(201)
})

test('A Kubernetes operator keeps an IP policy and its rules', async ({ gateway, ask }) => {
  const policy = (await ask('POST', '/ip_policies', { json: { description: 'office', metadata: 'm' } })).body.id
  gateway.ipPolicyRules.create({
    ip_policy_id: gateway.ipPolicies.create({}).id,
    cidr: '10.0.0.0/8',
    action: 'allow',
  })

  async function reconcile(expected: readonly { cidr: string; action: string; description: string }[]) {
    const all = await everyPage(ask, '/ip_policy_rules?limit=1', 'ip_policy_rules')
    const own = all.filter((each) => each.ip_policy.id === policy)
    for (const rule of own.filter(
      ({ cidr, action }) => !expected.some((w) => w.cidr === cidr && w.action === action),
    )) {
      await tolerant(ask, `/ip_policy_rules/${rule.id}`)
    }
    const outcomes: string[] = []
    for (const rule of expected) {
      const same = own.find(({ cidr, action }) => cidr === rule.cidr && action === rule.action)
      const json = { description: rule.description }
      const answer = same
        ? await ask('PATCH', `/ip_policy_rules/${same.id}`, { json })
        : await ask('POST', '/ip_policy_rules', { json: { ...rule, ip_policy_id: policy } })
      outcomes.push(outcome(answer))
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
  const left = gateway.ipPolicyRules.list().ip_policy_rules.filter((each) => each.ip_policy.id === policy)
  expect(left).toMatchObject([{ cidr: office, action: 'deny', description: 'shut' }])
  const texts = await ask('PATCH', `/ip_policies/${policy}`, { json: { description: 'offices' } })
  expect(texts.body).toMatchObject({ description: 'offices', metadata: 'm' })
  expect((await ask('DELETE', `/ip_policies/${policy}`)).status).toBe(204)
  expect(gateway.ipPolicyRules.list().ip_policy_rules).toHaveLength(1)
})

test('A pusher of secrets creates what a vault lacks, changes what it has, and deletes the rest', async ({
  gateway,
  ask,
}) => {
  const vault = gateway.vaults.create({ name: 'prod' }).id
  gateway.vaults.create({ name: 'test' })
  const metadata = '{"managed-by":"external-secrets"}'

  async function push(name: string, value: string): Promise<number> {
    const vaults = await everyPage(ask, '/vaults?limit=1', 'vaults')
    const { id } = vaults.find((each) => each.name === 'prod') ?? {}
    expect((await ask('GET', `/vaults/${id}`)).body.name).toBe('prod')
    const secrets = await everyPage(ask, `/vaults/${id}/secrets?limit=1`, 'secrets')
    const found = secrets.find((each) => each.name === name)
    const json = { value, metadata }
    const answer = found
      ? await ask('PATCH', `/vault_secrets/${found.id}`, { json })
      : await ask('POST', '/vault_secrets', { json: { ...json, name, vault_id: id } })
    expect([answer.body.name, answer.body.metadata, answer.body.value]).toEqual([name, metadata, undefined])
    return answer.status
  }

  expect((await ask('GET', '/vault_secrets')).body.secrets).toEqual([])
  expect(await push('api-key', 'one')).toBe(201)
  expect(await push('db/password', 'two')).toBe(201)
  expect(await push('api-key', 'three')).toBe(200)
  const all = await everyPage(ask, '/vault_secrets?limit=1', 'secrets')
  expect(all.map(({ name, vault }) => [name, vault.id])).toEqual([
    ['db/password', vault],
    ['api-key', vault],
  ])
  for (const { id } of all) await tolerant(ask, `/vault_secrets/${id}`)
  await tolerant(ask, `/vault_secrets/${all[0]?.id}`)
  expect((await ask('DELETE', `/vaults/${vault}`)).status).toBe(204)
})

test('A URL finder takes the first https tunnel, or the host and port of a tcp one', async ({ gateway, ask }) => {
  gateway.declare.tunnelSession({
    endpoints: [{ url: 'tcp://1.tcp.ngrok.io:12345' }, { url: 'https://app.ngrok-free.app' }],
  })
  const { tunnels } = (await ask('GET', '/tunnels')).body
  const urlOf = (proto: string) => tunnels.find((each: { proto: string }) => each.proto === proto).public_url
  expect([urlOf('https'), urlOf('tcp')]).toEqual(['https://app.ngrok-free.app', 'tcp://1.tcp.ngrok.io:12345'])
  const { endpoints } = (await ask('GET', '/endpoints')).body
  expect(endpoints.map((each: { hostport: string }) => each.hostport).sort()).toEqual([
    '1.tcp.ngrok.io:12345',
    'app.ngrok-free.app:443',
  ])
})

test('A session stopper ends the agent of a URL, which is free afterwards', async ({ gateway, ask }) => {
  const url = 'https://app.ngrok-free.app'
  gateway.declare.tunnelSession({ endpoints: [{ url }, { url: 'https://other.ngrok-free.app' }] })
  gateway.reservedDomains.create({ domain: 'cloud.example.com' })
  gateway.endpoints.create({ type: 'cloud', url: 'https://cloud.example.com', traffic_policy: '{}' })
  const endpoints = await everyPage(ask, '/endpoints', 'endpoints')
  const expected = new Set([url, 'https://other.ngrok-free.app', 'https://cloud.example.com'])
  const taken = endpoints.filter((each) => expected.has(each.url ?? each.public_url))
  const sessions = new Set(taken.flatMap((each) => each.tunnel_session?.id ?? []))
  expect([taken.length, sessions.size]).toEqual([3, 1])
  for (const id of sessions) {
    expect((await ask('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(204)
    expect((await ask('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(404)
  }
  expect((await everyPage(ask, '/endpoints', 'endpoints')).map(({ type }) => type)).toEqual(['cloud'])
  expect(() => gateway.declare.tunnelSession({ endpoints: [{ url }] })).not.toThrow()
})

test('A desktop launcher shows tunnels and sessions, and continues where an agent cannot be reached', async ({
  gateway,
  ask,
}) => {
  const lost = gateway.declare.tunnelSession({ endpoints: [{}], reachable: false })
  const { id } = gateway.declare.tunnelSession({ labelled: [{ labels: { app: 'shop' } }] })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const tunnels = await everyPage(ask, '/tunnels', 'tunnels')
  expect(
    tunnels
      .map(({ labels, public_url }) => public_url ?? labels)
      .map((each) => typeof each)
      .sort(),
  ).toEqual(['object', 'string'])
  const sessions = await everyPage(ask, '/tunnel_sessions', 'tunnel_sessions')
  expect(sessions.map((each) => each.id)).toEqual([id, lost.id])
  expect((await ask('GET', '/reserved_domains')).body.reserved_domains[0].domain).toBe('app.example.com')
  const { status, body } = await ask('POST', `/tunnel_sessions/${lost.id}/stop`, { json: {} })
  expect([status, body.error_code, typeof body.msg]).toEqual([503, 'ERR_NGROK_810', 'string'])
  expect(body.msg).toContain(lost.id)
  expect((await ask('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(204)
})

test('A launcher of work trees reserves a name for each, and deletes the reservation', async ({ ask }) => {
  const name = 'feature-1.ngrok.app'
  async function reserved(): Promise<{ id: string; domain: string }> {
    const all = await everyPage(ask, '/reserved_domains', 'reserved_domains')
    const found = all.find(({ domain }) => domain === name)
    return (found ?? (await ask('POST', '/reserved_domains', { json: { name } })).body) as {
      id: string
      domain: string
    }
  }
  const first = await reserved()
  expect(first).toMatchObject({ id: expect.stringMatching(/^rd_/), domain: name })
  expect(await reserved()).toEqual(first)
  const ends = [
    await ask('DELETE', `/reserved_domains/${first.id}`),
    await ask('DELETE', `/reserved_domains/${first.id}`),
  ]
  expect(ends.map(({ status }) => status)).toEqual([204, 404])
})

test('A minter of authtokens checks its key, makes a token and deletes the old one by its description', async ({
  gateway,
  ask,
}) => {
  const refused = await ask('GET', '/api_keys', { headers: { authorization: null } })
  expect([401, 403]).toContain(refused.status)
  const make = () => ask('POST', '/credentials', { json: { description: 'ci', acl: ['bind:*.example.com'] } })
  const old = (await make()).body
  expect((await ask('GET', '/api_keys', { headers: { authorization: `Bearer ${old.token}` } })).status).toBe(403)
  for (const path of ['/api_keys', '/credentials', '/tunnel_sessions', '/endpoints', '/reserved_domains']) {
    expect((await ask('GET', path)).status, path).toBe(200)
  }
  const { status, body } = await make()
  expect([status, typeof body.token]).toEqual([201, 'string'])
  const { credentials } = (await ask('GET', filtered('/credentials', "obj.description == 'ci'"))).body
  expect(credentials.map((each: { token: unknown }) => each.token)).toEqual([null, null])
  expect((await ask('DELETE', `/credentials/${old.id}`)).status).toBe(204)
  expect(gateway.credentials.list().credentials.map((each) => each.id)).toEqual([body.id])
})
