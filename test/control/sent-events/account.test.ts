import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import type { Family } from '../../../src/core/operation/family.ts'
import { createNgrok, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { EVENT_TYPES } from '../../../src/service/ngrok/event-types.ts'
import { SSH_KEYS } from '../../service/ngrok/ssh-keys.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { upload } from '../../support/pem.ts'
import { timeAfter } from '../../support/provisioning.ts'
import { serveGateway } from '../../support/serve.ts'

function openGateway(types: readonly string[] = EVENT_TYPES) {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
  const subscription = gateway.eventSubscriptions.create({
    sources: types.map((type) => ({ type })),
    destination_ids: [destination.id],
  })
  return { gateway, destination, subscription, send: client(gateway, ngrokFamilies) }
}

type Resource = Readonly<Record<string, unknown>> & { readonly id: string }

/** The operations of a family whose resources are created, changed and deleted. */
interface Operations {
  create(body: object): Resource
  get(id: string): Resource
  update(id: string, body: object): Resource
  delete(id: string): void
}

type Gateway = ReturnType<typeof createNgrok>

/** The kinds of resources, with their families and a body that creates one. */
const KINDS: readonly [kind: string, family: keyof Gateway, create: (gateway: Gateway) => object, update?: object][] = [
  ['api_key', 'apiKeys', () => ({})],
  ['certificate_authority', 'certificateAuthorities', (gateway) => ({ ca_pem: gateway.authority.certificatePem })],
  ['domain', 'reservedDomains', () => ({ domain: 'app.example.com' })],
  ['event_destination', 'eventDestinations', () => ({ format: 'json', target: { datadog: { api_key: 'a key' } } })],
  ['event_subscription', 'eventSubscriptions', () => ({ sources: [], destination_ids: [] })],
  ['ip_policy', 'ipPolicies', () => ({})],
  [
    'ip_policy_rule',
    'ipPolicyRules',
    ({ ipPolicies }) => ({ ip_policy_id: ipPolicies.create({}).id, cidr: '203.0.113.0/24', action: 'allow' }),
  ],
  [
    'ip_restriction',
    'ipRestrictions',
    ({ ipPolicies }) => ({ type: 'agent', ip_policy_ids: [ipPolicies.create({}).id] }),
  ],
  [
    'secret',
    'vaultSecrets',
    ({ vaults }) => ({ name: 'token', value: 'a secret', vault_id: vaults.create({ name: 'app' }).id }),
  ],
  ['ssh_certificate_authority', 'sshCertificateAuthorities', () => ({})],
  ['ssh_host_certificate', 'sshHostCertificates', sshCertificate],
  ['ssh_public_key', 'sshCredentials', () => ({ public_key: SSH_KEYS.ed25519 })],
  ['ssh_user_certificate', 'sshUserCertificates', sshCertificate],
  ['tcp_address', 'reservedAddrs', () => ({})],
  ['tls_certificate', 'tlsCertificates', () => upload()],
  ['tunnel_credential', 'credentials', () => ({})],
  ['vault', 'vaults', () => ({ name: 'app' })],
]

function sshCertificate({ sshCertificateAuthorities }: Gateway) {
  return { ssh_certificate_authority_id: sshCertificateAuthorities.create({}).id, public_key: SSH_KEYS.ed25519 }
}

describe('An event of the account (rules: events#account)', () => {
  test.each(KINDS)(
    '%s: a creation, a change and a deletion are events with the resource as the API shows it',
    (kind, family, body) => {
      const { gateway } = openGateway()
      // Each of these families has these operations.
      const operations = gateway[family] as unknown as Operations
      const created = operations.create(body(gateway))
      const shown = operations.get(created.id)
      operations.update(created.id, { description: 'another one' })
      const changed = operations.get(created.id)
      operations.delete(created.id)
      const objects = ['created', 'updated', 'deleted'].map((change) =>
        gateway.sentEvents
          .list({ type: `${kind}_${change}.v0` })
          .map(({ object }) => object)
          .filter((object) => object.id === created.id),
      )
      expect(objects).toEqual([[shown], [changed], [changed]])
    },
  )

  test('sessions of agents start and stop, with the reason', () => {
    const { gateway } = openGateway()
    const { id } = gateway.declare.tunnelSession({ ip: '203.0.113.7', metadata: 'm' })
    const { id: other } = gateway.declare.tunnelSession()
    gateway.tunnelSessions.stop(id)
    gateway.clock.advance('1m')
    gateway.declare.end(other)
    const list = (type: string) => gateway.sentEvents.list({ type }).map(({ object }) => object)
    const refOf = (session: string) => ({ id: session, uri: `${gateway.url}/tunnel_sessions/${session}` })
    expect(list('agent_session_start.v0')).toMatchObject([
      { session: refOf(id), agent_ip: '203.0.113.7', metadata: 'm', transport: 'muxado', error: '' },
      { session: refOf(other) },
    ])
    expect(list('agent_session_stop.v0')).toMatchObject([
      { session: refOf(id), error: 'The API stopped the agent.' },
      { session: refOf(other), error: 'The agent disconnected.', stopped_at: timeAfter('1m') },
    ])
  })

  test('of a session that the API restarts has that reason', () => {
    const { gateway } = openGateway(['agent_session_start.v0', 'agent_session_stop.v0'])
    const { id } = gateway.declare.tunnelSession()
    gateway.tunnelSessions.restart(id)
    expect(gateway.sentEvents.list().map(({ event_type, object }) => [event_type, object.error])).toEqual([
      ['agent_session_start.v0', ''],
      ['agent_session_stop.v0', 'The API restarted the agent.'],
      ['agent_session_start.v0', ''],
    ])
  })

  test('has its id, its time and its place from the seed, the clock and the order of calls', () => {
    const run = () => {
      const { gateway } = openGateway(['ip_policy_created.v0', 'vault_created.v0'])
      gateway.ipPolicies.create({})
      gateway.clock.advance('1h')
      gateway.vaults.create({ name: 'app' })
      gateway.clock.advance('1d')
      gateway.ipPolicies.create({})
      return gateway.sentEvents.list()
    }
    const all = run()
    expect(all.map(({ event_type, event_timestamp }) => [event_type, event_timestamp])).toEqual([
      ['ip_policy_created.v0', timeAfter()],
      ['vault_created.v0', timeAfter('1h')],
      ['ip_policy_created.v0', timeAfter('1h', '1d')],
    ])
    const ids = all.map(({ event_id }) => event_id)
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^ev_[0-9A-Za-z]{27}$/)))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
    expect(run()).toEqual(all)
  })

  test('is there for each destination of each subscription, with one id', () => {
    const { gateway, destination, subscription } = openGateway(['vault_created.v0'])
    const further = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'another' } } })
    const both = gateway.eventSubscriptions.create({
      sources: [{ type: 'vault_created.v0' }],
      destination_ids: [destination.id, further.id],
    })
    gateway.vaults.create({ name: 'app' })
    const all = gateway.sentEvents.list({ type: 'vault_created.v0' })
    expect(all.map((each) => [each.subscription, each.destination])).toEqual([
      [subscription.id, destination.id],
      [both.id, destination.id],
      [both.id, further.id],
    ])
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(1)
    expect(gateway.sentEvents.list({ destination: further.id })).toEqual([all[2]])
  })

  test('is not there without a subscription, and not for a call that fails', () => {
    const { gateway, subscription } = openGateway(['ip_policy_created.v0'])
    expect(() => gateway.ipPolicyRules.create({ ip_policy_id: 'ipp_1', cidr: 'x' })).toThrow()
    gateway.vaults.create({ name: 'app' })
    gateway.eventSubscriptions.delete(subscription.id)
    gateway.ipPolicies.create({})
    expect(gateway.sentEvents.list()).toEqual([])
  })

  test('is not there for what exists from the beginning, nor after a reset', () => {
    const initial = {
      eventDestinations: [{ format: 'json' as const, target: { datadog: { api_key: 'a key' } } }],
      ipPolicies: [{}],
    }
    const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START), initial })
    const [destination] = gateway.eventDestinations.list().event_destinations
    gateway.eventSubscriptions.create({
      sources: [{ type: 'ip_policy_created.v0' }],
      destination_ids: [destination?.id ?? ''],
    })
    gateway.ipPolicies.create({})
    expect(gateway.sentEvents.list()).toHaveLength(1)
    gateway.reset()
    expect(gateway.sentEvents.list()).toEqual([])
  })

  test('is not there for what falls due, which nobody is the principal of', () => {
    const { gateway } = openGateway(['domain_updated.v0'])
    gateway.reservedDomains.create({
      domain: 'app.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    gateway.clock.advance('31s')
    expect(gateway.sentEvents.list()).toEqual([])
  })

  test('is not there for an attempt and a renewal that a test makes', () => {
    const { gateway } = openGateway(EVENT_TYPES.filter((type) => !type.endsWith('_created.v0')))
    const certificate_management_policy = { authority: 'letsencrypt' } as const
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy })
    gateway.provisioning.attempt(id)
    gateway.provisioning.renewNow(id, { early: true })
    gateway.provisioning.attempt(id)
    expect(gateway.sentEvents.list()).toEqual([])
  })
})

