import { manualClock } from '../../src/engine/manual-clock.ts'
import { createNgrok, type NgrokOptions, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { testUsing } from '../../src/testing/vitest.ts'
import { type Answer, type Client, client, outcome, type RequestParts } from '../support/client.ts'

/** A gateway in the dialect of ngrok at a fixed time, with a client of its HTTP API. */
export function openGateway(options: Omit<NgrokOptions, 'clock'> = {}) {
  const gateway = createNgrok({ seed: 'ngrok', clock: manualClock('2026-01-01T00:00:00Z'), ...options })
  const send = client(gateway, ngrokFamilies)
  return { gateway, send, sendRefused: refusalsOf(gateway, send) }
}

type Refused = (method: string, path: string, sending?: RequestParts) => Promise<string>

/** Sends a request that must change nothing, and returns its outcome. */
function refusalsOf(gateway: ReturnType<typeof createNgrok>, send: Client): Refused {
  return async (method, path, sending) => {
    const before = JSON.stringify(gateway.snapshot({ privateKeys: true }))
    const answer = await send(method, path, sending)
    if (JSON.stringify(gateway.snapshot({ privateKeys: true })) !== before) throw new Error('The state has changed.')
    return outcome(answer)
  }
}

/** Reads a whole list as programs do: by the whole `next_page_uri`, until it is null. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
export async function everyPage(ask: Client, path: string, items: string): Promise<any[]> {
  const all = []
  for (let next: string | null = path; next !== null; ) {
    const answer: Answer = await ask('GET', next)
    if (answer.status !== 200) throw new Error(`${next}: ${outcome(answer)}`)
    all.push(...answer.body[items])
    next = answer.body.next_page_uri
  }
  return all
}

/** An example of most modules, as in the body of a route. */
export function routeModules(backend_id: string, policy: string) {
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

/** The test of a program, which calls the HTTP API of its gateway with `ask`. */
export const programTest = testUsing(createNgrok).extend<{ readonly ask: Client }>({
  ask: async ({ gateway }, use) => use(client(gateway, ngrokFamilies)),
})

/** Returns the path of a list with a filter. */
export function filtered(path: string, expression: string): string {
  return `${path}?filter=${encodeURIComponent(expression)}`
}
