import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { EDGE_PREFIXES, type EdgeKind, isHost } from './endpoint-records.ts'
import { descriptionAndMetadata } from './shared.ts'

const hostportError = (number: number) => kit.ofField(number, 400, '{field} is {received}, which {problem}.')

/** The errors shared by all kinds of edges. */
export const edgeErrors = kit.declareErrors({
  edge_limit_reached_older: kit.tooMany(7009),
  edge_limit_reached: kit.tooMany(7070),
  tls_edge_limit_none: kit.tooMany(7163),
  edge_rate_reached: kit.tooFast(7071),
  edge_description_too_long: parts.tooLong(7073),
  edge_metadata_too_long: parts.tooLong(7074),
  edge_hostport_invalid: kit.field(7104, 400, (it: { readonly punycode?: string | undefined }) =>
    it.punycode === undefined
      ? 'a host and a port, such as "app.example.com:443"'
      : `a host in Punycode and a port: "${it.punycode}" is the same host`,
  ),
  edge_port_out_of_range: kit.field(7112, 400, 'a port from 1 to 65535'),
  edge_address_not_reserved: hostportError(7113),
  edge_port_not_443: hostportError(7116),
  edge_domain_not_reserved: hostportError(7117),
  edge_domain_of_other: hostportError(7118),
  tcp_edge_on_domain: hostportError(7120),
  https_edge_on_address: hostportError(7121),
  edge_hostport_taken: hostportError(7122),
  edge_hostport_of_endpoint: hostportError(7132),
  tls_edge_on_address: hostportError(7133),
})

/** The string fields of an edge or a route. */
export const edgeTexts = descriptionAndMetadata({
  description: edgeErrors.edge_description_too_long,
  metadata: edgeErrors.edge_metadata_too_long,
})

/** Matches a host and a port. {@link isHost} checks the host. */
export const HOSTPORT = /^(?<host>[^:]+):(?<port>\d{1,10})$/

const hostports = v.array(
  v.pipe(
    v.string(),
    v.toLowerCase(),
    kit.rule([edgeErrors.edge_hostport_invalid, edgeErrors.edge_port_out_of_range], (text, report) => {
      const { host = '', port } = HOSTPORT.exec(text)?.groups ?? {}
      if (!isHost(host)) report(edgeErrors.edge_hostport_invalid, parts.nameFacts(host))
      else if (Number(port) < 1 || Number(port) > 65_535) report(edgeErrors.edge_port_out_of_range, {})
    }),
  ),
)

/** The body fields common to all kinds of edges. */
export const edgeFields = {
  ...edgeTexts,
  hostports: v.optional(
    kit.documented(
      hostports,
      'The hosts and ports that the edge serves: a reserved domain with port 443 or, for a TCP edge, a reserved address.',
      { rules: 'edges#hostports' },
    ),
  ),
}

function edgeCollection(kind: EdgeKind) {
  const record = v.object({ ...kit.recordHead(EDGE_PREFIXES[kind], descriptionAndMetadata()), hostports })
  return kit.collection<EdgeRecord>({ name: `${kind}_edges`, schema: record })
}

/** An edge of any kind. */
export interface EdgeRecord extends kit.ResourceRecord {
  readonly hostports: readonly string[]
}

/** The edges created by operations, by kind. */
export const edges = { https: edgeCollection('https'), tcp: edgeCollection('tcp'), tls: edgeCollection('tls') }

/** The ways in which a route's path can match a request's path. */
export const MATCH_TYPES = ['exact_path', 'path_prefix'] as const

const route = v.object({
  ...kit.recordHead('edghtsrt', descriptionAndMetadata()),
  edge_id: parts.ownId('edghts'),
  match_type: parts.oneOfThese(MATCH_TYPES),
  match: v.string(),
})

/** A route of an HTTPS edge. */
export type RouteRecord = kit.Frozen<v.InferOutput<typeof route>>

/** The routes created by operations, indexed by edge, and by edge and path. */
export const routes = kit.collection<RouteRecord>({
  name: 'https_edge_routes',
  schema: route,
  indexes: { edge: ({ edge_id }) => edge_id, place: ({ edge_id, match }) => `${edge_id} ${match}` },
})

/** Edges of all kinds, as targets of references. This includes edges created by operations and edges declared by tests. */
export const edgeTarget: parts.Target = {
  what: 'an edge',
  collections: Object.values(edges).map(({ name }) => name),
  has: () => true,
  isUndeclared: parts.isMissing,
}

/** Routes of HTTPS edges, as targets of references. */
export const routeTarget: parts.Target = { ...edgeTarget, what: 'a route', collections: [routes.name] }
