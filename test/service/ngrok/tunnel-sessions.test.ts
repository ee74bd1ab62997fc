import { describe, expect, it, test } from 'vitest'
import { type createNgrok, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { client, createControlClient, expectError, outcome } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { timeAfter } from '../../support/provisioning.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

type Declaration = Parameters<ReturnType<typeof createNgrok>['declare']['tunnelSession']>[0]

/** Creates a gateway with the session of one agent. */
function openWithAgent(declaration: Declaration = { endpoints: [{}] }) {
  const { gateway, ...rest } = openGateway()
  const session = gateway.declare.tunnelSession(declaration)
  const listEndpoints = () => gateway.endpoints.list().endpoints
  const listTunnels = () => gateway.tunnels.list().tunnels
  const listSessions = () => gateway.tunnelSessions.list().tunnel_sessions
  return { gateway, session, listEndpoints, listTunnels, listSessions, ...rest, send: client(gateway, ngrokFamilies) }
}

/** The lists of a gateway without any session, tunnel or endpoint of an agent. */
const NO_AGENTS = { tunnel_sessions: [], tunnels: [], endpoints: [] }

function listAgentResources(gateway: ReturnType<typeof createNgrok>) {
  const { tunnel_sessions } = gateway.tunnelSessions.list()
  return { tunnel_sessions, tunnels: gateway.tunnels.list().tunnels, endpoints: gateway.endpoints.list().endpoints }
}

describe('A declared agent (contract: declare)', () => {
  it('has a session, a tunnel and a public https endpoint by default', async () => {
    const { gateway, session, send } = openWithAgent()
    const [credential] = gateway.credentials.list().credentials
    const { url } = gateway
    const id = expect.stringMatching(/^ts_\w{27}$/)
    expect(session).toEqual({
      id,
      uri: `${url}/tunnel_sessions/${session.id}`,
      agent_version: '3.39.0',
      credential: { id: credential?.id, uri: `${url}/credentials/${credential?.id}` },
      ip: '203.0.113.10',
      os: 'linux',
      region: 'us',
      started_at: SHOWN_START,
      transport: 'ngrok/2',
    })
    expect((await send('GET', `/tunnel_sessions/${session.id}`)).body).toEqual(session)
    const toPageFields = (path: string) => ({ uri: `${url}/${path}`, next_page_uri: null })
    const sessions = { tunnel_sessions: [session], ...toPageFields('tunnel_sessions') }
    expect((await send('GET', '/tunnel_sessions')).body).toEqual(sessions)

    const { endpoints, ...rest } = (await send('GET', '/endpoints')).body
    const [endpoint] = endpoints
    const sessionRef = { id: session.id, uri: session.uri }
    const tunnelId = endpoint.id.replace('ep_', 'tn_')
    expect(rest).toEqual(toPageFields('endpoints'))
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^ep_\w{27}$/),
      created_at: SHOWN_START,
      updated_at: SHOWN_START,
      type: 'ephemeral',
      url: expect.stringMatching(/^https:\/\/[0-9a-f]{12}\.ngrok-free\.app$/),
      public_url: endpoint.url,
      proto: 'https',
      hostport: `${endpoint.url.slice('https://'.length)}:443`,
      bindings: ['public'],
      pooling_enabled: false,
      tunnel: { id: tunnelId, uri: `${url}/tunnels/${tunnelId}` },
      tunnel_session: sessionRef,
      principal: { id: credential?.owner_id, uri: '' },
      name: 'command_line',
      upstream_url: 'http://localhost:80',
    })
    const tunnel = {
      id: tunnelId,
      started_at: SHOWN_START,
      region: 'us',
      forwards_to: 'http://localhost:80',
      tunnel_session: sessionRef,
      public_url: endpoint.url,
      proto: 'https',
      endpoint: { id: endpoint.id, uri: `${url}/endpoints/${endpoint.id}` },
    }
    expect((await send('GET', '/tunnels')).body).toEqual({ tunnels: [tunnel], ...toPageFields('tunnels') })
    expect((await send('GET', `/tunnels/${tunnelId}`)).body).toEqual(tunnel)
  })

  it('has the declared fields, and tunnels with labels', () => {
    const { gateway } = openGateway()
    const { id: domain } = gateway.reservedDomains.create({ domain: 'example.com' })
    const { id: owner_id } = gateway.botUsers.create({ name: 'ci' })
    const credential = gateway.sshCredentials.create({ owner_id, public_key: SSH_KEYS.ed25519 })
    const facts = { agent_version: '3.1.0', ip: '2001:db8::1', os: 'darwin', region: 'eu', metadata: 'laptop' }
    const sessionFields = { ...facts, started_at: '2025-12-31T00:00:00Z', transport: 'ssh' }
    const place = { url: 'https://app.example.com', pooling_enabled: true, traffic_policy: '{}', name: 'web' }
    const texts = { description: 'shop', metadata: 'm', upstream_protocol: 'http2' }
    const session = gateway.declare.tunnelSession({
      ...sessionFields,
      credential: credential.id,
      endpoints: [
        { ...place, ...texts, forwards_to: 'http://localhost:3000' },
        { url: 'tcp://db.internal:5432', binding: 'internal' },
      ],
      labelled: [{ labels: { team: 'web' }, forwards_to: 'http://localhost:1', metadata: 'l' }],
    })
    expect(session).toMatchObject({ ...sessionFields, credential: { id: credential.id, uri: credential.uri } })
    const { tunnels, endpoints } = listAgentResources(gateway)
    const web = { ...place, ...texts, domain: { id: domain }, upstream_url: 'http://localhost:3000' }
    expect(endpoints).toMatchObject([
      { url: 'tcp://db.internal:5432', bindings: ['internal'], principal: { id: owner_id } },
      { ...web, created_at: sessionFields.started_at },
    ])
    const labelled = { labels: { team: 'web' }, forwards_to: 'http://localhost:1', metadata: 'l', region: 'eu' }
    const { id, started_at } = { id: expect.any(String), started_at: sessionFields.started_at }
    const ref = { id: session.id, uri: session.uri }
    expect(tunnels[0]).toEqual({ ...labelled, id, started_at, tunnel_session: ref })
    expect(tunnels.slice(1)).toMatchObject([{ proto: 'tcp' }, { metadata: 'm', public_url: place.url }])
  })

  it('can share a URL only if all endpoints there are pooled (334), otherwise nothing is declared', () => {
    const { gateway, listEndpoints } = openWithAgent({
      endpoints: [{ url: 'https://a.example', pooling_enabled: true }],
    })
    const { tunnelSession } = gateway.declare
    const declare =
      (...endpoints: NonNullable<NonNullable<Declaration>['endpoints']>) =>
      () =>
        tunnelSession({ endpoints })
    const before = gateway.snapshot()
    expect(expectError(declare({ url: 'https://a.example' })).code).toBe('ERR_NGROK_334')
    expect(expectError(declare({ url: 'tls://b.example' }, { url: 'tls://b.example:443' })).code).toBe('ERR_NGROK_334')
    expect(expectError(declare({ url: 'nothing' })).code).toBe('ERR_NGROK_249')
    expect(expectError(() => tunnelSession({ credential: 'cr_1' })).message).toContain('"cr_1"')
    expect(expectError(() => tunnelSession({ started_at: 'today' })).message).toContain('"today"')
    const labels = ['web'] as never
    expect(expectError(() => tunnelSession({ labelled: [{ labels }] })).message).toBe(
      'tunnel_session.labelled.0.labels is an array of 1 item. Allowed: an object.',
    )
    expect(gateway.snapshot()).toEqual(before)
    declare({ url: 'https://a.example', pooling_enabled: true })()
    expect(listEndpoints()).toHaveLength(2)
  })

  test.each<[declaration: Declaration, field: string]>([
    [{ endpoints: [{}, { url: 'nothing' }] }, 'endpoints.1.url'],
    [{ endpoints: [{ url: 'tls://b.example' }, { url: 'tls://b.example' }] }, 'endpoints.1.url'],
    [{ credential: 'cr_1' }, 'credential'],
    [{ update: '' }, 'update'],
    [{ failing: { stop: '' } }, 'failing.stop'],
  ])('cannot be %j, and the error names the field', (declaration, field) => {
    const { gateway } = openGateway()
    const error = expectError(() => gateway.declare.tunnelSession(declaration))
    expect([error.message, error.details]).toEqual([
      expect.stringContaining(`tunnel_session.${field} is `),
      expect.objectContaining({ [`field:tunnel_session.${field}`]: error.message }),
    ])
    expect(listAgentResources(gateway)).toEqual(NO_AGENTS)
  })

  it('is declared and ended over HTTP too', async () => {
    const { gateway } = openGateway()
    const control = createControlClient(gateway.fetch, 'http://localhost')
    const { status, body } = await control('POST', '/declare', { tunnel_session: { endpoints: [{}], labelled: [] } })
    expect([status, body.tunnel_session]).toEqual([200, gateway.tunnelSessions.get(body.tunnel_session.id)])
    const path = `/declare?id=${body.tunnel_session.id}`
    expect([(await control('DELETE', path)).status, listAgentResources(gateway)]).toEqual([204, NO_AGENTS])
    expect(outcome(await control('DELETE', path))).toBe('404 ERR_NGROK_90404')
  })
})

