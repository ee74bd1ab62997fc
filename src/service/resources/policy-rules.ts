import * as v from 'valibot'
import { parseCel } from '../../core/filter/cel-parser.ts'
import { findMaximum, limitProblem } from '../../core/operation/account.ts'
import { sectionReader } from '../../core/operation/family.ts'
import { accountLimits, tooMany } from '../../core/operation/limit.ts'
import type { RuleOptions } from '../../core/schema/dialect.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { declareErrors, field, ofField, type Problem } from '../../core/schema/errors.ts'
import { type Report, rule, ruleOnWhole } from '../../core/schema/rule.ts'
import { anyObject, shownAs } from '../../core/schema/schema.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import { RULES_OF_PLANS } from './policy-limits.ts'
import { hidePolicySecrets } from './policy-secrets.ts'

/** The errors for the rules in a traffic policy. */
export const policyErrors = declareErrors({
  expression_invalid: ofField(
    2200,
    400,
    '{field} is {received}, which is not valid CEL: {problem}. A CEL expression is required.',
  ),
  action_unknown: field(2201, 400, 'one of {allowed}'),
  action_config_invalid: field(2204, 400),
  rule_without_action: ofField(2206, 400, '{field} has no action. Every rule needs at least one action.'),
  action_unreachable: ofField(
    2207,
    400,
    '{field} is {received} and comes after "{after}", which ends the rule. Put a terminating action last.',
  ),
  policy_rules_reached: tooMany(2264),
  policy_rule_too_large: tooMany(2265),
})

const perRule = (what: string) =>
  ({
    what: `${what} of a rule of a traffic policy`,
    isSize: true,
    reached: policyErrors.policy_rule_too_large,
  }) as const

/** The limits on the size of a traffic policy. The service publishes only the limit on rules. */
export const policyLimits = accountLimits({
  policy_rules: {
    what: 'rules in a traffic policy',
    isSize: true,
    reached: policyErrors.policy_rules_reached,
    plans: RULES_OF_PLANS,
  },
  policy_actions: perRule('actions'),
  policy_expressions: perRule('expressions'),
})

/** Returns the problem with a traffic policy that exceeds the account's limit on rules, or undefined if it doesn't. */
export function ruleLimitProblem(options: RuleOptions, field: string, amount: number): Problem | undefined {
  return limitProblem(options, { policy_rules: policyLimits.policy_rules }, { field, amount })
}

/** Returns the maximum number of rules in the account's traffic policies, and of actions and expressions in each rule. */
export function policyMaxima(options: RuleOptions) {
  const { policy_rules, policy_actions, policy_expressions } = policyLimits
  return {
    maxRules: findMaximum(options, { policy_rules }),
    maxActions: findMaximum(options, { policy_actions }),
    maxExpressions: findMaximum(options, { policy_expressions }),
  }
}

// (rules: traffic-policy#actions)
/** The traffic policy action types that the service documents. */
const POLICY_ACTIONS: readonly string[] = `
  add-headers ai-gateway basic-auth circuit-breaker close-connection compress-response custom-response deny
  forward-internal http-request jwt-validation log oauth openid-connect owasp-crs-request owasp-crs-response
  rate-limit redirect remove-headers request-body-find-replace response-body-find-replace restrict-ips saml set-vars
  sse-find-replace terminate-tls url-rewrite verify-webhook
`
  .trim()
  .split(/\s+/)

const TERMINATING: ReadonlySet<unknown> = new Set(['deny', 'custom-response'])

/** A field of an action's config: a description of the allowed values for messages, and a test of the value. */
interface ConfigField {
  readonly allowed: string
  readonly isRequired?: true
  readonly test: (value: unknown) => boolean
}

const text: ConfigField = { allowed: 'a string', test: (value) => typeof value === 'string' }

const statusCode: ConfigField = {
  allowed: 'an integer from 100 to 599',
  test: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599,
}

/** The documented config fields of the documented action types (rules: traffic-policy#actions). */
const CONFIGS: Readonly<Record<string, Readonly<Record<string, ConfigField>>>> = {
  'url-rewrite': { from: { ...text, isRequired: true }, to: { ...text, isRequired: true } },
  'custom-response': { content: text, content_type: text, status_code: statusCode },
  deny: { status_code: statusCode },
  log: { metadata: { allowed: 'an object', test: isObject } },
}

const policyOptions = sectionReader<{ readonly unknownActions: 'refuse' | 'accept' }>('unknownActions')

const NAME = 'A human-readable name for the rule.'
const EXPRESSIONS =
  'CEL expressions over `req`, `res` and `conn` that traffic must match for the rule to apply. Without ' +
  'expressions, the rule applies to all traffic.'
