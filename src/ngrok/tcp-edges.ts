import * as v from 'valibot'
import { documented, named, resource, resourceHead, shownHead } from '../kit/index.ts'
import { edgeErrors, edgeLimit } from './edge-errors.ts'
import { alwaysNull, moduleFields } from './edge-fields.ts'
import { tcpEdgeBackend, tcpEdgeIpRestriction } from './edge-modules.ts'
import { edgeFields, edges, hostportsOf, shownHostports } from './edge-records.ts'
import { edgeRules } from './edge-rules.ts'
import { tcpEdgeTrafficPolicy } from './traffic-policies.ts'

const modules = moduleFields({
  backend: tcpEdgeBackend.module,
  ip_restriction: tcpEdgeIpRestriction.module,
  traffic_policy: tcpEdgeTrafficPolicy.module,
})

const shape = named(
  v.object({
    ...resourceHead,
    hostports: shownHostports,
    ...modules.shape,
    policy: documented(v.null(), 'Always null: only routes have the older module.', alwaysNull),
  }),
  'TcpEdge',
  'What serves TCP connections at reserved addresses.',
)

const fields = { ...edgeFields, ...modules.body }

const createBody = named(v.object(fields), 'TcpEdgeCreate', 'The body that creates a TCP edge.', {
  json: { examples: [{ description: 'ssh of the office', backend: { backend_id: 'bkdtg_1' } }] },
})

const updateBody = named(
  v.object(fields),
  'TcpEdgeUpdate',
  'The changes of a TCP edge. Modules that are not sent stay.',
  {
    json: { examples: [{ metadata: 'm' }] },
  },
)

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
    createBody,
    updateBody,
  },
  {
    view: ({ hostports, ...rest }, wire) => ({
      ...shownHead(rest, wire, '/edges/tcp'),
      hostports: hostportsOf(hostports),
      ...modules.none,
      policy: null,
    }),
    ...edgeRules('tcp', modules),
  },
)
