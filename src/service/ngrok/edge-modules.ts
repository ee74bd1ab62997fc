import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { hideSecretsOfPolicy } from '../policy/index.ts'
import { backendId } from './backends.ts'
import { authorities } from './certificate-authorities.ts'
import { policies } from './ip-policies.ts'
import { defineModule, EDGES, type ModuleNames, type Owner, ROUTES } from './modules.ts'
import { policyTextErrors, requireModulePolicy, requirePolicy } from './policy-text.ts'
import { refField, refusedField, refuseUnless, requireEach } from './shared.ts'

const enabledShape = v.unwrap(parts.enabled)

const backendShape = kit.named(
  v.object({ enabled: enabledShape, backend: refField('The backend.') }),
  'EdgeBackend',
  'The backend that gets the traffic of an edge or a route.',
)

/** The last segments of the paths of backends, by the prefixes of their ids. */
const BACKENDS: Readonly<Record<string, string>> = {
  bkdtg: 'tunnel_group',
  bkdfo: 'failover',
  bkdhr: 'http_response',
  bkdsc: 'static',
  bkdwd: 'weighted',
}

function backendRef(wire: kit.Wire, id: string) {
  const kind = BACKENDS[id.slice(0, id.indexOf('_'))]
  return kit.refTo(wire, kind === undefined ? '/backends' : `/backends/${kind}`, id)
}

/** The module `backend` (rules: edges#backends). */
function backendModule<Ids extends parts.PathIds>(owner: Owner<Ids>) {
  return defineModule(owner, {
    segment: 'backend',
    title: 'Backend',
    what: 'backend',
    errors: parts.backendErrors,
    body: v.object({
      enabled: parts.enabled,
      backend_id: kit.documented(backendId, 'The id of the backend that gets the traffic.', {
        rules: 'edges#backends',
      }),
    }),
    example: { backend_id: 'bkdtg_1' },
    shape: backendShape,
    view: ({ enabled, backend_id }, wire) => ({ enabled, backend: backendRef(wire, backend_id) }),
    check: (tx, { backend_id }) => parts.requireBackend(tx, 'backend_id', backend_id),
  })
}

/** The errors of IP policies in a module. */
export const ipErrors = kit.declareErrors({
  edge_ip_policy_not_found: kit.ofField(
    7007,
    400,
    (it) => `${it.field} is ${it.received}, an unknown IP policy. Send the id of an existing IP policy.`,
  ),
  edge_ip_policies_missing: kit.field(7025, 400, () => 'the id of at least one IP policy'),
})

const policyIds = kit.documented(
  v.pipe(
    v.array(v.string()),
    refuseUnless(ipErrors.edge_ip_policies_missing, (ids) => ids.length > 0),
  ),
  'The ids of the IP policies whose rules decide who may connect.',
)

const ipShape = kit.named(
  v.object({ enabled: enabledShape, ip_policies: kit.documented(v.array(kit.ref), 'The IP policies.') }),
  'EdgeIpRestriction',
  'The IP policies that decide who may connect to an edge or a route.',
)

const IP_RESTRICTION = { segment: 'ip_restriction', title: 'IpRestriction', what: 'IP restriction' }

/** Makes the module `ip_restriction` (rules: edges#ip-policies). */
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
    check: (tx, { ip_policy_ids: ids }) =>
      requireEach(tx, policies, { ip_policy_ids: ids }, ipErrors.edge_ip_policy_not_found),
  })
}

/** The error of an id that no certificate authority can have. */
export const authorityIdErrors = kit.declareErrors({
  certificate_authority_id_invalid: kit.field(
    228,
    400,
    () => 'the id of a certificate authority, which starts with "ca_"',
  ),
})

/** The error of a certificate authority that does not exist. */
export const authorityErrors = kit.declareErrors({
  certificate_authority_not_found: kit.field(7072, 400, () => 'the id of a certificate authority that exists'),
})

const authorityIds = kit.documented(
  v.array(
    v.pipe(
      v.string(),
      refuseUnless(authorityIdErrors.certificate_authority_id_invalid, (id) => parts.isIdOf(id, 'ca_')),
    ),
  ),
  'The ids of the certificate authorities whose certificates clients must present.',
)

