import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
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
