import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { defineUnique, descriptionAndMetadata, FILTERABLE, refField, refusedField } from './shared.ts'

const RANGE = 'an address and the length of its prefix, such as "203.0.113.0/24" or "2001:db8::/32"'

const policyErrors = kit.declareErrors({
  ip_policy_update_empty: parts.emptyUpdate(1400),
  ip_policy_limit_reached_older: kit.tooMany(1410),
  ip_policy_limit_reached: kit.tooMany(1415),
  ip_policy_action: kit.field(1423, 400, 'no action, because each rule of a policy has its own'),
})

const ruleErrors = kit.declareErrors({
  ip_rule_update_empty: parts.emptyUpdate(1401),
  ip_rule_field_missing: kit.ofField(1405, 400, 'A rule needs {field}, which is missing or empty. Allowed: {allowed}.'),
  ip_rule_cidr_invalid: kit.field(1406, 400, RANGE),
  ip_rule_cidr_taken: kit.ofField(
    1408,
    400,
    '{field} is {received}. The rule {id} of the same policy already has this range. Send a different one.',
  ),
  ip_rule_cidr_not_first: kit.field(1409, 400, 'the first address of the range, with no bits set after the prefix'),
  ip_rule_limit_reached_older: kit.tooMany(1411),
  ip_rule_cidr_without_length: kit.field(1413, 400, RANGE),
  ip_rule_policy_unknown: kit.field(1414, 400, 'the ID of an IP policy that exists'),
  ip_rule_limit_reached: kit.tooMany(1417),
  ip_rule_description_too_long: parts.tooLong(1421),
  ip_rule_action_invalid: kit.field(1422, 400),
})

/** Reads a CIDR range. Returns the range's normalized form, or the error if the range is invalid. */
function readRange(cidr: string) {
  const [address = '', length, ...rest] = cidr.split('/')
  const bytes = parts.ipBytes(address)
  if (!bytes || rest.length > 0) return ruleErrors.ip_rule_cidr_invalid
  if (length === undefined) return ruleErrors.ip_rule_cidr_without_length
  const bits = toBits(bytes)
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits.length) return ruleErrors.ip_rule_cidr_invalid
  if (bits.includes('1', Number(length))) return ruleErrors.ip_rule_cidr_not_first
  return `${bits}/${length}`
}

function toBits(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
}

/** Returns whether an address is in the range of a rule. */
export function isInRangeOf({ cidr }: { readonly cidr: string }, address: string): boolean {
  const [first = '', length] = cidr.split('/')
  const [bytes, range] = [parts.ipBytes(address), parts.ipBytes(first)]
  if (bytes?.length !== range?.length) return false
  return bytes !== undefined && range !== undefined && toBits(bytes).startsWith(toBits(range).slice(0, Number(length)))
}

const cidr = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  kit.rule(
    [
      ruleErrors.ip_rule_field_missing,
      ruleErrors.ip_rule_cidr_invalid,
      ruleErrors.ip_rule_cidr_not_first,
      ruleErrors.ip_rule_cidr_without_length,
    ],
    (text, report) => {
      const range = readRange(text)
      if (text === '') report(ruleErrors.ip_rule_field_missing, { allowed: RANGE })
      else if (typeof range !== 'string') report(range, {})
    },
  ),
)

const refusedAction = refusedField(
  policyErrors.ip_policy_action,
  'Not accepted, because each rule of a policy has its own action.',
  'ngrok-families#ip-policies',
)

const policies = parts.columns(
  {
    name: 'ip_policies',
    prefix: 'ipp',
    what: 'IP policy',
    plural: 'IP policies',
    filterable: FILTERABLE,
    errors: policyErrors,
    limit: { reached: policyErrors.ip_policy_limit_reached, older: policyErrors.ip_policy_limit_reached_older },
    texts: descriptionAndMetadata(),
    title: 'IpPolicy',
    sentence: 'A set of rules for the addresses that may reach an endpoint.',
    note: '; at least one field is required',
    examples: [{ description: 'the office' }],
  },
  {
    action: parts.column({ create: refusedAction, update: refusedAction }),
  },
)

/** IP policies, as targets of references. */
export const ipPolicyTarget = parts.targetOf('an IP policy', policies.records)

/** IP policies. Their rules are a separate family. */
export const ipPolicies = kit.resource(policies.kind, {
  ...policies.rules,
  update: {
    errors: [policyErrors.ip_policy_update_empty],
    run(tx, policy, body) {
      parts.requireUpdate(policyErrors.ip_policy_update_empty, body, policies.kind.updateBody)
      return tx.put(policies.records, policies.changed(policy, body))
    },
  },
})

