import { parse } from '@marcbachmann/cel-js'
import * as v from 'valibot'
import { documented, type Facts, named } from '../contract/documentation.ts'
import { declareErrors, type FieldFacts, field, ofField } from '../contract/errors.ts'
import { quote } from '../contract/quote.ts'
import { type Report, rule, ruleOnWhole } from '../contract/rule.ts'
import { anyObject, enabled } from '../contract/schema.ts'
import { actionConfigProblems } from './policy-action-configs.ts'
import { POLICY_ACTIONS } from './policy-actions.ts'
import { routeModule } from './route-module.ts'

/** What can be wrong with the rules of a traffic policy. */
export const errors = declareErrors({
  expression_invalid: ofField(
    2200,
    400,
    (it: FieldFacts & { problem: string }) =>
      `${it.field} is ${it.received}, which is not CEL: ${it.problem}. A CEL expression is required.`,
  ),
  action_unknown: field(2201, 400, (it: { allowed: string }) => `one of ${it.allowed}`),
  action_config_invalid: field(2204, 400),
  rule_without_action: ofField(
    2206,
    400,
    (it: FieldFacts) => `${it.field} has no action. Every rule needs at least one.`,
  ),
  action_unreachable: ofField(
    2207,
    400,
    (it: FieldFacts & { after: string }) =>
      `${it.field} is ${it.received} and stands after "${it.after}", which ends the rule. Put a terminating action last.`,
  ),
})

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
  rule([errors.expression_invalid], (source, report) => {
    const problem = celProblem(source)
    if (problem) report(errors.expression_invalid, { problem })
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
    ruleOnWhole(
      [errors.action_unknown, errors.action_config_invalid],
      ({ type, config: sent }, report, { unknownActions }) => {
        if (typeof type !== 'string') return
        if (!KNOWN.has(type) && unknownActions === 'refuse') {
          report(errors.action_unknown, { allowed: ALLOWED }, { path: ['type'], value: type })
        }
        for (const { field, allowed, value } of actionConfigProblems(type, sent)) {
          report(errors.action_config_invalid, { allowed }, { path: ['config', field], value })
        }
      },
    ),
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
    ruleOnWhole([errors.rule_without_action, errors.action_unreachable], ({ actions }, report) => {
      if (!Array.isArray(actions)) return
      if (actions.length === 0) report(errors.rule_without_action, {}, { path: ['actions'], value: actions })
      else reportUnreachable(actions, report)
    }),
  ),
  'EndpointRuleBody',
  RULE,
)

function reportUnreachable(actions: readonly unknown[], report: Report<typeof errors.action_unreachable>): void {
  const types = actions.map((each) => (each as { type?: unknown } | undefined)?.type)
  const last = types.findIndex((type) => typeof type === 'string' && TERMINATING.has(type))
  if (last === -1 || last + 1 === types.length) return
  const at = { path: ['actions', last + 1], value: types[last + 1] }
  report(errors.action_unreachable, { received: quote(at.value), after: String(types[last]) }, at)
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

/** The traffic policy module (rules: route-modules#singletons, traffic-policy#rules). */
export const trafficPolicy = routeModule({
  name: 'traffic_policy',
  segment: 'policy',
  errors,
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
  // An optional field that was left out is absent, which the type of what was read does not say.
  moduleOf: (body) => body as never,
})
