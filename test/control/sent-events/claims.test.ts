import { expect, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { SSH_KEYS } from '../../service/ngrok/ssh-keys.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

const HTTP = 'http_request_complete.v0'

/** Creates a gateway with a destination, and a subscription to these types. */
const subscribe = (...types: readonly string[]) => subscribeWith({}, types)

function subscribeWith(options: Omit<NgrokOptions, 'clock'>, types: readonly string[]) {
  const gateway = createNgrok({ seed: 'claims', clock: manualClock(CLOCK_START), ...options })
  const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'key' } } })
  const sources = types.map((type) => ({ type }))
  const subscription = gateway.eventSubscriptions.create({ sources, destination_ids: [id] })
  return { gateway, subscription, events: () => gateway.sentEvents.list() }
}

/** Opens an endpoint with an upstream. */
function openEndpoint({ gateway }: ReturnType<typeof subscribe>, url: string, traffic_policy = '{}') {
  gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
  gateway.traffic.upstream(url, () => new Response('hello'))
}

test('The key of a client is in no field of an event: path, agent, header or log (rules: events#traffic)', async () => {
  const opened = subscribe(HTTP)
  const { gateway, events } = opened
  const { token } = gateway.apiKeys.create({})
  const metadata = { sent: `\${req.headers['authorization'][0]}` }
  const rule = { actions: [{ type: 'log', config: { metadata } }] }
  openEndpoint(opened, 'https://app.ngrok.app', JSON.stringify({ on_http_request: [rule] }))
  gateway.traffic.upstream('https://app.ngrok.app', () => new Response('x', { headers: { 'x-echo': String(token) } }))
  const headers = { authorization: `Bearer ${token}`, 'user-agent': `agent ${token}` }
  await gateway.traffic.fetch(`https://app.ngrok.app/p/${token}`, { headers })
  const text = JSON.stringify(events()).toLowerCase()
  expect(text).toContain('/p/')
  expect(text).not.toContain(String(token).toLowerCase())
})

test('An event does not pass a filter whose evaluation fails (rules: events#filters)', async () => {
  const opened = subscribe(HTTP)
  const { gateway, subscription, events } = opened
  openEndpoint(opened, 'https://app.ngrok.app')
  const filter = 'ev.conn.server_ip.matches("a")'
  gateway.declare.eventSource({ subscription_id: subscription.id, type: HTTP, filter })
  await gateway.traffic.fetch('https://app.ngrok.app')
  expect(events()).toEqual([])
})

test('A subscription receives the event of its own creation (rules: events#account)', () => {
  expect(subscribe('event_subscription_created.v0').events()).toHaveLength(1)
})

test('An update without a change is no event of a vault and a secret, whose updated_at stays too (rules: events#account)', () => {
  const { gateway, events } = subscribe('vault_updated.v0', 'secret_updated.v0')
  const { id: vault_id } = gateway.vaults.create({ name: 'app' })
  const secret = gateway.vaultSecrets.create({ name: 'token', value: 'a value', vault_id })
  gateway.vaults.update(vault_id, { name: 'app' })
  gateway.vaultSecrets.update(secret.id, {})
  expect(events()).toEqual([])
  gateway.vaults.update(vault_id, { name: 'other' })
  const renamed = gateway.vaultSecrets.get(secret.id)
  expect(renamed.vault_name).toBe('other')
  expect(events().map(({ event_type, object }) => [event_type, object])).toEqual([
    ['secret_updated.v0', renamed],
    ['vault_updated.v0', gateway.vaults.get(vault_id)],
  ])
})

test('An update is an event even if no value changes (rules: events#account)', () => {
  const { gateway, events } = subscribe('ip_policy_updated.v0')
  const { id } = gateway.ipPolicies.create({ description: 'offices' })
  gateway.ipPolicies.update(id, { description: 'offices' })
  expect(events()).toHaveLength(1)
})