describe('Endpoints of agents (contract: endpoints)', () => {
  it('cannot be changed or deleted here (90440)', async () => {
    const { listEndpoints, sendRefused } = openWithAgent()
    const path = `/endpoints/${listEndpoints()[0]?.id}`
    expect(await sendRefused('PATCH', path, { json: { description: 'x' } })).toBe('400 ERR_NGROK_90440')
    expect(await sendRefused('DELETE', path)).toBe('400 ERR_NGROK_90440')
  })

  it('do not prevent the deletion of their domain or address, and use a new one after a restart', () => {
    const { gateway } = openGateway()
    const domain = gateway.reservedDomains.create({ domain: 'example.com' })
    const addr = gateway.reservedAddrs.create()
    const urls = ['https://example.com', `tcp://${addr.addr}`, 'https://a.internal']
    const { id } = gateway.declare.tunnelSession({ endpoints: urls.map((url) => ({ url })) })
    const listReservationIds = () =>
      listAgentResources(gateway).endpoints.map(({ domain, tcp_addr }) => domain?.id ?? tcp_addr?.id)
    expect(listReservationIds()).toEqual([undefined, addr.id, domain.id])
    gateway.reservedDomains.delete(domain.id)
    gateway.reservedAddrs.delete(addr.id)
    expect(listReservationIds()).toEqual([undefined, undefined, undefined])
    const recreated = gateway.reservedDomains.create({ domain: 'example.com' })
    gateway.tunnelSessions.restart(id)
    expect(listReservationIds()).toEqual([undefined, undefined, recreated.id])
  })

  it('block a cloud endpoint at their URL until the agent stops (18017)', async () => {
    const { gateway } = openGateway()
    gateway.reservedDomains.create({ domain: 'example.com' })
    const { id } = gateway.declare.tunnelSession({ endpoints: [{ url: 'https://example.com' }] })
    const create = () => gateway.endpoints.create({ url: 'https://example.com', traffic_policy: '{}' })
    expect(expectError(create).code).toBe('ERR_NGROK_18017')
    gateway.tunnelSessions.stop(id)
    expect(create().type).toBe('cloud')
  })
})

