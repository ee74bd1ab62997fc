import * as v from 'valibot'
import { documented, type Facts, named } from '../schema/documentation.ts'
import { Refusal } from '../schema/errors.ts'
import { enabled } from '../schema/schema.ts'
import type { Frozen } from '../schema/values.ts'
import { policyErrors, policyLimits, policyRule, ruleLimitProblem, shownPolicyRule } from './policy-rules.ts'
import { routeModule } from './route-module.ts'

const INBOUND = 'The rules on incoming traffic, in order.'
const OUTBOUND = 'The rules on outgoing traffic, in order.'
const RULES: Facts = { rules: 'traffic-policy#rules' }

const shape = named(
  v.object({
    enabled: v.unwrap(enabled),
    inbound: documented(v.array(shownPolicyRule), INBOUND),
    outbound: documented(v.array(shownPolicyRule), OUTBOUND),
  }),
  'TrafficPolicy',
  'Rules on the traffic of a route.',
)

const EXAMPLE = {
  name: 'only from home',
  expressions: ["conn.Geo.CountryCode != 'DE'"],
  actions: [{ type: 'deny', config: { status_code: 403 } }],
}

/** The traffic policy module (rules: route-modules#singletons, traffic-policy#rules). */
export const trafficPolicy = routeModule({
  name: 'traffic_policy',
  segment: 'policy',
  errors: policyErrors,
  limits: policyLimits,
  what: 'traffic policy',
  body: named(
    v.object({
      enabled,
      inbound: v.optional(documented(v.array(policyRule), INBOUND, RULES), []),
      outbound: v.optional(documented(v.array(policyRule), OUTBOUND, RULES), []),
    }),
    'TrafficPolicyBody',
    'The new traffic policy.',
    { json: { examples: [{ inbound: [EXAMPLE] }] } },
  ),
  shape,
  // An optional field that was left out is absent, which the type of what was read does not say.
  moduleOf: (body) => body as Frozen<v.InferOutput<typeof shape>>,
  check(tx, { inbound, outbound }) {
    const problem = ruleLimitProblem(
      tx.rules,
      inbound.length > 0 ? 'inbound' : 'outbound',
      inbound.length + outbound.length,
    )
    if (problem) throw new Refusal([problem])
  },
})