test('The events of a session have its credential with its owner, also once it is deleted, and the reason of its end (rules: events#account)', () => {
  const { gateway, events } = subscribe('agent_session_start.v0', 'agent_session_stop.v0')
  const { id: owner_id } = gateway.serviceUsers.create({ name: 'deployer' })
  const { id } = gateway.credentials.create({ owner_id })
  gateway.declare.tunnelSession({ credential: id })
  gateway.credentials.delete(id)
  const [start, stop] = events()
  expect(start?.principal).toMatchObject({ id: owner_id, subject: 'deployer', source: 'API', credential: { id } })
  expect(stop?.principal).toEqual(start?.principal)
  expect(stop?.object).toMatchObject({ error: expect.stringContaining('The credential of the agent was deleted') })
})

test('The transport of a session is ssh without an agent, which has no user agent, and else muxado (rules: events#account)', () => {
  const { gateway, events } = subscribe('agent_session_start.v0')
  const { id: credential } = gateway.sshCredentials.create({ public_key: SSH_KEYS.ed25519 ?? '' })
  gateway.declare.tunnelSession({ credential, transport: 'ssh' })
  gateway.declare.tunnelSession({ agent_version: '3.20.0' })
  gateway.declare.tunnelSession({ agent_version: '3.20.0', transport: 'ngrok/3' })
  const agent = { transport: 'muxado', user_agent: 'ngrok/3.20.0' }
  expect(events().map(({ object }) => object)).toMatchObject([{ transport: 'ssh', user_agent: '' }, agent, agent])
})

test("A session that the agent's API starts writes the event of its start, and that of its stop (rules: events#account)", async () => {
  const { gateway, events } = subscribe('agent_session_start.v0', 'agent_session_stop.v0')
  const url = 'http://127.0.0.1:4040/api/tunnels'
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'app', proto: 'http', addr: 8080 })
  expect((await gateway.agent.fetch(url, { method: 'POST', headers, body })).status).toBe(201)
  const [session] = gateway.tunnelSessions.list().tunnel_sessions
  expect(events()).toMatchObject([
    { event_type: 'agent_session_start.v0', object: { session: { id: session?.id }, error: '' } },
  ])
  gateway.tunnelSessions.stop(session?.id ?? '')
  expect(events()[1]).toMatchObject({ event_type: 'agent_session_stop.v0', object: { session: { id: session?.id } } })
})

test('The server of a connection with a WebSocket has the port of its scheme (rules: events#traffic)', async () => {
  const { gateway, events } = subscribe(HTTP)
  gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
  const { id: edge } = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] })
  for (const url of ['wss://app.ngrok.app', 'ws://app.ngrok.app', 'wss://app.ngrok.app:8443'])
    await gateway.traffic.fetch(url, { edge })
  expect(events().map(({ object }) => object)).toMatchObject(
    [443, 80, 8443].map((server_port) => ({ conn: { server_port } })),
  )
})

test.each([
  ['http', 80],
  ['https', 443],
])('The server of a connection with %s has the port %d (rules: events#traffic)', async (scheme, port) => {
  const opened = subscribe(HTTP)
  openEndpoint(opened, `${scheme}://app.ngrok.app`)
  await opened.gateway.traffic.fetch(`${scheme}://app.ngrok.app`)
  expect(opened.events()[0]?.object).toMatchObject({ conn: { server_port: port } })
})

test('An exception of a subscriber reaches nobody, and the next subscriber gets the event (rules: events#account)', () => {
  const { gateway } = subscribe('vault_created.v0')
  const received: string[] = []
  gateway.sentEvents.subscribe(() => {
    throw new Error('planted')
  })
  gateway.sentEvents.subscribe(({ event_type }) => void received.push(event_type))
  gateway.vaults.create({ name: 'app' })
  expect(received).toEqual(['vault_created.v0'])
})

