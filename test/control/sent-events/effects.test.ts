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

  test("the app of a route's OAuth is in the event of a request", async () => {
    const gateway = openGateway()
    const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({
      sources: [{ type: 'http_request_complete.v0' }],
      destination_ids: [destination.id],
    })
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const { id: edge_id } = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] })
    gateway.httpsEdgeRoutes.create(edge_id, {
      match_type: 'path_prefix',
      match: '/',
      oauth: { provider: { google: { client_id: 'my-app', client_secret: 'a secret' } } },
    })
    await gateway.traffic.fetch('https://app.ngrok.app/')
    const [event] = gateway.sentEvents.list()
    expect(event?.object).toMatchObject({ oauth: { app_client_id: 'my-app', decision: 'block' } })
  })
})
