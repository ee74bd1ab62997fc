import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import * as parts from '../../parts/index.ts'
import { hideSecretsOfPolicy } from '../../policy/index.ts'
import { defineModule, type Owner, ROUTES } from '../modules.ts'
import { ipPoliciesIn, ipPolicyInText, policyTextErrors, requireModulePolicy, requirePolicy } from '../policy-text.ts'

const POLICY = 'The policy as JSON or YAML: an object whose keys are phases and whose values are lists of rules.'
const policyValue = kit.documented(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy)), POLICY, {
  rules: 'traffic-policy#text',
})

const DENY = ':\n  - actions:\n      - type: deny\n'
const POLICIES = { https: `on_http_request${DENY}`, tcp: `on_tcp_connect${DENY}`, tls: `on_tcp_connect${DENY}` }

const policyShape = kit.named(
  v.object({
    enabled: v.unwrap(parts.enabled),
    value: kit.documented(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy)), `${POLICY} Exactly as sent.`),
  }),
  'PolicyText',
  'A traffic policy as a string.',
)

/** Creates the `traffic_policy` module of edges or routes (rules: traffic-policy#text). */
export function policyModule<Ids extends parts.PathIds>(owner: Owner<Ids>, protocol: keyof typeof POLICIES) {
  return defineModule(owner, {
    segment: 'traffic_policy',
    title: 'PolicyText',
    what: 'traffic policy',
    errors: policyTextErrors,
    body: v.object({ enabled: parts.enabled, value: policyValue }),
    example: { value: POLICIES[protocol] },
    shape: policyShape,
    view: (sent) => sent,
    references: [{ ...ipPolicyInText, sent: 'value', ids: ({ value }) => ipPoliciesIn(value) }],
    check: (tx, sent, before) =>
      requirePolicy(tx, sent.value, { protocol, place: 'edge' }, before && { before: before.value }),
  })
}

const PHASES = ['inbound', 'outbound'] as const

const ofPhase = (phase: (typeof PHASES)[number]) => (policy: object) =>
  ipPoliciesIn({ [phase]: Reflect.get(policy, phase) })

/** The policy language's rules for an edge's older `policy` module (rules: traffic-policy#module). */
export const olderRules = (protocol: 'tcp' | 'tls') => ({
  errors: policyTextErrors,
  references: PHASES.map((phase) => ({ ...ipPolicyInText, sent: phase, ids: ofPhase(phase) })),
  check: (tx: kit.Transaction, body: object, before: object | undefined) =>
    requireModulePolicy(tx, body, protocol, before),
})

const routePolicy = policyModule(ROUTES, 'https')

const olderPolicies = kit.recordsOf(parts.trafficPolicy)

/** Returns the older `policy` module that a route had before a request. */
export function findOlderPolicy(tx: kit.Transaction, { edge_id, id }: parts.PathIds): object | undefined {
  const record = tx.get(olderPolicies, `${edge_id}/${id}`)
  return record && moduleIn(record)
}

// A record of this collection is a module's.
const moduleIn = (record: object) => (record as { readonly module: object }).module

/** The `traffic_policy` module of routes. It also applies the policy language to the older `policy` module. */
export const routeTrafficPolicy: typeof routePolicy = {
  ...routePolicy,
  before: {
    'traffic_policy.replace': {
      errors: Object.values(policyTextErrors),
      // The schema of the operation has read the body.
      run: (tx, ids, body) => requireModulePolicy(tx, body as object, 'https', findOlderPolicy(tx, ids)),
    },
  },
  references: [
    ...(routePolicy.references ?? []),
    ...PHASES.map((phase) =>
      parts.referenceOf(olderPolicies, {
        ...ipPolicyInText,
        field: `module.${phase}`,
        sent: phase,
        ids: (record) => ofPhase(phase)(moduleIn(record)),
      }),
    ),
  ],
}