test('A deletion writes the events of all resources that it deletes, each as the API last showed it (rules: events#account)', () => {
  const deleted = ['api_key', 'domain', 'ip_policy', 'ip_policy_rule', 'tls_certificate', 'tunnel_credential']
  const { gateway, events } = subscribe('agent_session_stop.v0', ...deleted.map((kind) => `${kind}_deleted.v0`))
  const since = (work: () => void) => {
    const before = events().length
    work()
    const all = events().slice(before)
    return all.map(({ event_type, object }) => [event_type, object])
  }
  const policy = gateway.ipPolicies.create({})
  const rule = gateway.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: '0.0.0.0/0', action: 'allow' })
  expect(since(() => gateway.ipPolicies.delete(policy.id))).toEqual([
    ['ip_policy_rule_deleted.v0', rule],
    ['ip_policy_deleted.v0', policy],
  ])
  const { id: owner_id } = gateway.serviceUsers.create({ name: 'deployer' })
  const { id: key } = gateway.apiKeys.create({ owner_id })
  const { id: credential } = gateway.credentials.create({ owner_id })
  const session = gateway.declare.tunnelSession({ credential })
  expect(since(() => gateway.serviceUsers.delete(owner_id))).toMatchObject([
    ['api_key_deleted.v0', { id: key }],
    ['agent_session_stop.v0', { session: { id: session.id }, error: 'The credential of the agent was deleted.' }],
    ['tunnel_credential_deleted.v0', { id: credential }],
  ])
  const { id } = gateway.reservedDomains.create({
    domain: 'app.example.com',
    certificate_management_policy: { authority: 'letsencrypt' },
  })
  gateway.clock.advance('1h')
  const domain = gateway.reservedDomains.get(id)
  const certificate = gateway.tlsCertificates.get(domain.certificate?.id ?? '')
  expect(since(() => gateway.reservedDomains.delete(id))).toEqual([
    ['tls_certificate_deleted.v0', certificate],
    ['domain_deleted.v0', domain],
  ])
})

test('A change that its store undoes causes no event, and earlier events stay (rules: events#account)', () => {
  const store = memoryStore()
  const { gateway, events } = subscribeWith({ store }, ['vault_created.v0'])
  gateway.vaults.create({ name: 'one' })
  store.failure = new Error('the disk is full')
  expect(() => gateway.vaults.create({ name: 'two' })).toThrow('the disk is full')
  store.failure = undefined
  gateway.vaults.create({ name: 'three' })
  expect(events().map(({ object }) => object.name)).toEqual(['one', 'three'])
})

test('Sent events are not stored: a gateway that resumes from its store has none, and sends new ones (rules: events#delivery)', () => {
  const store = memoryStore()
  const { gateway, events } = subscribeWith({ store }, ['vault_created.v0'])
  gateway.vaults.create({ name: 'one' })
  expect(events()).toHaveLength(1)
  gateway.dispose()
  const clock = manualClock(CLOCK_START)
  const resumed = createNgrok({ seed: 'claims', clock, store: memoryStore(store.commits) })
  expect(resumed.sentEvents.list()).toEqual([])
  resumed.vaults.create({ name: 'two' })
  expect(resumed.sentEvents.list().map(({ object }) => object.name)).toEqual(['two'])
})

test('A subscription does not receive the event of its own deletion (rules: events#account)', () => {
  const { gateway, subscription, events } = subscribe('event_subscription_deleted.v0')
  gateway.eventSubscriptions.delete(subscription.id)
  expect(events()).toEqual([])
})

test('A declaration of a source adds its type to the subscription (rules: events#filters)', async () => {
  const opened = subscribe()
  const { gateway, subscription, events } = opened
  openEndpoint(opened, 'https://app.ngrok.app')
  gateway.declare.eventSource({ subscription_id: subscription.id, type: HTTP, fields: ['http.request.method'] })
  expect(gateway.eventSubscriptions.get(subscription.id).sources).toMatchObject([{ type: HTTP }])
  await gateway.traffic.fetch('https://app.ngrok.app')
  expect(events().map(({ object }) => object)).toEqual([{ http: { request: { method: 'get' } } }])
})

test('Responses may be compressed with br, which their event says (rules: events#traffic)', async () => {
  const opened = subscribe(HTTP)
  openEndpoint(
    opened,
    'https://app.ngrok.app',
    JSON.stringify({ on_http_response: [{ actions: [{ type: 'compress-response' }] }] }),
  )
  opened.gateway.traffic.upstream('https://app.ngrok.app', () => new Response('hello '.repeat(100)))
  await opened.gateway.traffic.fetch('https://app.ngrok.app', { headers: { 'accept-encoding': 'br' } })
  expect(opened.events()[0]?.object).toMatchObject({ compression: { algorithm: 'br' } })
})