const mutualTlsShape = kit.named(
  v.object({
    enabled: enabledShape,
    certificate_authorities: kit.documented(v.array(kit.ref), 'The certificate authorities.'),
  }),
  'EdgeMutualTls',
  'The certificate authorities whose certificates clients of an edge must present.',
)

/** Makes the module `mutual_tls`. */
export function mutualTlsModule(owner: Owner) {
  return defineModule(owner, {
    segment: 'mutual_tls',
    title: 'MutualTls',
    what: 'mutual TLS',
    errors: { ...authorityIdErrors, ...authorityErrors },
    body: v.object({ enabled: parts.enabled, certificate_authority_ids: authorityIds }),
    example: { certificate_authority_ids: ['ca_1'] },
    shape: mutualTlsShape,
    view: ({ enabled, certificate_authority_ids: ids }, wire) => ({
      enabled,
      certificate_authorities: ids.map((id) => kit.refTo(wire, '/certificate_authorities', id)),
    }),
    check: (tx, { certificate_authority_ids: ids }) =>
      requireEach(tx, authorities, { certificate_authority_ids: ids }, authorityErrors.certificate_authority_not_found),
  })
}

const VERSIONS = ['1.0', '1.1', '1.2', '1.3'] as const
const TERMINATION_POINTS = ['edge', 'upstream'] as const

const httpsTlsErrors = kit.declareErrors({
  https_edge_terminates_itself: kit.field(7109, 400, () => 'no terminate_at: an HTTPS edge terminates TLS itself'),
})

/** The errors of TLS that an owner may leave to the upstream. */
export const tlsErrors = kit.declareErrors({
  tls_version_of_upstream: kit.ofField(
    7032,
    400,
    (it) => `${it.field} is ${it.received}, but terminate_at is "upstream", which decides for itself. Leave one out.`,
  ),
})

/** Makes the schema of an optional choice of texts. An empty text counts as absent. */
function optionalChoice<const T extends readonly string[]>(texts: T, sentence: string) {
  const read = v.pipe(v.picklist(texts), parts.blankIsAbsent(), parts.facts({ json: { enum: [...texts, ''] } }))
  return v.optional(kit.documented(read, sentence))
}

const min_version = optionalChoice(
  VERSIONS,
  'The oldest version of TLS that clients may use. Default: the service chooses.',
)

const tlsFields = v.object({
  enabled: parts.enabled,
  terminate_at: optionalChoice(TERMINATION_POINTS, 'The place where TLS ends: `edge` or `upstream`. Default: `edge`.'),
  min_version,
})

const tlsTermination = {
  segment: 'tls_termination',
  title: 'TlsTermination',
  what: 'TLS termination',
  shape: kit.named(
    v.object({
      enabled: enabledShape,
      terminate_at: kit.documented(
        v.picklist(TERMINATION_POINTS),
        'The place where TLS ends: at the edge, or at the upstream.',
      ),
      min_version: kit.documented(v.nullable(v.picklist(VERSIONS)), 'The oldest version of TLS; null if none was set.'),
    }),
    'EdgeTlsTermination',
    'The TLS termination of an edge.',
  ),
}

/** The module `tls_termination` of HTTPS edges. */
const httpsEdgeTlsTermination = defineModule(EDGES.https, {
  ...tlsTermination,
  errors: httpsTlsErrors,
  body: v.object({
    enabled: parts.enabled,
    min_version,
    terminate_at: refusedField(
      httpsTlsErrors.https_edge_terminates_itself,
      'Refused: an HTTPS edge terminates TLS itself.',
      'edges#edges',
    ),
  }),
  example: { min_version: '1.3' },
  view: ({ enabled, min_version = null }) => ({ enabled, terminate_at: TERMINATION_POINTS[0], min_version }),
})

