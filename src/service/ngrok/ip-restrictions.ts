import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { ipPolicyTarget, isInRangeOf, rules } from './ip-policies.ts'
import { defineUnique, descriptionAndMetadata, FILTERABLE, refuseUnless } from './shared.ts'

const TYPES = ['dashboard', 'api', 'agent', 'endpoints'] as const
const ALLOWED = TYPES.join(', ')

const errors = kit.declareErrors({
  caller_ip_restricted: kit.entry(
    220,
    403,
    "The request comes from {address}, which the API's IP restriction {restriction} does not allow. Allowed: {allowed}. To allow others, change the rules of {policies} in the inspector, which is not restricted.",
  ),
  ip_policy_of_last_rule: kit.entry(
    1419,
    400,
    '{id} is the only rule of a policy in {restriction}, which restricts the dashboard. Remove the policy from it first.',
  ),
  ip_policy_restricts: kit.entry(
    1420,
    400,
    '{id} is used by the IP restriction {restriction}. Remove it there before you delete it.',
  ),
  ip_restriction_policy_unknown: kit.field(1801, 400, 'the IDs of IP policies that exist'),
  ip_restriction_type_taken: kit.ofField(
    1802,
    400,
    '{field} is {received}, which {id} already has. Change or delete that IP restriction.',
  ),
  ip_restriction_type_invalid: kit.field(1803, 400, `one of ${ALLOWED}`),
  ip_restriction_policies_missing: kit.field(1804, 400, 'the ID of at least one IP policy'),
  ip_restriction_limit_dashboard: kit.tooMany(1805),
  ip_restriction_limit_api: kit.tooMany(1806),
  ip_restriction_limit_agent: kit.tooMany(1807),
  ip_restriction_limit_endpoints: kit.tooMany(1808),
})

const limitOf = (type: (typeof TYPES)[number]) => ({
  what: `IP restrictions of type ${type}`,
  counts: (fields: parts.FieldValues) => fields.type === type,
  reached: errors[`ip_restriction_limit_${type}`],
  plans: { free: 0, hobbyist: 0 },
})

const TYPE = `The part of the service to restrict: ${ALLOWED}.`
const ENFORCED = 'If true, connections from other addresses are rejected. If false, the service only warns.'
const IP_POLICIES = 'The IP policies that decide which addresses may connect.'

const enforced = kit.documented(v.boolean(), ENFORCED, { rules: 'ngrok-families#ip-restrictions' })
const policyIds = kit.documented(
  v.pipe(
    v.array(v.string()),
    refuseUnless(errors.ip_restriction_policies_missing, (ids) => ids.length > 0),
  ),
  `The IDs of the IP policies. ${IP_POLICIES}`,
)

const type = v.pipe(v.string(ALLOWED), v.picklist(TYPES, ALLOWED), kit.refusedAs(errors.ip_restriction_type_invalid))

const table = parts.columns(
  {
    name: 'ip_restrictions',
    prefix: 'ipx',
    what: 'IP restriction',
    tableFields: ['type', 'enforced', 'ip_policies'],
    filterable: FILTERABLE,
    errors,
    limits: kit.accountLimits({
      dashboard_ip_restrictions: limitOf('dashboard'),
      api_ip_restrictions: limitOf('api'),
      agent_ip_restrictions: limitOf('agent'),
      endpoints_ip_restrictions: limitOf('endpoints'),
    }),
    texts: descriptionAndMetadata(),
    title: 'IpRestriction',
    sentence: 'The addresses from which clients can access part of the service.',
    examples: [{ type: 'agent', ip_policy_ids: ['ipp_1'] }],
  },
  {
    enforced: parts.column({ sent: enforced, create: v.optional(enforced, false) }),
    type: parts.column({
      create: kit.documented(v.optional(type, ''), TYPE, { isRequired: true, json: { enum: TYPES } }),
      kept: parts.oneOfThese(TYPES),
      shown: kit.documented(v.string(), TYPE, { json: { listed: TYPES } }),
    }),
    ip_policy_ids: parts.column({
      sent: policyIds,
      create: kit.documented(v.optional(policyIds, []), IP_POLICIES, { isRequired: true }),
      kept: v.array(kit.idOf('ipp')),
      shown: false,
    }),
    ip_policies: parts.column({ shown: kit.documented(v.array(kit.ref), IP_POLICIES) }),
  },
  { indexes: { type: ({ type }) => type, policies: ({ ip_policy_ids }) => ip_policy_ids } },
)