describe('Without a subscription (rules: events#account)', () => {
  /** Opens a gateway that counts the views of IP policies for events. */
  function openCounting() {
    const views: object[] = []
    const ipPolicies = { ...ngrokFamilies.ipPolicies }
    // The type of a family hides its parts.
    const view: Family['view'] = Reflect.get(ipPolicies, 'view')
    const countingView: Family['view'] = (record, wire) => {
      views.push(record)
      return view?.(record, wire) ?? {}
    }
    Object.assign(ipPolicies, { view: countingView })
    const families = { ...ngrokFamilies, ipPolicies }
    const gateway = createGateway({ dialect: ngrok, families, seed: 'events', clock: manualClock(CLOCK_START) })
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    const subscribe = (type: string) =>
      gateway.eventSubscriptions.create({ sources: [{ type }], destination_ids: [id] })
    return { gateway, views, subscribe }
  }

  test('no resource is shown for an event, nor for one of another type', () => {
    const { gateway, views, subscribe } = openCounting()
    gateway.ipPolicies.create({})
    subscribe('vault_created.v0')
    gateway.ipPolicies.create({})
    expect(views).toEqual([])
    const { id } = subscribe('ip_policy_created.v0')
    gateway.ipPolicies.create({})
    gateway.eventSubscriptions.delete(id)
    gateway.ipPolicies.create({})
    expect(views).toHaveLength(1)
  })

  test('the body of a response passes when somebody reads it, and not before', async () => {
    const { gateway, subscribe } = openCounting()
    const url = 'https://app.ngrok.app'
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    let count = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      count++ < 1000 ? controller.enqueue(new Uint8Array(65_536)) : controller.close()
    gateway.traffic.upstream(url, () => new Response(new ReadableStream({ pull })))
    await (await gateway.traffic.fetch(url)).body?.cancel()
    expect(count).toBeLessThan(100)
    subscribe('http_request_complete.v0')
    count = 0
    await (await gateway.traffic.fetch(url)).body?.cancel()
    expect(count).toBe(1001)
  })
})