/** Makes the module `tls_termination` of owners that can leave TLS to the upstream. */
export const tlsTerminationModule = (owner: Owner) =>
  defineModule(owner, {
    ...tlsTermination,
    errors: tlsErrors,
    body: v.pipe(
      tlsFields,
      kit.ruleOnWhole<v.InferOutput<typeof tlsFields>, typeof tlsErrors.tls_version_of_upstream>(
        [tlsErrors.tls_version_of_upstream],
        ({ terminate_at, min_version }, report) => {
          const at = { path: ['min_version'], value: min_version }
          if (terminate_at === 'upstream' && min_version !== undefined)
            report(tlsErrors.tls_version_of_upstream, {}, at)
        },
      ),
    ),
    example: { terminate_at: 'upstream' },
    view: ({ enabled, terminate_at = TERMINATION_POINTS[0], min_version = null }) => ({
      enabled,
      terminate_at,
      min_version,
    }),
  })

const POLICY = 'The policy as JSON or YAML: an object whose keys are phases, each with a list of rules.'
const policyValue = kit.documented(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy)), POLICY, {
  rules: 'traffic-policy#texts',
})

const DENY = ':\n  - actions:\n      - type: deny\n'
const POLICIES = { https: `on_http_request${DENY}`, tcp: `on_tcp_connect${DENY}`, tls: `on_tcp_connect${DENY}` }

const policyShape = kit.named(
  v.object({
    enabled: v.unwrap(parts.enabled),
    value: kit.documented(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy)), `${POLICY} Exactly as sent.`),
  }),
  'PolicyText',
  'A traffic policy as a text.',
)

/** The module `traffic_policy` of edges or routes (rules: traffic-policy#texts). */
function policyModule<Ids extends parts.PathIds>(owner: Owner<Ids>, protocol: keyof typeof POLICIES) {
  return defineModule(owner, {
    segment: 'traffic_policy',
    title: 'PolicyText',
    what: 'traffic policy',
    errors: policyTextErrors,
    body: v.object({ enabled: parts.enabled, value: policyValue }),
    example: { value: POLICIES[protocol] },
    shape: policyShape,
    view: (sent) => sent,
    check: (tx, sent) => requirePolicy(tx, sent.value, { protocol, place: 'edge' }),
  })
}

/** The rules of the language for the older module `policy` of an edge (rules: traffic-policy#module). */
const olderRules = (protocol: 'tcp' | 'tls') => ({
  errors: policyTextErrors,
  check: (tx: kit.Transaction, body: object) => requireModulePolicy(tx, body, protocol),
})

const routePolicy = policyModule(ROUTES, 'https')

/** The module `traffic_policy` of routes. It brings the language of policies to the older module `policy` too. */
const routeTrafficPolicy: typeof routePolicy = {
  ...routePolicy,
  before: {
    'traffic_policy.replace': {
      errors: Object.values(policyTextErrors),
      // The schema of the operation has read the body.
      run: (tx, _ids, body) => requireModulePolicy(tx, body as object, 'https'),
    },
  },
}

/** The families of the modules of edges, and of the modules that routes have too. */
export const edgeModules = {
  routeTrafficPolicy,
  tcpEdgeTrafficPolicy: policyModule(EDGES.tcp, 'tcp'),
  tlsEdgeTrafficPolicy: policyModule(EDGES.tls, 'tls'),
  httpsEdgeMutualTls: mutualTlsModule(EDGES.https),
  httpsEdgeTlsTermination,
  routeBackend: backendModule(ROUTES),
  routeIpRestriction: ipRestrictionModule(ROUTES),
  tcpEdgeBackend: backendModule(EDGES.tcp),
  tcpEdgeIpRestriction: ipRestrictionModule(EDGES.tcp),
  /** The older traffic policies of TCP edges. */
  tcpEdgePolicy: parts.trafficPolicyOf('tcp_edge_policy', 'TcpEdge', EDGES.tcp, olderRules('tcp')),
  tlsEdgeBackend: backendModule(EDGES.tls),
  tlsEdgeIpRestriction: ipRestrictionModule(EDGES.tls),
  tlsEdgeMutualTls: mutualTlsModule(EDGES.tls),
  tlsEdgeTlsTermination: tlsTerminationModule(EDGES.tls),
  /** The older traffic policies of TLS edges. */
  tlsEdgePolicy: parts.trafficPolicyOf('tls_edge_policy', 'TlsEdge', EDGES.tls, olderRules('tls')),
}