const ACTIONS = ['allow', 'deny'] as const
const CIDR = "The rule's address range, in lowercase and without surrounding blanks."
const ACTION = 'The action for connections from the range.'
const ACTION_FACTS = { json: { enum: ACTIONS }, rules: 'ngrok-families#rule-actions' } as const
const ALLOWED_ACTIONS = ACTIONS.join(' or ')

const action = v.pipe(
  v.string(ALLOWED_ACTIONS),
  v.picklist(ACTIONS, ALLOWED_ACTIONS),
  kit.refusedAs(ruleErrors.ip_rule_action_invalid),
)

const policyId = v.pipe(
  v.string(),
  kit.rule([ruleErrors.ip_rule_field_missing], (id, report) => {
    if (id === '') report(ruleErrors.ip_rule_field_missing, { allowed: 'the ID of an IP policy' })
  }),
)

const table = parts.columns(
  {
    name: 'ip_policy_rules',
    prefix: 'ipr',
    what: 'IP policy rule',
    tableFields: ['cidr', 'action', 'ip_policy'],
    one: 'an IP policy rule',
    filterable: [...FILTERABLE, 'ip_policy', 'cidr', 'action'],
    errors: ruleErrors,
    limit: {
      what: 'rules in an IP policy',
      each: 'policy',
      reached: ruleErrors.ip_rule_limit_reached,
      older: ruleErrors.ip_rule_limit_reached_older,
    },
    texts: descriptionAndMetadata({ description: ruleErrors.ip_rule_description_too_long }),
    title: 'IpPolicyRule',
    sentence: 'A range of addresses that an IP policy allows or denies.',
    note: '; at least one field is required',
  },
  {
    cidr: parts.column({
      create: kit.documented(v.optional(cidr, ''), CIDR, { isRequired: true }),
      update: kit.documented(v.optional(cidr), CIDR),
      kept: cidr,
      shown: kit.documented(v.string(), CIDR),
    }),
    ip_policy_id: parts.column({
      create: kit.documented(v.optional(policyId, ''), 'The ID of the policy to add the rule to.', {
        isRequired: true,
      }),
      kept: kit.idOf('ipp'),
      shown: false,
    }),
    ip_policy: parts.column({ shown: refField('The policy that contains the rule.') }),
    action: parts.column({
      create: kit.documented(v.optional(action, ''), ACTION, { ...ACTION_FACTS, isRequired: true }),
      update: kit.documented(v.optional(action), ACTION, ACTION_FACTS),
      kept: parts.oneOfThese(ACTIONS),
      shown: kit.documented(v.picklist(ACTIONS), ACTION),
    }),
  },
  {
    indexes: {
      policy: ({ ip_policy_id }) => ip_policy_id,
      place: ({ ip_policy_id, cidr }) => `${ip_policy_id} ${String(readRange(cidr))}`,
    },
  },
)

/** The rules of IP policies, indexed by policy. */
export const rules = table.records

const unique = defineUnique(rules, 'place', {
  field: 'cidr',
  error: ruleErrors.ip_rule_cidr_taken,
  allowed: 'a range that no other rule of the policy has',
})

const policyOfRule = parts.referenceOf(rules, {
  field: 'ip_policy_id',
  sent: 'ip_policy_id',
  shown: 'ip_policy',
  to: ipPolicyTarget,
  index: 'policy',
  missing: ruleErrors.ip_rule_policy_unknown,
  deletion: 'cascades',
  rules: 'ngrok-families#ip-policies',
})

/** The rules of IP policies. No two rules of a policy have the same range. */
export const ipPolicyRules = kit.resource(table.kind, {
  ...table.rules,
  view: (rule, wire) => ({
    ...table.rules.view(rule, wire),
    ip_policy: kit.refTo(wire, '/ip_policies', rule.ip_policy_id),
  }),
  create: {
    errors: [ruleErrors.ip_rule_policy_unknown, ruleErrors.ip_rule_cidr_taken],
    run(tx, body) {
      parts.requireTargets(tx, policyOfRule, body.ip_policy_id)
      return tx.put(rules, unique.requireUnique(tx, table.newRecord(tx, body)))
    },
  },
  update: {
    errors: [ruleErrors.ip_rule_update_empty, ruleErrors.ip_rule_cidr_taken],
    run(tx, rule, body) {
      parts.requireUpdate(ruleErrors.ip_rule_update_empty, body, table.kind.updateBody)
      return tx.put(rules, unique.requireUnique(tx, table.changed(rule, body)))
    },
  },
  references: [policyOfRule],
  relations: unique.relations,
})
