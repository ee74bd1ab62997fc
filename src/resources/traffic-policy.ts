import { parse } from '@marcbachmann/cel-js'
import * as v from 'valibot'
import { documented, type Facts, named } from '../contract/documentation.ts'
import { quote } from '../contract/quote.ts'
import { anyObject, enabled, type Report, rule, ruleOnWhole } from '../contract/schema.ts'
import { actionConfigProblems } from './policy-action-configs.ts'
import { POLICY_ACTIONS } from './policy-actions.ts'
import { routeModule } from './route-module.ts'

const KNOWN: ReadonlySet<string> = new Set(POLICY_ACTIONS)
const ALLOWED = POLICY_ACTIONS.join(', ')

/** Actions that end the processing of a rule. */
const TERMINATING: ReadonlySet<string> = new Set(['deny', 'custom-response'])

const EXPRESSIONS =
  'CEL expressions over `req`, `res` and `conn` that traffic must meet for the rule to apply; all traffic without any.'
const RULE = 'What is done with some of the traffic.'
const ACTION = 'One thing that is done with traffic.'
const NAME = 'How people call the rule.'
const ACTIONS = 'What is done with the traffic, in this order; nothing follows `deny` and `custom-response`.'
const CONFIG = 'The configuration of the action; its fields hang on the type.'

const TYPE = 'What kind of action it is, such as `deny`.'
const TYPES: Facts = { json: { anyOf: [{ enum: POLICY_ACTIONS }, { type: 'string' }] } }

const expression = v.pipe(
  v.string(),
  rule<string>((source, report) => {
    const problem = celProblem(source)
    if (problem) report('expression_invalid', { problem })
  }),
)

function celProblem(source: string): string | undefined {
  try {
    parse(source)
    return undefined
  } catch (error) {
    return (error as { summary?: string }).summary ?? 'it cannot be parsed'
  }
}

const actionFields = v.object({
  type: documented(v.string(), TYPE, TYPES),
  config: v.optional(documented(anyObject(), CONFIG)),
})

const action = named(
  v.pipe(
    actionFields,
    ruleOnWhole<v.InferOutput<typeof actionFields>>(({ type, config: sent }, report, { unknownActions }) => {
      if (typeof type !== 'string') return
      if (!KNOWN.has(type) && unknownActions === 'refuse') {
        report('action_unknown', { allowed: ALLOWED }, { path: ['type'], value: type })
      }
      for (const { field, allowed, value } of actionConfigProblems(type, sent)) {
        report('action_config_invalid', { allowed }, { path: ['config', field], value })
      }
    }),
  ),
  'EndpointActionBody',
  ACTION,
)

const ruleFields = v.object({
  name: v.optional(documented(v.string(), NAME)),
  expressions: v.optional(documented(v.array(expression), EXPRESSIONS)),
  actions: v.optional(documented(v.array(action), ACTIONS, { json: { minItems: 1 }, isRequired: true }), []),
})

const endpointRule = named(
  v.pipe(
    ruleFields,
    ruleOnWhole<v.InferOutput<typeof ruleFields>>(({ actions }, report) => {
      if (!Array.isArray(actions)) return
      if (actions.length === 0) report('rule_without_action', {}, { path: ['actions'], value: actions })
      else reportUnreachable(actions, report)
    }),
  ),
  'EndpointRuleBody',
  RULE,
)

function reportUnreachable(actions: readonly unknown[], report: Report): void {
  const types = actions.map((each) => (each as { type?: unknown } | undefined)?.type)
  const last = types.findIndex((type) => typeof type === 'string' && TERMINATING.has(type))
  if (last === -1 || last + 1 === types.length) return
  const at = { path: ['actions', last + 1], value: types[last + 1] }
  report('action_unreachable', { received: quote(at.value), after: String(types[last]) } as never, at)
}

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

const rules = v.array(endpointRule)

/** The traffic policy module: service document, "HTTPS edge route modules"; decisions, "Route modules". */
export const trafficPolicy = routeModule({
  name: 'traffic_policy',
  segment: 'policy',
  what: 'traffic policy',
  body: named(
    v.object({
      enabled,
      inbound: v.optional(documented(rules, INBOUND), []),
      outbound: v.optional(documented(rules, OUTBOUND), []),
    }),
    'TrafficPolicyBody',
    'A traffic policy as it is to be.',
  ),
  shape: named(
    v.object({
      enabled: v.unwrap(enabled),
      inbound: documented(v.array(shownRule), INBOUND),
      outbound: documented(v.array(shownRule), OUTBOUND),
    }),
    'TrafficPolicy',
    'Rules on the traffic of a route.',
  ),
  settle: (body) => body as never,
})
