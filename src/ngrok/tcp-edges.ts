import * as v from 'valibot'
import { named, resource, resourceHead, viewHead } from '../kit/index.ts'
import { edgeBodies } from './edge-bodies.ts'
import { edgeErrors, edgeLimit } from './edge-errors.ts'
import { moduleFields } from './edge-fields.ts'
import { tcpEdgeBackend, tcpEdgeIpRestriction } from './edge-modules.ts'
import { edges, hostportsOf, hostportsShape } from './edge-records.ts'
import { edgeRules } from './edge-rules.ts'
import { tcpEdgePolicy, tcpEdgeTrafficPolicy } from './traffic-policies.ts'

const modules = moduleFields({
  backend: tcpEdgeBackend.module,
  ip_restriction: tcpEdgeIpRestriction.module,
  policy: tcpEdgePolicy.module,
  traffic_policy: tcpEdgeTrafficPolicy.module,
})

const shape = named(
  v.object({
    ...resourceHead,
    hostports: hostportsShape,
    ...modules.shape,
  }),
  'TcpEdge',
  'An edge that serves TCP connections at reserved addresses.',
)

const bodies = edgeBodies('TcpEdge', 'a TCP edge', modules.body, {
  description: 'ssh of the office',
  backend: { backend_id: 'bkdtg_1' },
})

/** TCP edges (rules: edges#edges). */
export const tcpEdges = resource(
  {
    name: 'tcp_edges',
    path: '/edges/tcp',
    items: 'tcp_edges',
    prefix: 'edgtcp',
    what: 'TCP edge',
    filterable: [],
    errors: { ...edgeErrors, ...modules.errors },
    limits: edgeLimit('tcp_edges', 'TCP edges'),
    collection: edges.tcp,
    shape,
    ...bodies,
  },
  {
    view: ({ hostports, ...rest }, wire) => ({
      ...viewHead(rest, wire, '/edges/tcp'),
      hostports: hostportsOf(hostports),
      ...modules.none,
    }),
    ...edgeRules('tcp', modules),
  },
)
