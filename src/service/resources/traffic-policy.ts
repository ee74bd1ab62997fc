import * as v from 'valibot'
import type { PathIds } from '../../core/operation/operation.ts'
import { documented, type Facts, named } from '../../core/schema/documentation.ts'
import { Refusal } from '../../core/schema/errors.ts'
import { enabled } from '../../core/schema/schema.ts'
import { policyErrors, policyLimits, policyRule, policyRuleShape, ruleLimitProblem } from './policy-rules.ts'
import { edgeModule, HTTPS_ROUTES, type ModuleOwner } from './route-module.ts'

const INBOUND = 'The rules on incoming traffic, in order.'
const OUTBOUND = 'The rules on outgoing traffic, in order.'
const RULES: Facts = { rules: 'traffic-policy#rules' }

const shape = named(
  v.object({
    enabled: v.unwrap(enabled),
    inbound: documented(v.array(policyRuleShape), INBOUND),
    outbound: documented(v.array(policyRuleShape), OUTBOUND),
  }),
  'TrafficPolicy',
  'Rules on the traffic of a route.',
)

const EXAMPLE = {
  name: 'only from home',
  expressions: ["conn.Geo.CountryCode != 'DE'"],
  actions: [{ type: 'deny', config: { status_code: 403 } }],
}

const fields = v.object({
  enabled,
  inbound: v.optional(documented(v.array(policyRule), INBOUND, RULES), []),
  outbound: v.optional(documented(v.array(policyRule), OUTBOUND, RULES), []),
})

/** Makes the traffic policy module of edges or routes. The name of its body's schema begins with `kind`. */
export function trafficPolicyOf<Ids extends PathIds>(name: string, kind: string, owner: ModuleOwner<Ids>) {
  return edgeModule(owner, {
    name,
    segment: 'policy',
    errors: policyErrors,
    limits: policyLimits,
    what: 'traffic policy',
    body: named(fields, `${kind}TrafficPolicyBody`, 'The new traffic policy.', {
      json: { examples: [{ inbound: [EXAMPLE] }] },
    }),
    shape,
    check(tx, { inbound, outbound }) {
      const problem = ruleLimitProblem(
        tx.rules,
        inbound.length > 0 ? 'inbound' : 'outbound',
        inbound.length + outbound.length,
      )
      if (problem) throw new Refusal([problem])
    },
  })
}

// (rules: route-modules#singletons, traffic-policy#rules)
/** The traffic policy of an HTTPS edge's route. */
export const trafficPolicy = trafficPolicyOf('traffic_policy', '', HTTPS_ROUTES)
