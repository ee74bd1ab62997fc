import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import { moduleOf, type Owner, ROUTES, TCP_EDGES, TLS_EDGES } from './modules.ts'
import { policyTextErrors, requirePolicy } from './policy-text.ts'

const VALUE = 'The policy as JSON or YAML: an object whose keys are phases, each with a list of rules.'
const value = kit.documented(v.string(), VALUE, { rules: 'traffic-policy#texts' })

const DENY = ':\n  - actions:\n      - type: deny\n'
const EXAMPLE = { https: `on_http_request${DENY}`, tcp: `on_tcp_connect${DENY}`, tls: `on_tcp_connect${DENY}` }

const shape = kit.named(
  v.object({ enabled: v.unwrap(kit.enabled), value: kit.documented(v.string(), `${VALUE} Exactly as it was sent.`) }),
  'PolicyText',
  'A traffic policy as a text.',
)

/** The module `traffic_policy` of edges or routes (rules: traffic-policy#texts). */
function policyModule<Ids extends kit.PathIds>(owner: Owner<Ids>, protocol: keyof typeof EXAMPLE) {
  return moduleOf(owner, {
    segment: 'traffic_policy',
    title: 'PolicyText',
    what: 'traffic policy',
    errors: policyTextErrors,
    body: v.object({ enabled: kit.enabled, value }),
    example: { value: EXAMPLE[protocol] },
    shape,
    view: (sent) => sent,
    check: (tx, sent) => requirePolicy(tx, sent.value, { protocol, place: 'edge' }),
  })
}

export const routeTrafficPolicy = policyModule(ROUTES, 'https')
export const tcpEdgeTrafficPolicy = policyModule(TCP_EDGES, 'tcp')
export const tlsEdgeTrafficPolicy = policyModule(TLS_EDGES, 'tls')

/** The older traffic policies of TCP edges. */
export const tcpEdgePolicy = kit.trafficPolicyOf('tcp_edge_policy', 'TcpEdge', TCP_EDGES)

/** The older traffic policies of TLS edges. */
export const tlsEdgePolicy = kit.trafficPolicyOf('tls_edge_policy', 'TlsEdge', TLS_EDGES)
