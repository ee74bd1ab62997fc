import * as v from 'valibot'
import type { ErrorsByKey } from '../../core/operation/family.ts'
import type { PathIds } from '../../core/operation/operation.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { Refusal } from '../../core/schema/errors.ts'
import type { Facts } from '../../core/schema/facts.ts'
import { enabled } from '../../core/schema/schema.ts'
import { policyErrors, policyLimits, policyRule, policyRuleShape, ruleLimitProblem } from './policy-rules.ts'
import { edgeModule, HTTPS_ROUTES, type ModuleOwner, type ModuleReference } from './route-module.ts'

const INBOUND = 'The rules for incoming traffic, in order.'
const OUTBOUND = 'The rules for outgoing traffic, in order.'
const RULES: Facts = { rules: 'traffic-policy#rules' }

const shape = named(
  v.object({
    enabled: v.unwrap(enabled),
    inbound: documented(v.array(policyRuleShape), INBOUND),
    outbound: documented(v.array(policyRuleShape), OUTBOUND),
  }),
  'TrafficPolicy',
  'Rules for the traffic of a route.',
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

/** Additional rules for the policies of a module. */
interface MoreRules<Errors extends ErrorsByKey> {
  readonly errors: Errors
  readonly references: readonly ModuleReference<object>[]
  readonly check: (tx: Transaction, body: object, before: object | undefined) => void
}

/** Creates the traffic policy module of edges or routes. The name of its body's schema begins with `kind`. */
export function trafficPolicyOf<Ids extends PathIds, Errors extends ErrorsByKey = Record<never, never>>(
  name: string,
  kind: string,
  owner: ModuleOwner<Ids>,
  more?: MoreRules<Errors>,
) {
  // The type checker does not know that the default of Errors fits {}.
  const errors = { ...policyErrors, ...more?.errors } as typeof policyErrors & Errors
  return edgeModule(owner, {
    name,
    segment: 'policy',
    errors,
    limits: policyLimits,
    what: 'traffic policy',
    body: named(fields, `${kind}TrafficPolicyBody`, 'The new traffic policy.', {
      json: { examples: [{ inbound: [EXAMPLE] }] },
    }),
    shape,
    ...(more && { references: more.references }),
    check(tx, body, before) {
      const { inbound, outbound } = body
      const problem = ruleLimitProblem(
        tx.options,
        inbound.length > 0 ? 'inbound' : 'outbound',
        inbound.length + outbound.length,
      )
      if (problem) throw new Refusal([problem])
      more?.check(tx, body, before)
    },
  })
}

// (rules: route-modules#singletons, traffic-policy#rules)
/** The traffic policy of an HTTPS edge route. */
export const trafficPolicy = trafficPolicyOf('traffic_policy', '', HTTPS_ROUTES)
