import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok, type NgrokOptions, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { testUsing } from '../../../src/testing/vitest.ts'
import { type Answer, type Client, client, outcome, type RequestParts } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'

/** Creates a gateway in the dialect of ngrok at a fixed time, and a client of its HTTP API. */
export function openGateway(options: Omit<NgrokOptions, 'clock'> = {}) {
  // Most of these tests are not about policies, and their endpoints have an empty one.
  const quirks = { policyMayFallThrough: true }
  const gateway = createNgrok({ seed: 'ngrok', clock: manualClock(CLOCK_START), quirks, ...options })
  const send = client(gateway, ngrokFamilies)
  return { gateway, send, sendRefused: createRefusedSender(gateway, send) }
}

type SendRefused = (method: string, path: string, parts?: RequestParts) => Promise<string>

/** Returns a function that sends a request and returns its outcome. It throws if the request changes the state. */
function createRefusedSender(gateway: ReturnType<typeof createNgrok>, send: Client): SendRefused {
  return async (method, path, parts) => {
    const before = JSON.stringify(gateway.snapshot({ privateKeys: true }))
    const response = await send(method, path, parts)
    if (JSON.stringify(gateway.snapshot({ privateKeys: true })) !== before) throw new Error('The state has changed.')
    return outcome(response)
  }
}

/** Returns the items of a list from all its pages. Like programs, follows `next_page_uri` until it is null. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what it has requested
export async function readAllItems(send: Client, path: string, items: string): Promise<any[]> {
  const all = []
  for (let next: string | null = path; next !== null; ) {
    const response: Answer = await send('GET', next)
    if (response.status !== 200) throw new Error(`${next}: ${outcome(response)}`)
    all.push(...response.body[items])
    next = response.body.next_page_uri
  }
  return all
}

/** Creates an example of most modules, for the body of a route. */
export function createRouteModules(backend_id: string, policy: string) {
  return {
    backend: { backend_id },
    ip_restriction: { ip_policy_ids: [policy] },
    circuit_breaker: { error_threshold_percentage: 0.25 },
    compression: {},
    request_headers: { add: { 'X-Frontend': 'ngrok' }, remove: ['Cache-Control'] },
    response_headers: { enabled: false },
    webhook_verification: { provider: 'github', secret: 's3cret' },
    websocket_tcp_converter: { enabled: true },
    user_agent_filter: { deny: ['bot'] },
    traffic_policy: { value: '{}' },
    policy: { inbound: [], outbound: [] },
  }
}

/** A test of a program that calls the HTTP API of a gateway with `send`. */
export const programTest = testUsing(createNgrok).extend<{ readonly send: Client }>({
  send: async ({ gateway }, use) => use(client(gateway, ngrokFamilies)),
})

/** Returns the path of a list with a filter. */
export function filterPath(path: string, expression: string): string {
  return `${path}?filter=${encodeURIComponent(expression)}`
}
