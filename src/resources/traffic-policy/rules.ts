import { parse } from '@marcbachmann/cel-js'
import * as v from 'valibot'
import { ownPart } from '../../operation/family.ts'
import { documented, named } from '../../schema/documentation.ts'
import { type Report, rule, ruleOnWhole } from '../../schema/rule.ts'
import { anyObject } from '../../schema/schema.ts'
import { quote } from '../../schema/text.ts'
import { isObject } from '../../schema/values.ts'
import { actionConfigProblems } from './action-configs.ts'
import { POLICY_ACTIONS } from './actions.ts'
import { errors } from './errors.ts'
import { ACTION, ACTIONS, CONFIG, EXPRESSIONS, NAME, RULE, TYPE, TYPES } from './fields.ts'

/** The option of a gateway for traffic policies; its meaning and default stand at `GatewayOptions`. */
export interface PolicyRules {
  readonly unknownActions: 'refuse' | 'accept'
}

const policyRules = ownPart<PolicyRules>()

const KNOWN: ReadonlySet<string> = new Set(POLICY_ACTIONS)
const ALLOWED = POLICY_ACTIONS.join(', ')

/** Actions that end the processing of a rule. */
const TERMINATING: ReadonlySet<string> = new Set(['deny', 'custom-response'])

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
    // The parser's own errors have one.
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
      ({ type, config: sent }, report, { rules, state }) => {
        if (typeof type !== 'string') return
        // Not every gateway knows the actions that another one accepted and kept.
        if (!KNOWN.has(type) && !state && policyRules(rules).unknownActions !== 'accept') {
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
  expressions: v.optional(documented(v.array(expression), EXPRESSIONS, { rules: 'traffic-policy#expressions' })),
  actions: v.optional(
    documented(v.array(action), ACTIONS, {
      json: { minItems: 1 },
      isRequired: true,
      rules: 'traffic-policy#nothing-after-the-end',
    }),
    [],
  ),
})

/** A rule in a body (rules: traffic-policy#rules). */
export const endpointRule = named(
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
  const types = actions.map((each) => (isObject(each) ? each.type : undefined))
  const last = types.findIndex((type) => typeof type === 'string' && TERMINATING.has(type))
  if (last === -1 || last + 1 === types.length) return
  const at = { path: ['actions', last + 1], value: types[last + 1] }
  report(errors.action_unreachable, { received: quote(at.value), after: String(types[last]) }, at)
}
