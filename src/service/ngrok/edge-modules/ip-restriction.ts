import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import * as parts from '../../parts/index.ts'
import { ipPolicyTarget } from '../ip-policies.ts'
import { defineModule, type ModuleNames, type Owner } from '../modules.ts'
import { refuseUnless } from '../shared.ts'

/** The errors for IP policies in a module. */
export const ipErrors = kit.declareErrors({
  edge_ip_policy_not_found: kit.ofField(
    7007,
    400,
    '{field} is {received}, an unknown IP policy. Send the ID of an existing IP policy.',
  ),
  edge_ip_policies_missing: kit.field(7025, 400, 'the ID of at least one IP policy'),
})

const policyIds = kit.documented(
  v.pipe(
    v.array(v.string()),
    refuseUnless(ipErrors.edge_ip_policies_missing, (ids) => ids.length > 0),
  ),
  'The IDs of the IP policies that decide who may connect.',
)

const ipShape = kit.named(
  v.object({ enabled: v.unwrap(parts.enabled), ip_policies: kit.documented(v.array(kit.ref), 'The IP policies.') }),
  'EdgeIpRestriction',
  'The IP policies that decide who may connect to an edge or a route.',
)

const IP_RESTRICTION = { segment: 'ip_restriction', title: 'IpRestriction', what: 'IP restriction' }

/** Creates the `ip_restriction` module (rules: edges#ip-policies). */
export function ipRestrictionModule<Ids extends parts.PathIds>(owner: Owner<Ids>, names: ModuleNames = IP_RESTRICTION) {
  return defineModule(owner, {
    ...names,
    errors: ipErrors,
    body: v.object({ enabled: parts.enabled, ip_policy_ids: policyIds }),
    example: { ip_policy_ids: ['ipp_1'] },
    shape: ipShape,
    view: ({ enabled, ip_policy_ids: ids }, wire) => ({
      enabled,
      ip_policies: ids.map((id) => kit.refTo(wire, '/ip_policies', id)),
    }),
    references: [
      {
        sent: 'ip_policy_ids',
        shown: 'ip_policies',
        to: ipPolicyTarget,
        missing: ipErrors.edge_ip_policy_not_found,
        deletion: 'dangles',
        rules: 'edges#ip-policies',
      },
    ],
  })
}