describe('A tunnel session (contract: tunnel_sessions)', () => {
  test.each([[undefined], [{}], ['id']])('is stopped with the body %j, and so are its endpoints', async (body) => {
    const { gateway, session, send } = openWithAgent({ endpoints: [{}, {}], labelled: [{ labels: {} }] })
    const json = body === 'id' ? { id: session.id } : body
    const path = `/tunnel_sessions/${session.id}/stop`
    expect((await send('POST', path, json === undefined ? {} : { json })).status).toBe(204)
    expect(listAgentResources(gateway)).toEqual(NO_AGENTS)
    expect(outcome(await send('POST', path))).toBe('404 ERR_NGROK_90404')
  })

  it('that ends does not change other sessions', () => {
    const { gateway, session, listEndpoints } = openWithAgent()
    const other = gateway.declare.tunnelSession({ endpoints: [{}] })
    gateway.declare.end(session.id)
    expect(listEndpoints().map((each) => each.tunnel_session?.id)).toEqual([other.id])
  })

  it('restarts with new ids, at the same URLs and at the present time', async () => {
    const { gateway, session, listEndpoints, listTunnels, listSessions, send } = openWithAgent({
      endpoints: [{ url: 'https://a.example' }, {}],
      labelled: [{ labels: { a: 'b' } }],
    })
    const before = [...listSessions(), ...listTunnels(), ...listEndpoints()].map(({ id }) => id)
    const urls = listEndpoints().map(({ url }) => url)
    gateway.clock.advance('1m')
    expect((await send('POST', `/tunnel_sessions/${session.id}/restart`)).status).toBe(204)
    const [after] = listSessions()
    const started_at = timeAfter('1m')
    expect(after).toEqual({ ...session, id: after?.id, uri: after?.uri, started_at })
    expect([...listSessions(), ...listTunnels(), ...listEndpoints()].filter(({ id }) => before.includes(id))).toEqual(
      [],
    )
    expect(listEndpoints().map(({ url }) => url)).toEqual(urls)
    expect(listEndpoints().map((each) => each.tunnel?.id)).toEqual(
      listTunnels().flatMap((each) => (each.endpoint ? [each.id] : [])),
    )
    expect(listTunnels().map((each) => [each.started_at, each.tunnel_session.id])).toEqual(
      Array(3).fill([started_at, after?.id]),
    )
    expect(listTunnels()[0]?.labels).toEqual({ a: 'b' })
  })

  test.each([
    [undefined, '4.0.0'],
    [{ version: '3.50.0' }, '3.50.0'],
  ])('is updated by %j at its restart, and rejects another update (809)', async (json, version) => {
    const { gateway, session, listSessions, send, sendRefused } = openWithAgent({ update: '4.0.0' })
    const path = `/tunnel_sessions/${session.id}`
    expect((await send('POST', `${path}/update`, json && { json })).status).toBe(204)
    expect(listSessions()).toEqual([session])
    expect(await sendRefused('POST', `${path}/update`)).toBe('400 ERR_NGROK_809')
    gateway.tunnelSessions.restart(session.id)
    expect(listSessions()[0]?.agent_version).toBe(version)
    expect(await sendRefused('POST', `/tunnel_sessions/${listSessions()[0]?.id}/update`)).toBe('400 ERR_NGROK_809')
  })

  test.each<[command: string, declaration: Declaration, expected: string]>([
    ['restart', { supports: ['stop'] }, '400 ERR_NGROK_804'],
    ['restart', { os: 'windows' }, '400 ERR_NGROK_804'],
    ['stop', { supports: ['restart', 'update'] }, '400 ERR_NGROK_805'],
    ['update', { supports: [], update: '4.0.0' }, '400 ERR_NGROK_806'],
    ['stop', { failing: { stop: 'the process hangs' } }, '400 ERR_NGROK_807'],
    ['restart', { failing: { restart: 'no memory' } }, '400 ERR_NGROK_808'],
    ['update', { update: '4.0.0', failing: { update: 'checks are off' } }, '400 ERR_NGROK_809'],
    ['update', {}, '400 ERR_NGROK_809'],
    ['update', { transport: 'ssh', update: '4.0.0' }, '400 ERR_NGROK_1121'],
    ['restart', { transport: 'ssh' }, '400 ERR_NGROK_1122'],
    ['stop', { reachable: false }, '503 ERR_NGROK_810'],
    ['restart', { reachable: false }, '503 ERR_NGROK_810'],
    ['update', { reachable: false, update: '4.0.0' }, '503 ERR_NGROK_810'],
    ['stop', { os: 'windows', transport: 'ssh' }, '204'],
  ])('receives %s when it was declared with %j, and the outcome is %s', async (command, declaration, expected) => {
    const { session, send, sendRefused } = openWithAgent({ ...declaration, endpoints: [{}] })
    const path = `/tunnel_sessions/${session.id}/${command}`
    expect(expected === '204' ? outcome(await send('POST', path)) : await sendRefused('POST', path)).toBe(expected)
  })

  it('ends when its credential is deleted, or the owner of the credential', () => {
    const { gateway } = openGateway()
    const { id: owner_id } = gateway.botUsers.create({ name: 'ci' })
    const declareAgent = ({ id }: { readonly id: string }) => {
      gateway.declare.tunnelSession({ credential: id, endpoints: [{}] })
      return id
    }
    const ssh = { owner_id, public_key: SSH_KEYS.ed25519 }
    gateway.credentials.delete(declareAgent(gateway.credentials.create({ owner_id })))
    expect(listAgentResources(gateway)).toEqual(NO_AGENTS)
    gateway.sshCredentials.delete(declareAgent(gateway.sshCredentials.create(ssh)))
    expect(listAgentResources(gateway)).toEqual(NO_AGENTS)
    declareAgent(gateway.credentials.create({ owner_id }))
    declareAgent(gateway.sshCredentials.create(ssh))
    gateway.botUsers.delete(owner_id)
    expect(listAgentResources(gateway)).toEqual(NO_AGENTS)
  })

  it('is found by filters, which lists of tunnels do not take (231)', async () => {
    const { gateway, session, send } = openWithAgent({ os: 'darwin' })
    const other = gateway.declare.tunnelSession({ metadata: 'laptop', started_at: '2025-01-01T00:00:00Z' })
    const listIds = async (filter: string) => {
      const { body } = await send('GET', `/tunnel_sessions?filter=${encodeURIComponent(filter)}`)
      return body.error_code ?? body.tunnel_sessions.map(({ id }: { id: string }) => id)
    }
    expect(await listIds("obj.os == 'darwin'")).toEqual([session.id])
    expect(await listIds(`obj.credential == "${other.credential.id}"`)).toEqual([other.id])
    expect(await listIds('obj.started_at < timestamp("2025-05-10T00:00:00Z")')).toEqual([other.id])
    expect(await listIds('obj.transport == "ssh"')).toBe('ERR_NGROK_250')
    expect(outcome(await send('GET', '/tunnels?filter=true'))).toBe('400 ERR_NGROK_231')
  })
})