type Restriction = kit.RecordOf<typeof table.kind>

/** The IP restrictions, at most one per type. */
export const restrictions = table.records

const unique = defineUnique(restrictions, 'type', {
  field: 'type',
  error: errors.ip_restriction_type_taken,
  allowed: 'a type that no other IP restriction has',
})

const policyOfRestriction = parts.referenceOf(restrictions, {
  field: 'ip_policy_ids',
  sent: 'ip_policy_ids',
  shown: 'ip_policies',
  to: ipPolicyTarget,
  index: 'policies',
  missing: errors.ip_restriction_policy_unknown,
  deletion: parts.refused(errors.ip_policy_restricts, (id, { id: restriction }: Restriction) => ({ id, restriction })),
  rules: 'ngrok-families#ip-restrictions',
})

/** Returns whether the policies of a restriction allow an address: a rule allows it, and no rule denies it. */
export function isAllowed(tx: Pick<kit.Transaction, 'findAll'>, { ip_policy_ids }: Restriction, ip: string): boolean {
  const all = ip_policy_ids.flatMap((id) => tx.findAll(rules, 'policy', id))
  const actions = all.filter((rule) => isInRangeOf(rule, ip)).map(({ action }) => action)
  return actions.includes('allow') && !actions.includes('deny')
}

const family = kit.resource(table.kind, {
  view: (restriction, wire) => ({
    ...table.rules.view(restriction, wire),
    ip_policies: restriction.ip_policy_ids.map((id) => kit.refTo(wire, '/ip_policies', id)),
  }),
  create: {
    errors: [errors.ip_restriction_policy_unknown, errors.ip_restriction_type_taken],
    run(tx, body) {
      parts.requireTargets(tx, policyOfRestriction, body.ip_policy_ids)
      return tx.put(restrictions, unique.requireUnique(tx, table.newRecord(tx, body)))
    },
  },
  update: {
    errors: [errors.ip_restriction_policy_unknown],
    run(tx, before, body) {
      parts.requireTargets(tx, policyOfRestriction, body.ip_policy_ids, before)
      return tx.put(restrictions, table.changed(before, body))
    },
  },
  before: {
    'ip_policy_rules.delete': {
      errors: [errors.ip_policy_of_last_rule],
      run(tx, { id = '' }) {
        const policy = tx.get(rules, id)?.ip_policy_id ?? ''
        const restriction = tx.findAll(restrictions, 'policies', policy).find(({ type }) => type === 'dashboard')
        if (restriction && tx.findAll(rules, 'policy', policy).length === 1)
          kit.refuse(errors.ip_policy_of_last_rule, { id, restriction: restriction.id })
      },
    },
  },
  references: [policyOfRestriction],
  relations: unique.relations,
})

/** IP restrictions: the addresses from which clients can access the dashboard, the API, agents, and endpoints. */
export const ipRestrictions = {
  ...family,
  // (rules: ngrok-families#ip-restrictions)
  requests: {
    listErrors: () => [errors.caller_ip_restricted],
    requirePermitted({ address }, state) {
      if (address === undefined) return
      const restriction = state.find(restrictions, 'type', 'api')
      if (!restriction?.enforced || isAllowed(state, restriction, address)) return
      const { id, ip_policy_ids: policies } = restriction
      const allowing = policies
        .flatMap((each) => state.findAll(rules, 'policy', each))
        .filter(({ action }) => action === 'allow')
      const allowed = allowing.map(({ cidr }) => cidr).join(', ') || 'no address'
      kit.refuse(errors.caller_ip_restricted, { address, restriction: id, allowed, policies: policies.join(', ') })
    },
  },
} satisfies kit.Family
