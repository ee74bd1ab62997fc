import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { type ManualClock, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

/** The URL of the endpoint that {@link createVisited} makes. */
export const URL_OF_APP = 'https://app.example.com'

/** Makes a gateway with the endpoint of an agent that has a policy, whose upstream answers with what it received. */
export function createVisited(traffic_policy?: string, options: Omit<NgrokOptions<ManualClock>, 'clock'> = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'traffic', ...options })
  gateway.declare.tunnelSession({
    endpoints: [{ url: URL_OF_APP, ...(traffic_policy !== undefined && { traffic_policy }) }],
  })
  const received: Request[] = []
  gateway.traffic.upstream(URL_OF_APP, async (request) => {
    received.push(request.clone())
    return new Response(`upstream got ${await request.text()}`, { headers: { 'content-type': 'text/plain' } })
  })
  const visit = (path = '/', init: Parameters<typeof gateway.traffic.fetch>[1] = {}) =>
    gateway.traffic.fetch(`${URL_OF_APP}${path}`, init)
  return { gateway, visit, received }
}

/** Writes a policy with one action in one rule. */
export function policyOf(
  type: string,
  config: object = {},
  phase = 'on_http_request',
  expressions: readonly string[] = [],
) {
  return JSON.stringify({ [phase]: [{ expressions, actions: [{ type, config }] }] })
}
