import * as v from 'valibot'
import { named, resource, resourceHead, viewHead } from '../kit/index.ts'
import { edgeBodies } from './edge-bodies.ts'
import { edgeErrors, edgeLimit } from './edge-errors.ts'
import { moduleFields } from './edge-fields.ts'
import { tlsEdgeBackend, tlsEdgeIpRestriction, tlsEdgeMutualTls } from './edge-modules.ts'
import { edges, hostportsOf, hostportsShape } from './edge-records.ts'
import { edgeRules } from './edge-rules.ts'
import { tlsEdgeTlsTermination } from './tls-terminations.ts'
import { tlsEdgePolicy, tlsEdgeTrafficPolicy } from './traffic-policies.ts'

const modules = moduleFields({
  backend: tlsEdgeBackend.module,
  ip_restriction: tlsEdgeIpRestriction.module,
  mutual_tls: tlsEdgeMutualTls.module,
  tls_termination: tlsEdgeTlsTermination.module,
  policy: tlsEdgePolicy.module,
  traffic_policy: tlsEdgeTrafficPolicy.module,
})

const shape = named(
  v.object({
    ...resourceHead,
    hostports: hostportsShape,
    ...modules.shape,
  }),
  'TlsEdge',
  'An edge that serves TLS connections at reserved domains.',
)

const bodies = edgeBodies('TlsEdge', 'a TLS edge', modules.body, {
  description: 'mail of the office',
  backend: { backend_id: 'bkdtg_1' },
})

/** TLS edges (rules: edges#edges). */
export const tlsEdges = resource(
  {
    name: 'tls_edges',
    path: '/edges/tls',
    items: 'tls_edges',
    prefix: 'edgtls',
    what: 'TLS edge',
    filterable: [],
    errors: { ...edgeErrors, ...modules.errors },
    limits: edgeLimit('tls_edges', 'TLS edges'),
    collection: edges.tls,
    shape,
    ...bodies,
  },
  {
    view: ({ hostports, ...rest }, wire) => ({
      ...viewHead(rest, wire, '/edges/tls'),
      hostports: hostportsOf(hostports),
      ...modules.none,
    }),
    ...edgeRules('tls', modules),
  },
)
