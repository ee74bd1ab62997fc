// Starts the program in the folder operator, and does what happens outside of an operator: time passes, somebody
// changes records of DNS, other programs and agents use the same account.
import assert from 'node:assert/strict'
import { manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'
import { startClient } from './drivers.mjs'

const KEY = 'the key of the operator'
const DENY = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'

const times = (many, run) => Array.from({ length: many }, (_, n) => run(n))

/** The requests of the program. What each returns is the response. */
const answers = (gateway) => ({
  // Domains of the service have no certificates: a year of attempts for 120 others would take half a minute.
  domains: ({ many }) => times(many, (n) => gateway.reservedDomains.create({ domain: `shop${n}.ngrok.app` }))[0],
  rules({ many }) {
    const ip_policy_id = gateway.ipPolicies.create({}).id
    times(many, (n) => gateway.ipPolicyRules.create({ ip_policy_id, cidr: `203.0.113.${n}/32`, action: 'allow' }))
  },
  bound({ many }) {
    const create = (url, traffic_policy) =>
      gateway.endpoints.create({ type: 'cloud', url, bindings: ['kubernetes'], traffic_policy })
    times(many / 2, (n) => create(`http://web${n}.shop:8080`, DENY))
    times(many / 2, (n) => create(`tcp://db${n}.shop:5432`, DENY.replace('http_request', 'tcp_connect')))
  },
  cname: ({ name, target }) => gateway.dns.cname(name, target),
  advance: ({ by }) => gateway.clock.advance(by),
  advanceTo: ({ time }) => gateway.clock.advanceTo(time),
  fault: ({ ask: _, ...fault }) => gateway.faults.add({ ...fault, times: 1 }),
  remove: ({ family, id }) => gateway[family].delete(id),
  agent: ({ ask: _, ...endpoint }) => gateway.declare.tunnelSession({ endpoints: [endpoint] }),
  end: ({ id }) => gateway.declare.end(id),
  authority: () => ({ pem: gateway.authority.certificatePem }),
})

/**
 * Makes the calls of a version of the operator, and prints their numbers. Returns false if Go or the client is missing.
 * @throws Error if a response is not as the operator needs it.
 */
export async function checkOperator(version) {
  const gateway = createNgrok({ keys: [KEY], dns: 'simulated', clock: manualClock('2026-01-01T00:00:00Z') })
  const server = await serve(gateway)
  const program = startClient('operator', version)
  try {
    if (typeof program === 'string') {
      console.warn(`!!! The calls of the operator ${version} were left out: ${program} !!!`)
      return false
    }
    const answer = answers(gateway)
    let reply = await program.send({ url: server.url, key: KEY })
    while (reply.ask) reply = await program.send((await answer[reply.ask](reply)) ?? {})
    assert.equal(reply.failure, undefined)
    assert.equal(gateway.requests.count(), reply.calls, 'the number of requests')
    assert.deepEqual(
      gateway.faults.all().filter(({ hits }) => hits === 0),
      [],
      'faults that no call met',
    )
    const { calls, reconcilers, errors } = reply
    console.log(`operator ${version}: ${calls} calls of ${reconcilers} reconcilers, ${errors} errors handled`)
    return true
  } finally {
    program.end?.()
    await server.close()
  }
}
