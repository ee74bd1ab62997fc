import * as v from 'valibot'
import { collection, documented, type Frozen, oneOfThese, ownId, recordHead, rule } from '../kit/index.ts'
import { edgeErrors, edgeTexts } from './edge-errors.ts'
import type { EdgeKind } from './endpoint-records.ts'
import { texts } from './shared.ts'

/** The form of a host and a port. */
export const HOSTPORT = /^(?<host>(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*):(?<port>\d{1,10})$/

const hostport = v.pipe(
  v.string(),
  v.toLowerCase(),
  rule([edgeErrors.edge_hostport_invalid, edgeErrors.edge_port_out_of_range], (text, report) => {
    const port = HOSTPORT.exec(text)?.groups?.port
    if (port === undefined) report(edgeErrors.edge_hostport_invalid, {})
    else if (Number(port) < 1 || Number(port) > 65_535) report(edgeErrors.edge_port_out_of_range, {})
  }),
)

const hostports = v.array(hostport)

/** The fields of a body that every kind of edge has. */
export const edgeFields = {
  ...edgeTexts,
  hostports: v.optional(
    documented(
      hostports,
      'The hosts and ports that the edge serves: a reserved domain with port 443, or for a TCP edge a reserved address.',
      { rules: 'edges#hostports' },
    ),
  ),
}

/** The hostports of an answer. */
export const hostportsShape = documented(
  v.nullable(v.array(v.string())),
  'The hosts and ports that the edge serves; null if there are none.',
)

/** Returns the hostports of an answer. */
export function hostportsOf(hostports: readonly string[]): readonly string[] | null {
  return hostports.length === 0 ? null : hostports
}

function edgesOf(prefix: string, name: string) {
  const record = v.object({ ...recordHead(prefix, texts()), hostports })
  return collection<EdgeRecord>({ name, key: ({ id }) => id, schema: record })
}

/** An edge of any kind. */
export interface EdgeRecord {
  readonly id: string
  readonly created_at: number
  readonly description?: string | undefined
  readonly metadata?: string | undefined
  readonly hostports: readonly string[]
}

/** The edges that operations made, by their kind. */
export const edges = {
  https: edgesOf('edghts', 'https_edges'),
  tcp: edgesOf('edgtcp', 'tcp_edges'),
  tls: edgesOf('edgtls', 'tls_edges'),
} satisfies Record<EdgeKind, unknown>

const route = v.object({
  ...recordHead('edghtsrt', texts()),
  edge_id: ownId('edghts'),
  match_type: oneOfThese(['exact_path', 'path_prefix']),
  match: v.string(),
})

/** A route of an HTTPS edge. */
export type RouteRecord = Frozen<v.InferOutput<typeof route>>

/** The routes that operations made, by their edge too. */
export const routes = collection<RouteRecord>({
  name: 'https_edge_routes',
  key: ({ id }) => id,
  schema: route,
  indexes: { edge: ({ edge_id }) => edge_id },
})
