import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { SSH_KEYS } from '../../service/ngrok/ssh-keys.ts'
import { CLOCK_START } from '../../support/clock.ts'

const openGateway = () => createNgrok({ seed: 'effects', clock: manualClock(CLOCK_START) })

describe('Fields of requests', () => {
  test('endpoints take requests by their URL, and answer by their policy', async () => {
    const gateway = openGateway()
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const actions = [{ type: 'custom-response', config: { status_code: 202, body: 'made by the policy' } }]
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions }] })
    gateway.endpoints.create({ url: 'https://app.ngrok.app', type: 'cloud', bindings: ['public'], traffic_policy })
    const response = await gateway.traffic.fetch('https://app.ngrok.app/')
    expect([response.status, await response.text()]).toEqual([202, 'made by the policy'])
    expect((await gateway.traffic.fetch('https://other.ngrok.app/')).status).toBe(404)
  })

  test('secrets are values of policies, by the names of their vault and their own', async () => {
    const gateway = openGateway()
    const { id: vault_id } = gateway.vaults.create({ name: 'app' })
    gateway.vaultSecrets.create({ name: 'token', value: 'from the vault', vault_id })
    const body = ['$', "{secrets.get('app', 'token')}"].join('')
    const actions = [{ type: 'custom-response', config: { status_code: 200, body } }]
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions }] })
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok.app', traffic_policy }] })
    expect(await (await gateway.traffic.fetch('https://app.ngrok.app/')).text()).toBe('from the vault')
  })

  test('endpoints share a URL if both pool, and internal ones have no visitors from outside', async () => {
    const gateway = openGateway()
    const create = (url: string, binding: 'public' | 'internal', pooling_enabled: boolean) => {
      const traffic_policy = JSON.stringify({ on_http_request: [{ actions: [{ type: 'deny' }] }] })
      gateway.endpoints.create({ url, type: 'cloud', bindings: [binding], traffic_policy, pooling_enabled })
    }
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    create('https://app.ngrok.app', 'public', true)
    expect(() => create('https://app.ngrok.app', 'public', false)).toThrow()
    create('https://app.ngrok.app', 'public', true)
    create('https://app.internal', 'internal', false)
    const statusOf = async (url: string) => (await gateway.traffic.fetch(url)).status
    expect([await statusOf('https://app.ngrok.app'), await statusOf('https://app.internal')]).toEqual([403, 404])
  })

  test('secrets are found by the name of the vault that they were sent with', async () => {
    const gateway = openGateway()
    gateway.vaults.create({ name: 'other' })
    const vault = gateway.vaults.create({ name: 'app' })
    const secret = gateway.vaultSecrets.create({ name: 'token', value: 'a value', vault_name: 'app' })
    expect(secret.vault.id).toBe(vault.id)
  })

  test('responses of a backend have its status, headers and body', async () => {
    const gateway = openGateway()
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const { id: edge_id } = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] })
    const page = { body: 'closed', status_code: 410, headers: { 'x-page': 'yes' } }
    const backend_id = gateway.httpResponseBackends.create(page).id
    gateway.httpsEdgeRoutes.create(edge_id, { match: '/', backend: { backend_id } })
    const response = await gateway.traffic.fetch('https://app.ngrok.app/')
    expect([response.status, response.headers.get('x-page'), await response.text()]).toEqual([410, 'yes', 'closed'])
  })

  test('addresses have the region that they were sent with', () => {
    const gateway = openGateway()
    expect(gateway.reservedAddrs.create({ region: 'eu' }).addr).toMatch(/[.]eu[.]/)
    expect(gateway.reservedAddrs.create({ region: 'us' }).addr).not.toMatch(/[.]eu[.]/)
  })

  test.each(['rsa', 'ecdsa'] as const)('certificates of domains and ingresses have keys of the type %s', (type) => {
    const gateway = openGateway()
    const policy = { certificate_management_policy: { authority: 'letsencrypt', private_key_type: type } } as const
    const domain = gateway.reservedDomains.create({ domain: 'app.example.com', ...policy })
    gateway.agentIngresses.create({ domain: 'connect.example.com', ...policy })
    gateway.clock.advance('1h')
    const certificate = gateway.reservedDomains.get(domain.id).certificate?.id ?? ''
    expect(gateway.tlsCertificates.get(certificate).private_key_type).toBe(type)
    const [ingress] = gateway.agentIngresses.list().ingresses
    expect(ingress?.certificate_management_policy?.private_key_type).toBe(type)
  })

  test.each(['credentials', 'sshCredentials'] as const)(
    'sessions of agents are those of the owner of their key: %s',
    (family) => {
      const gateway = openGateway()
      const destination = gateway.eventDestinations.create({
        format: 'json',
        target: { datadog: { api_key: 'a key' } },
      })
      const sources = [{ type: 'agent_session_start.v0' }]
      gateway.eventSubscriptions.create({ sources, destination_ids: [destination.id] })
      const { id: owner_id } = gateway.serviceUsers.create({ name: 'deployer' })
      const body = { owner_id, ...(family === 'sshCredentials' && { public_key: SSH_KEYS.ed25519 ?? '' }) }
      const { id } = gateway[family].create(body as { public_key: string })
      gateway.declare.tunnelSession({ credential: id, ...(family === 'sshCredentials' && { transport: 'ssh' }) })
      expect(gateway.sentEvents.list()[0]?.principal).toMatchObject({ id: owner_id, subject: 'deployer' })
    },
  )

  /** Opens an HTTPS edge at app.ngrok.app whose route has modules, and tells the events of its requests. */
  const openRoute = (modules: (gateway: ReturnType<typeof openGateway>) => object) => {
    const gateway = openGateway()
    const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({
      sources: [{ type: 'http_request_complete.v0' }],
      destination_ids: [destination.id],
    })
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const { id: edge_id } = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] })
    const backend_id = gateway.httpResponseBackends.create({ body: 'page', status_code: 200 }).id
    const fields = { match_type: 'path_prefix', match: '/', backend: { backend_id } } as const
    gateway.httpsEdgeRoutes.create(edge_id, { ...fields, ...modules(gateway) })
    return async (init: Parameters<typeof gateway.traffic.fetch>[1] = {}) => {
      await gateway.traffic.fetch('https://app.ngrok.app/', init)
      return gateway.sentEvents.list().at(-1)?.object
    }
  }

  test('the IP restriction of a route decides in the event of a request', async () => {
    const visit = openRoute((gateway) => {
      const { id } = gateway.ipPolicies.create({})
      gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '203.0.113.0/24', action: 'allow' })
      return { ip_restriction: { ip_policy_ids: [id] } }
    })
    const none = { webhook_verification: { decision: null }, oauth: { decision: null } }
    expect(await visit()).toMatchObject({ ip_policy: { decision: 'allow' }, ...none })
    expect(await visit({ from: { ip: '198.51.100.1' } })).toMatchObject({ ip_policy: { decision: 'block' }, ...none })
  })

  test('the webhook verification of a route decides in the event of a request', async () => {
    const visit = openRoute(() => ({ webhook_verification: { provider: 'github', secret: 'a shared secret' } }))
    const body = '{"a":1}'
    const send = (secret: string) => {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      return visit({ method: 'POST', body, headers: { 'x-hub-signature-256': signature } })
    }
    const none = { ip_policy: { decision: null } }
    expect(await send('a shared secret')).toMatchObject({ webhook_verification: { decision: 'allow' }, ...none })
    expect(await send('another secret')).toMatchObject({ webhook_verification: { decision: 'block' }, ...none })
  })

  test("the app of a route's OAuth is in the event of a request", async () => {
    const visit = openRoute(() => ({
      oauth: { provider: { google: { client_id: 'my-app', client_secret: 'a secret' } } },
    }))
    expect(await visit()).toMatchObject({ oauth: { app_client_id: 'my-app', decision: 'block' } })
  })
})
