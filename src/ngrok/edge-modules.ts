import * as v from 'valibot'
import {
  backendErrors,
  declareErrors,
  documented,
  edgeModule,
  enabled,
  field,
  HTTPS_ROUTES,
  idOf,
  isIdOf,
  type ModuleOwner,
  named,
  ofField,
  type PathIds,
  quote,
  ref,
  refTo,
  refuse,
  requireBackend,
  rule,
  type Transaction,
  type Wire,
} from '../kit/index.ts'
import { HTTPS_EDGES, TCP_EDGES, TLS_EDGES } from './edge-places.ts'
import { policies } from './ip-policies.ts'

const enabledShape = v.unwrap(enabled)

const backendId = documented(
  v.pipe(
    v.string(),
    rule([backendErrors.child_backend_invalid], (id, report) => {
      if (!isIdOf(id, 'bkd')) report(backendErrors.child_backend_invalid, {})
    }),
  ),
  'The id of the backend that gets the traffic.',
  { rules: 'edges#backends' },
)

const backendShape = named(
  v.object({ enabled: enabledShape, backend: documented(v.object(ref.entries), 'The backend.', { type: 'Ref' }) }),
  'EdgeBackend',
  'The backend that gets the traffic of an edge or a route.',
)

/** The paths of backends, by the beginnings of their ids. */
const BACKENDS: Readonly<Record<string, string>> = {
  bkdtg: 'tunnel_group',
  bkdfo: 'failover',
  bkdhr: 'http_response',
  bkdsc: 'static',
  bkdwd: 'weighted',
}

function backendRef(wire: Wire, id: string) {
  const kind = BACKENDS[id.slice(0, id.indexOf('_'))]
  return refTo(wire, kind === undefined ? '/backends' : `/backends/${kind}`, id)
}

/** The module `backend` (rules: edges#backends). */
function backendModule<Ids extends PathIds>(name: string, kind: string, owner: ModuleOwner<Ids>) {
  return edgeModule(owner, {
    name,
    segment: 'backend',
    what: 'backend',
    errors: backendErrors,
    body: named(v.object({ enabled, backend_id: backendId }), `${kind}BackendBody`, 'The new backend.', {
      json: { examples: [{ backend_id: 'bkdtg_1' }] },
    }),
    shape: backendShape,
    view: ({ enabled, backend_id }, wire) => ({ enabled, backend: backendRef(wire, backend_id) }),
    check: (tx, { backend_id }) => requireBackend(tx, 'backend_id', backend_id),
  })
}

const ipErrors = declareErrors({
  edge_ip_policy_not_found: ofField(
    7007,
    400,
    (it) => `${it.field} is ${it.received}, an unknown IP policy. Send the id of an existing IP policy.`,
  ),
  edge_ip_policies_missing: field(7025, 400, () => 'the id of at least one IP policy'),
})

const policyIds = documented(
  v.pipe(
    v.array(v.string()),
    rule([ipErrors.edge_ip_policies_missing], (ids, report) => {
      if (ids.length === 0) report(ipErrors.edge_ip_policies_missing, {})
    }),
  ),
  'The ids of the IP policies whose rules decide who may connect.',
)

const ipShape = named(
  v.object({ enabled: enabledShape, ip_policies: documented(v.array(ref), 'The IP policies.') }),
  'EdgeIpRestriction',
  'The IP policies that decide who may connect to an edge or a route.',
)

/** The module `ip_restriction` (rules: edges#ip-policies). */
function ipRestrictionModule<Ids extends PathIds>(name: string, kind: string, owner: ModuleOwner<Ids>) {
  return edgeModule(owner, {
    name,
    segment: 'ip_restriction',
    what: 'IP restriction',
    errors: ipErrors,
    body: named(
      v.object({ enabled, ip_policy_ids: policyIds }),
      `${kind}IpRestrictionBody`,
      'The new IP restriction.',
      {
        json: { examples: [{ ip_policy_ids: ['ipp_1'] }] },
      },
    ),
    shape: ipShape,
    view: ({ enabled, ip_policy_ids: ids }, wire) => ({
      enabled,
      ip_policies: ids.map((id) => refTo(wire, '/ip_policies', id)),
    }),
    check: (tx, { ip_policy_ids }) => requirePolicies(tx, ip_policy_ids),
  })
}

function requirePolicies(tx: Transaction, ids: readonly string[]): void {
  for (const [index, id] of ids.entries()) {
    if (tx.get(policies, id)) continue
    refuse(ipErrors.edge_ip_policy_not_found, { field: `ip_policy_ids.${index}`, received: quote(id) })
  }
}

const authorityIds = documented(
  v.array(idOf('ca')),
  'The ids of the certificate authorities whose certificates clients must present. Any id is accepted, because this API has no such resources.',
)

const mutualTlsShape = named(
  v.object({
    enabled: enabledShape,
    certificate_authorities: documented(v.array(ref), 'The certificate authorities.'),
  }),
  'EdgeMutualTls',
  'The certificate authorities whose certificates clients of an edge must present.',
)

/** The module `mutual_tls`. */
function mutualTlsModule<Ids extends PathIds>(name: string, kind: string, owner: ModuleOwner<Ids>) {
  return edgeModule(owner, {
    name,
    segment: 'mutual_tls',
    what: 'mutual TLS',
    body: named(
      v.object({ enabled, certificate_authority_ids: authorityIds }),
      `${kind}MutualTlsBody`,
      'The new mutual TLS.',
      { json: { examples: [{ certificate_authority_ids: ['ca_1'] }] } },
    ),
    shape: mutualTlsShape,
    view: ({ enabled, certificate_authority_ids: ids }, wire) => ({
      enabled,
      certificate_authorities: ids.map((id) => refTo(wire, '/certificate_authorities', id)),
    }),
  })
}

export const tcpEdgeBackend = backendModule('tcp_edge_backend', 'TcpEdge', TCP_EDGES)
export const tlsEdgeBackend = backendModule('tls_edge_backend', 'TlsEdge', TLS_EDGES)
export const routeBackend = backendModule('route_backend', 'Route', HTTPS_ROUTES)
export const tcpEdgeIpRestriction = ipRestrictionModule('tcp_edge_ip_restriction', 'TcpEdge', TCP_EDGES)
export const tlsEdgeIpRestriction = ipRestrictionModule('tls_edge_ip_restriction', 'TlsEdge', TLS_EDGES)
export const routeIpRestriction = ipRestrictionModule('route_ip_restriction', 'Route', HTTPS_ROUTES)
export const httpsEdgeMutualTls = mutualTlsModule('https_edge_mutual_tls', 'HttpsEdge', HTTPS_EDGES)
export const tlsEdgeMutualTls = mutualTlsModule('tls_edge_mutual_tls', 'TlsEdge', TLS_EDGES)
