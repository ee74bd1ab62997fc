import * as v from 'valibot'
import {
  accountLimits,
  declareErrors,
  described,
  documented,
  emptyUpdate,
  field,
  named,
  newHead,
  quote,
  refTo,
  refuse,
  refusedAs,
  resource,
  resourceHead,
  rule,
  type Transaction,
  tooMany,
  viewHead,
} from '../kit/index.ts'
import { ACTIONS, cidr, placeOf, policies, type RuleRecord, ruleErrors, rules, ruleTexts } from './ip-policy-records.ts'
import { FILTERABLE, refField } from './shared.ts'

const errors = declareErrors({
  ip_rule_update_empty: emptyUpdate(1401, 'cidr, action, description, metadata'),
  ip_rule_policy_unknown: field(1414, 400, () => 'the id of an IP policy'),
  ip_rule_limit_reached_older: tooMany(1411),
  ip_rule_limit_reached: tooMany(1417),
  ip_rule_action_invalid: field(1422, 400),
})

const limits = accountLimits({
  ip_policy_rules: {
    what: 'rules of an IP policy',
    each: 'policy',
    reached: errors.ip_rule_limit_reached,
    older: errors.ip_rule_limit_reached_older,
  },
})

const CIDR = 'The range of addresses of the rule, trimmed and in lower case.'
const ACTION = 'The action for connections from the range.'
const RULE_ACTIONS = 'ngrok-families#rule-actions'

const ALLOWED_ACTIONS = ACTIONS.join(' or ')

const action = v.pipe(
  v.string(ALLOWED_ACTIONS),
  v.picklist(ACTIONS, ALLOWED_ACTIONS),
  refusedAs(errors.ip_rule_action_invalid),
)

const policyId = v.pipe(
  v.string(),
  rule([ruleErrors.ip_rule_field_missing], (id, report) => {
    if (id === '') report(ruleErrors.ip_rule_field_missing, { allowed: 'the id of an IP policy' })
  }),
)

const shape = named(
  v.object({
    ...resourceHead,
    cidr: documented(v.string(), CIDR),
    ip_policy: refField('The policy that has the rule.'),
    action: documented(v.picklist(ACTIONS), ACTION),
  }),
  'IpPolicyRule',
  'A range of addresses that an IP policy allows or denies.',
)

const createBody = named(
  v.object({
    ...ruleTexts,
    cidr: documented(v.optional(cidr, ''), CIDR, { isRequired: true }),
    ip_policy_id: documented(v.optional(policyId, ''), 'The id of the policy that gets the rule.', {
      isRequired: true,
    }),
    action: documented(v.optional(action, ''), ACTION, {
      json: { enum: ACTIONS },
      isRequired: true,
      rules: RULE_ACTIONS,
    }),
  }),
  'IpPolicyRuleCreate',
  'The body that creates a rule of an IP policy.',
)

const updateBody = named(
  v.object({
    ...ruleTexts,
    cidr: documented(v.optional(cidr), CIDR),
    action: documented(v.optional(action), ACTION, { json: { enum: ACTIONS }, rules: RULE_ACTIONS }),
  }),
  'IpPolicyRuleUpdate',
  'The changes of a rule of an IP policy: at least one field.',
)

/** The rules of IP policies. No two rules of a policy have the same range. */
export const ipPolicyRules = resource(
  {
    name: 'ip_policy_rules',
    path: '/ip_policy_rules',
    items: 'ip_policy_rules',
    prefix: 'ipr',
    what: 'IP policy rule',
    filterable: [...FILTERABLE, 'ip_policy', 'cidr', 'action'],
    errors: { ...ruleErrors, ...errors },
    limits,
    collection: rules,
    shape,
    createBody,
    updateBody,
  },
  {
    view: (rule, wire) => ({
      ...viewHead(rule, wire, '/ip_policy_rules'),
      cidr: rule.cidr,
      ip_policy: refTo(wire, '/ip_policies', rule.ip_policy_id),
      action: rule.action,
    }),
    create: {
      errors: [errors.ip_rule_policy_unknown, ruleErrors.ip_rule_cidr_taken],
      run(tx, { ip_policy_id, cidr, action, ...rest }) {
        if (!tx.get(policies, ip_policy_id)) {
          refuse(errors.ip_rule_policy_unknown, { field: 'ip_policy_id', received: quote(ip_policy_id) })
        }
        requireFree(tx, { ip_policy_id, cidr })
        return tx.put(rules, { ...newHead(tx, 'ipr', rest), cidr, ip_policy_id, action })
      },
    },
    update: {
      errors: [errors.ip_rule_update_empty, ruleErrors.ip_rule_cidr_taken],
      run(tx, rule, body) {
        if (Object.keys(body).length === 0) refuse(errors.ip_rule_update_empty, {})
        const { cidr = rule.cidr, action = rule.action, ...rest } = body
        const changed = { ...rule, ...described(rest, rule), cidr, action }
        requireFree(tx, changed)
        return tx.put(rules, changed)
      },
    },
    relations(rule, others, report) {
      const { id, ip_policy_id, cidr } = rule
      if (!others.get(policies, ip_policy_id)) report(['ip_policy_id'], ip_policy_id, 'the id of an IP policy')
      if (others.find(rules, 'place', placeOf(rule))?.id !== id) {
        report(['cidr'], cidr, 'a range that no other rule of the policy has')
      }
    },
  },
)

function requireFree(
  tx: Transaction,
  rule: Pick<RuleRecord, 'ip_policy_id' | 'cidr'> & { readonly id?: string },
): void {
  const other = tx.find(rules, 'place', placeOf(rule))
  if (!other || other.id === rule.id) return
  refuse(ruleErrors.ip_rule_cidr_taken, { field: 'cidr', received: quote(rule.cidr), id: other.id })
}
