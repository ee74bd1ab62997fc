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
  refuse,
  refusedAs,
  resource,
  resourceHead,
  tooMany,
  viewHead,
} from '../kit/index.ts'
import { policies, rules } from './ip-policy-records.ts'
import { FILTERABLE, texts } from './shared.ts'

const errors = declareErrors({
  ip_policy_update_empty: emptyUpdate(1400, 'description, metadata'),
  ip_policy_limit_reached_older: tooMany(1410),
  ip_policy_limit_reached: tooMany(1415),
  ip_policy_action: field(1423, 400),
})

const limits = accountLimits({
  ip_policies: {
    what: 'IP policies',
    reached: errors.ip_policy_limit_reached,
    older: errors.ip_policy_limit_reached_older,
  },
})

const shape = named(v.object(resourceHead), 'IpPolicy', 'A set of rules for the addresses that may reach an endpoint.')

const NO_ACTION = 'no action: each rule of a policy has its own'

const fields = {
  ...texts(),
  action: v.optional(
    documented(
      v.pipe(
        v.custom<never>(() => false, NO_ACTION),
        refusedAs(errors.ip_policy_action),
      ),
      'Refused: each rule of a policy has an action of its own.',
      { json: { deprecated: true }, type: 'never', rules: 'ngrok-families#ip-policies' },
    ),
  ),
}

const createBody = named(v.object(fields), 'IpPolicyCreate', 'The body that creates an IP policy.', {
  json: { examples: [{ description: 'the office' }] },
})

const updateBody = named(v.object(fields), 'IpPolicyUpdate', 'The changes of an IP policy: at least one field.')

/** IP policies. Their rules are a family of their own. */
export const ipPolicies = resource(
  {
    name: 'ip_policies',
    path: '/ip_policies',
    items: 'ip_policies',
    prefix: 'ipp',
    what: 'IP policy',
    plural: 'IP policies',
    filterable: FILTERABLE,
    errors,
    limits,
    collection: policies,
    shape,
    createBody,
    updateBody,
  },
  {
    view: (policy, wire) => viewHead(policy, wire, '/ip_policies'),
    create: { run: (tx, body) => tx.put(policies, newHead(tx, 'ipp', body)) },
    update: {
      errors: [errors.ip_policy_update_empty],
      run(tx, policy, body) {
        if (Object.keys(body).length === 0) refuse(errors.ip_policy_update_empty, {})
        return tx.put(policies, { ...policy, ...described(body, policy) })
      },
    },
    delete: {
      before(tx, { id }) {
        for (const rule of tx.findAll(rules, 'policy', id)) tx.remove(rules, rule)
      },
    },
  },
)