describe('The principal of an event (rules: events#principal)', () => {
  test('is the owner of the key of a request, and that key', async () => {
    const { gateway, send } = openGateway(['vault_created.v0'])
    const { id: owner } = gateway.botUsers.create({ name: 'deployer' })
    const { id, token } = gateway.apiKeys.create({ owner_id: owner })
    await send('POST', '/vaults', { json: { name: 'app' }, headers: { authorization: `Bearer ${token}` } })
    expect(gateway.sentEvents.list()[0]?.principal).toEqual({
      id: owner,
      subject: 'deployer',
      source: 'API',
      credential: { id, uri: `${gateway.url}/api_keys/${id}` },
    })
  })

  test('is the user of the account for a key without a resource, with the key that /self shows', () => {
    const { gateway } = openGateway(['vault_created.v0'])
    gateway.vaults.create({ name: 'app' })
    const { api_key, user } = gateway.self.get()
    expect(gateway.sentEvents.list()[0]?.principal).toMatchObject({
      id: api_key.owner_id,
      subject: user,
      source: 'API',
      credential: { id: api_key.id },
    })
  })

  test('is never the key that the request creates, and may be the key that it deletes', async () => {
    const { gateway, send } = openGateway(['api_key_created.v0', 'api_key_deleted.v0'])
    const { id, token } = gateway.apiKeys.create({})
    const second = gateway.apiKeys.create({})
    const path = `/api_keys/${second.id}`
    await send('DELETE', path, { headers: { authorization: `Bearer ${second.token}` } })
    await send('DELETE', `/api_keys/${id}`, { headers: { authorization: `Bearer ${token}` } })
    const keys = gateway.sentEvents.list().map(({ principal }) => Reflect.get(Object(principal?.credential), 'id'))
    expect(keys).toEqual(['ak_0000000theKeyOfThisAccount0', id, second.id, id])
  })

  test("is the user in the dashboard for what a server's page changes", async () => {
    const { gateway } = openGateway(['vault_created.v0'])
    const { url } = await serveGateway(gateway)
    const post = (name: string, header: object) =>
      fetch(`${url}/vaults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...header },
        body: JSON.stringify({ name }),
      })
    expect((await post('one', { 'fauxgate-inspector': '1' })).status).toBe(201)
    expect((await post('two', { authorization: 'Bearer key', 'ngrok-version': '2' })).status).toBe(201)
    const user = { id: gateway.self.get().api_key.owner_id, subject: gateway.self.get().user }
    expect(gateway.sentEvents.list().map(({ principal }) => principal)).toEqual([
      { ...user, source: 'Dashboard', credential: null },
      { ...user, source: 'API', credential: { id: expect.any(String), uri: expect.any(String) } },
    ])
  })

  test('is the user in the dashboard for what a test declares', () => {
    const { gateway } = openGateway(['tunnel_credential_created.v0'])
    gateway.declare.tunnelSession()
    expect(gateway.sentEvents.list()[0]?.principal).toMatchObject({ source: 'Dashboard', credential: null })
  })
})
