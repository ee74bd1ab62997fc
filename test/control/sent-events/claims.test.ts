import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'

const HTTP = 'http_request_complete.v0'

/** Creates a gateway with a destination, and a subscription to these types. */
function subscribe(...types: readonly string[]) {
  const gateway = createNgrok({ seed: 'claims', clock: manualClock(CLOCK_START) })
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

test('An update is an event even if no value changes (rules: events#account)', () => {
  const { gateway, events } = subscribe('ip_policy_updated.v0')
  const { id } = gateway.ipPolicies.create({ description: 'offices' })
  gateway.ipPolicies.update(id, { description: 'offices' })
  expect(events()).toHaveLength(1)
})

test('The events of a session have its credential, its transport, and the reason of its end (rules: events#account)', () => {
  const { gateway, events } = subscribe('agent_session_start.v0', 'agent_session_stop.v0')
  const { id } = gateway.credentials.create({})
  gateway.declare.tunnelSession({ credential: id })
  gateway.credentials.delete(id)
  const [start, stop] = events()
  expect(start?.principal).toMatchObject({ source: 'API', credential: { id } })
  expect(stop?.object).toMatchObject({ error: expect.stringContaining('The credential of the agent was deleted') })
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
