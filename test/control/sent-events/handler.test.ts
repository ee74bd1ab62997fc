import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import type { SentEvent } from '../../../src/generated/controls.ts'
import { CLOCK_START } from '../../support/clock.ts'

type Payload = Pick<SentEvent, 'event_type' | 'object' | 'principal'>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** A handler of log events, as a function in a cloud would be: it counts refused visitors, and warns of wide rules. */
function createHandler() {
  const refused: Record<string, number> = {}
  const warnings: string[] = []
  const plans: unknown[] = []
  const handle = ({ event_type, object, principal }: Payload) => {
    if (event_type === 'ip_policy_rule_created.v0' && object.cidr === '0.0.0.0/0') {
      warnings.push(`${String(principal?.subject)} allowed all addresses`)
    }
    if (event_type !== 'http_request_complete.v0') return
    const { conn, http, traffic_policy } = object
    const ip = isObject(conn) ? String(conn.client_ip) : ''
    const status = isObject(http) && isObject(http.response) ? http.response.status_code : undefined
    if (status === 403) refused[ip] = (refused[ip] ?? 0) + 1
    if (isObject(traffic_policy) && Array.isArray(traffic_policy.logs)) plans.push(...traffic_policy.logs)
  }
  return { refused, warnings, plans, handle }
}

/** Opens a gateway whose account and traffic a handler could be interested in. */
function openGateway() {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
  const types = ['http_request_complete.v0', 'ip_policy_rule_created.v0', 'vault_created.v0']
  gateway.eventSubscriptions.create({ sources: types.map((type) => ({ type })), destination_ids: [id] })
  return gateway
}

async function use(gateway: ReturnType<typeof openGateway>) {
  const url = 'https://app.ngrok.app'
  const log = { type: 'log', config: { metadata: { plan: 'pro' } } }
  const rules = [
    { expressions: ["conn.client_ip == '203.0.113.9'"], actions: [{ type: 'deny', config: { status_code: 403 } }] },
    { actions: [log] },
  ]
  gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy: JSON.stringify({ on_http_request: rules }) }] })
  gateway.traffic.upstream(url, () => new Response('hello'))
  for (const ip of ['203.0.113.9', '203.0.113.9', '203.0.113.1']) await gateway.traffic.fetch(url, { from: { ip } })
  const { id: ip_policy_id } = gateway.ipPolicies.create({})
  gateway.ipPolicyRules.create({ ip_policy_id, cidr: '0.0.0.0/0', action: 'allow' })
  gateway.vaults.create({ name: 'app' })
}

describe('A handler of log events', () => {
  test('finds in the sent events what happened, live and afterwards (rules: events#account, events#traffic)', async () => {
    const gateway = openGateway()
    const live = createHandler()
    const stop = gateway.sentEvents.subscribe(live.handle)
    await use(gateway)
    stop()
    const later = createHandler()
    // As JSON, like a delivery.
    for (const event of JSON.parse(JSON.stringify(gateway.sentEvents.list()))) later.handle(event)
    const { user } = gateway.self.get()
    for (const { refused, warnings, plans } of [live, later]) {
      expect(refused).toEqual({ '203.0.113.9': 2 })
      expect(warnings).toEqual([`${user} allowed all addresses`])
      expect(plans).toEqual([{ plan: 'pro' }])
    }
  })
})
