import * as v from 'valibot'
import { documented, type Facts, named } from '../../schema/documentation.ts'
import { enabled } from '../../schema/schema.ts'
import type { Frozen } from '../../schema/values.ts'
import { routeModule } from '../route-module.ts'
import { errors } from './errors.ts'
import { ACTION, ACTIONS, CONFIG, EXPRESSIONS, NAME, RULE, TYPE, TYPES } from './fields.ts'
import { endpointRule } from './rules.ts'

const shownRule = named(
  v.object({
    name: v.exactOptional(documented(v.string(), NAME)),
    expressions: v.exactOptional(documented(v.array(v.string()), EXPRESSIONS)),
    actions: documented(
      v.array(
        named(
          v.object({
            type: documented(v.string(), TYPE, TYPES),
            config: v.exactOptional(documented(v.record(v.string(), v.unknown()), CONFIG)),
          }),
          'EndpointAction',
          ACTION,
        ),
      ),
      ACTIONS,
    ),
  }),
  'EndpointRule',
  RULE,
)

const INBOUND = 'The rules on what comes in, in their order.'
const OUTBOUND = 'The rules on what goes out, in their order.'

const RULES: Facts = { rules: 'traffic-policy#rules' }

const rules = v.array(endpointRule)

const shape = named(
  v.object({
    enabled: v.unwrap(enabled),
    inbound: documented(v.array(shownRule), INBOUND),
    outbound: documented(v.array(shownRule), OUTBOUND),
  }),
  'TrafficPolicy',
  'Rules on the traffic of a route.',
)

/** The traffic policy module (rules: route-modules#singletons, traffic-policy#rules). */
export const trafficPolicy = routeModule({
  name: 'traffic_policy',
  segment: 'policy',
  errors,
  what: 'traffic policy',
  body: named(
    v.object({
      enabled,
      inbound: v.optional(documented(rules, INBOUND, RULES), []),
      outbound: v.optional(documented(rules, OUTBOUND, RULES), []),
    }),
    'TrafficPolicyBody',
    'A traffic policy as it is to be.',
  ),
  shape,
  // An optional field that was left out is absent, which the type of what was read does not say.
  moduleOf: (body) => body as Frozen<v.InferOutput<typeof shape>>,
})