const ACTIONS = 'The actions to take on the traffic, in order; no action can follow `deny` or `custom-response`.'
const CONFIG = "The action's configuration. Its fields depend on the type."
const RULE = 'The actions to take on traffic that matches the expressions.'
const ACTION = 'An action to take on traffic.'

const type = documented(v.string(), 'The type of the action, such as `deny`.', {
  rules: 'traffic-policy#actions',
  json: { listed: POLICY_ACTIONS },
})

const expression = v.pipe(
  v.string(),
  rule([policyErrors.expression_invalid], (source, report) => {
    const problem = celProblem(source)
    if (problem) report(policyErrors.expression_invalid, { problem })
  }),
)

function celProblem(source: string): string | undefined {
  try {
    parseCel(source)
    return undefined
  } catch (error) {
    // The parser's errors contain a summary.
    const { summary }: { summary?: unknown } = Object(error)
    return typeof summary === 'string' ? summary : 'it cannot be parsed'
  }
}

const action = named(
  v.pipe(
    v.object({
      type,
      config: v.optional(
        v.pipe(
          documented(anyObject(), CONFIG),
          shownAs((config) => hidePolicySecrets(config)),
        ),
      ),
    }),
    ruleOnWhole(
      [policyErrors.action_unknown, policyErrors.action_config_invalid],
      ({ type, config }, report, { options, state }) => {
        if (typeof type !== 'string') return
        // A snapshot may come from a gateway that accepts unknown actions.
        const acceptsUnknown = state || policyOptions(options).unknownActions === 'accept'
        if (!acceptsUnknown && !POLICY_ACTIONS.includes(type)) {
          report(policyErrors.action_unknown, { allowed: POLICY_ACTIONS.join(', ') }, { path: ['type'], value: type })
        }
        if (config === undefined || isObject(config)) checkConfig(type, config ?? {}, report)
      },
    ),
  ),
  'EndpointActionBody',
  ACTION,
)

/** Checks the documented fields of an action's config. All other fields are allowed. */
function checkConfig(
  type: string,
  config: Readonly<Record<string, unknown>>,
  report: Report<typeof policyErrors.action_config_invalid>,
): void {
  const fields = Object.hasOwn(CONFIGS, type) ? CONFIGS[type] : undefined
  for (const [name, { allowed, isRequired, test }] of Object.entries(fields ?? {})) {
    const value = config[name]
    const isValid = value === undefined || value === null ? !isRequired : test(value)
    if (!isValid) report(policyErrors.action_config_invalid, { allowed }, { path: ['config', name], value })
  }
}

// (rules: traffic-policy#rules)
/** The schema of a traffic policy rule in a body. */
export const policyRule = named(
  v.pipe(
    v.object({
      name: v.optional(documented(v.string(), NAME)),
      expressions: v.optional(documented(v.array(expression), EXPRESSIONS, { rules: 'traffic-policy#expressions' })),
      actions: v.optional(
        documented(v.array(action), ACTIONS, {
          json: { minItems: 1 },
          isRequired: true,
          rules: 'traffic-policy#actions-after-a-terminating-action',
        }),
        [],
      ),
    }),
    ruleOnWhole([policyErrors.rule_without_action, policyErrors.action_unreachable], ({ actions }, report) => {
      if (!Array.isArray(actions)) return
      if (actions.length === 0)
        return report(policyErrors.rule_without_action, {}, { path: ['actions'], value: actions })
      const types: unknown[] = actions.map((each) => (isObject(each) ? each.type : undefined))
      const last = types.findIndex((type) => TERMINATING.has(type))
      if (last === -1 || last + 1 === types.length) return
      const at = { path: ['actions', last + 1], value: types[last + 1] }
      report(policyErrors.action_unreachable, { received: quote(at.value), after: String(types[last]) }, at)
    }),
  ),
  'EndpointRuleBody',
  RULE,
)

const actionShape = named(
  v.object({
    type,
    config: v.exactOptional(
      v.pipe(
        documented(v.record(v.string(), v.unknown()), CONFIG),
        shownAs((config) => hidePolicySecrets(config)),
      ),
    ),
  }),
  'EndpointAction',
  ACTION,
)

/** The schema of a traffic policy rule in a response. */
export const policyRuleShape = named(
  v.object({
    name: v.exactOptional(documented(v.string(), NAME)),
    expressions: v.exactOptional(documented(v.array(v.string()), EXPRESSIONS)),
    actions: documented(v.array(actionShape), ACTIONS),
  }),
  'EndpointRule',
  RULE,
)
