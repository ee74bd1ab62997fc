import { describe, expect, test } from 'vitest'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

type Visited = ReturnType<typeof createVisited>

/** An agent's internal endpoint with a policy, and perhaps an upstream. */
function addInternal({ gateway }: Visited, traffic_policy: string, answer?: () => Response) {
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://api.internal', traffic_policy }] })
  if (answer) gateway.traffic.upstream('https://api.internal', answer)
}

function restrict({ gateway }: Visited, type: 'endpoints' | 'agent') {
  const { id } = gateway.ipPolicies.create()
  gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '192.0.2.0/24', action: 'allow' })
  gateway.ipRestrictions.create({ type, enforced: true, ip_policy_ids: [id] })
}

// rules: traffic#errors
describe('An error that a visitor gets says in words what happened:', () => {
  const fails = () => {
    throw new Error('planted')
  }
  test.each<[text: string, policy: string, prepare?: (visited: Visited) => void]>([
    [
      "502 ERR_NGROK_3004 The upstream's function failed. See the request's trace.",
      policyOf('log', { metadata: { a: 'b' } }),
      ({ gateway }) => void gateway.traffic.upstream(URL_OF_APP, fails),
    ],
    [
      '404 ERR_NGROK_3200 No endpoint is online at this URL.',
      policyOf('forward-internal', { url: 'https://a.internal' }),
    ],
    [
      '503 ERR_NGROK_3202 The circuit breaker is open.',
      policyOf('circuit-breaker', { error_threshold: 0.1, volume_threshold: 1, window_duration: '1m' }),
      ({ gateway, visit }) => {
        gateway.traffic.upstream(URL_OF_APP, () => new Response('', { status: 500 }))
        return visit()
      },
    ],
    [
      '403 ERR_NGROK_3205 An IP restriction rejects the address.',
      policyOf('restrict-ips', { enforce: true, deny: ['0.0.0.0/0'] }),
    ],
    [
      '403 ERR_NGROK_3205 An IP restriction rejects the address.',
      policyOf('log', { metadata: { a: 'b' } }),
      (visited) => restrict(visited, 'endpoints'),
    ],
    [
      '403 ERR_NGROK_3204 The webhook could not be verified.',
      policyOf('verify-webhook', { provider: 'github', secret: 'a secret' }),
    ],
    [
      '502 ERR_NGROK_3501 The request was forwarded through too many endpoints.',
      policyOf('forward-internal', { url: 'https://api.internal' }),
      (visited) => addInternal(visited, policyOf('forward-internal', { url: 'https://api.internal' })),
    ],
    [
      "502 ERR_NGROK_3601 The policy's request failed: response size exceeded.",
      policyOf('http-request', { url: 'https://api.internal', on_error: 'halt' }),
      (visited) => addInternal(visited, '{}', () => new Response('x'.repeat(256 * 1024 + 1))),
    ],
    [
      '500 ERR_NGROK_3604 Responses with this status have no body.',
      policyOf('custom-response', { status_code: 204, body: '${req.method}' }),
    ],
    ['500 ERR_NGROK_3900 A policy expression failed.', policyOf('custom-response', { body: '${1 / 0}' })],
    [
      '500 ERR_NGROK_3901 A policy expression returned an invalid pattern.',
      policyOf('url-rewrite', { from: '(${req.method}', to: '/' }),
    ],
    [
      '502 ERR_NGROK_8012 The agent cannot connect to its upstream.',
      policyOf('forward-internal', { url: 'https://api.internal' }),
      (visited) => addInternal(visited, '{}'),
    ],
  ])('%s', async (expected, policy, prepare) => {
    const visited = createVisited(policy)
    await prepare?.(visited)
    const response = await visited.visit()
    expect(`${response.status} ${(await response.text()).trim().replace('\n', ' ')}`).toBe(expected)
  })
})

describe('An IP restriction', () => {
  test('of agents lets visitors pass', async () => {
    const visited = createVisited()
    restrict(visited, 'agent')
    expect((await visited.visit()).status).toBe(200)
  })

  test('of endpoints asks a visitor once, and not the requests that an endpoint forwards', async () => {
    const visited = createVisited(policyOf('forward-internal', { url: 'https://api.internal' }))
    addInternal(visited, '{}', () => new Response('inner'))
    restrict(visited, 'endpoints')
    const { visit, gateway } = visited
    expect(await (await visit('/', { from: { ip: '192.0.2.1' } })).text()).toBe('inner')
    expect(JSON.stringify(gateway.traffic.last()?.trace).split('ip_restrictions')).toHaveLength(2)
    expect((await visit('/', { from: { ip: '198.51.100.1' } })).status).toBe(403)
  })
})

describe('forward-internal with on_error: continue', () => {
  const policy = JSON.stringify({
    on_http_request: [
      { actions: [{ type: 'forward-internal', config: { url: 'https://api.internal', on_error: 'continue' } }] },
      {
        actions: [{ type: 'custom-response', config: { body: 'next <${actions.ngrok.forward_internal.error.code}>' } }],
      },
    ],
  })

  test('runs the next action after an error of the gateway on the way', async () => {
    const visited = createVisited(policy)
    addInternal(visited, policyOf('custom-response', { body: '${1 / 0}' }))
    expect(await (await visited.visit()).text()).toMatch(/^next </)
  })

  test('returns a response of the internal endpoint, whatever its status', async () => {
    const answers = policyOf('custom-response', { status_code: 503, body: 'busy' })
    const visited = createVisited(policy)
    addInternal(visited, answers)
    const response = await visited.visit()
    expect([response.status, await response.text()]).toEqual([503, 'busy'])
  })
})

test.each([42, null, undefined, {}, 'https:// x', 'ftp://x', 'bkd', 'xbkd_1', 'bkd_1/'])(
  'The key %o is no upstream',
  (key) => {
    const { gateway } = createVisited()
    expect(() => gateway.traffic.upstream(key as string, () => new Response())).toThrow(
      /is not an upstream\. Allowed: an http or https URL/,
    )
  },
)
