import * as v from 'valibot'
import {
  documented,
  edgeModule,
  enabled,
  HTTPS_ROUTES,
  type ModuleOwner,
  named,
  type PathIds,
  Refusal,
  trafficPolicyOf,
} from '../kit/index.ts'
import { TCP_EDGES, TLS_EDGES } from './edge-places.ts'
import { policyProblems, policyTextErrors } from './policy-text.ts'

const VALUE = 'The policy as JSON or YAML: an object whose keys are phases, each with a list of rules.'
const value = documented(v.string(), VALUE, { rules: 'traffic-policy#texts' })

const DENY = ':\n  - actions:\n      - type: deny\n'
const EXAMPLE = { https: `on_http_request${DENY}`, tcp: `on_tcp_connect${DENY}`, tls: `on_tcp_connect${DENY}` }

const shape = named(
  v.object({ enabled: v.unwrap(enabled), value: documented(v.string(), `${VALUE} Exactly as it was sent.`) }),
  'PolicyText',
  'A traffic policy as a text.',
)

/** The module `traffic_policy` of one kind of edge (rules: traffic-policy#texts). */
function policyModule<Ids extends PathIds>(
  name: string,
  kind: string,
  protocol: keyof typeof EXAMPLE,
  owner: ModuleOwner<Ids>,
) {
  return edgeModule(owner, {
    name,
    segment: 'traffic_policy',
    errors: policyTextErrors,
    what: 'traffic policy',
    // Its ids, which a body may repeat, are those of the kind of edge.
    body: named(v.object({ enabled, value }), `${kind}PolicyTextBody`, 'The new traffic policy.', {
      json: { examples: [{ value: EXAMPLE[protocol] }] },
    }),
    shape,
    moduleOf: (sent) => sent,
    check(tx, sent) {
      const [first, ...others] = policyProblems(sent.value, { protocol, place: 'edge' }, tx)
      if (first) throw new Refusal([first, ...others])
    },
  })
}

/** Traffic policies of the routes of HTTPS edges. */
export const routeTrafficPolicy = policyModule('route_traffic_policy', 'Route', 'https', HTTPS_ROUTES)

/** Traffic policies of TCP edges. */
export const tcpEdgeTrafficPolicy = policyModule('tcp_edge_traffic_policy', 'TcpEdge', 'tcp', TCP_EDGES)

/** Traffic policies of TLS edges. */
export const tlsEdgeTrafficPolicy = policyModule('tls_edge_traffic_policy', 'TlsEdge', 'tls', TLS_EDGES)

/** The older traffic policies of TCP edges. */
export const tcpEdgePolicy = trafficPolicyOf('tcp_edge_policy', 'TcpEdge', TCP_EDGES)

/** The older traffic policies of TLS edges. */
export const tlsEdgePolicy = trafficPolicyOf('tls_edge_policy', 'TlsEdge', TLS_EDGES)
