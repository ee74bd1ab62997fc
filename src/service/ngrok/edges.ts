import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { createEdge, type EdgeBody, updateEdge } from './edge-hostports.ts'
import { edgeModules } from './edge-modules/index.ts'
import { type EdgeRecord, edgeErrors, edgeFields, edges, routes } from './edge-records.ts'
import { endpointLimitErrors, endpointLimits } from './endpoint-bodies.ts'
import { EDGE_PREFIXES, type EdgeKind } from './endpoint-records.ts'
import { releaseRoute, routeShape, routeView } from './https-edge-routes.ts'
import { EDGES, moduleFields, type Owner } from './modules.ts'
import { cardErrors } from './own-places.ts'
import { tlsModules } from './tls-edge-modules.ts'

/** The differences between one kind of edge and the others. */
interface EdgeDefinition<Body, Shape, Errors> {
  readonly modules: { readonly body: Body; readonly shape: Shape; readonly errors: Errors }
  readonly sentence: string
  /** An example body that creates an edge. */
  readonly example: object
}

function defineEdgeKind<
  const Kind extends EdgeKind,
  const Body extends v.ObjectEntries,
  const Shape extends v.ObjectEntries,
  Errors extends parts.ErrorsByKey,
>(kind: Kind, { modules, sentence, example }: EdgeDefinition<Body, Shape, Errors>) {
  const name = `${kind}_edges` as const
  const owner: Owner = EDGES[kind]
  const { title, what } = owner
  const article: 'a' | 'an' = owner.article ?? 'a'
  const fields = { ...edgeFields, ...modules.body }
  const hostports = v.nullable(v.array(v.string()))
  return {
    name,
    path: `/edges/${kind}`,
    prefix: EDGE_PREFIXES[kind],
    what,
    tableFields: ['hostports'],
    article,
    filterable: [],
    errors: { ...edgeErrors, ...cardErrors, ...endpointLimitErrors, ...modules.errors },
    limit: {
      reached: edgeErrors.edge_limit_reached,
      older: edgeErrors.edge_limit_reached_older,
      rate: edgeErrors.edge_rate_reached,
      ...(kind === 'tls' && { none: edgeErrors.tls_edge_limit_none }),
    },
    collection: edges[kind],
    shape: kit.named(
      v.object({
        ...kit.resourceHead,
        hostports: kit.documented(hostports, 'The hosts and ports that the edge serves; null if there are none.'),
        ...modules.shape,
      }),
      title,
      sentence,
    ),
    ...parts.defineBodies(title, `${article} ${what}`, {
      create: fields,
      update: fields,
      note: '. Omitted modules stay unchanged',
      examples: [example, { metadata: 'm' }],
    }),
  }
}

interface EdgeModules<Modules> {
  readonly errors: parts.ErrorsByKey
  readonly none: Modules
  view(tx: kit.Transaction, ids: { readonly id: string }): Modules
  set(tx: kit.Transaction, ids: { readonly id: string }, body: object): void
  remove(tx: kit.Transaction, ids: { readonly id: string }): void
}

/** Creates the rules for a kind of edge (rules: edges#edges). */
function defineEdgeRules<Modules extends object>(kind: EdgeKind, modules: EdgeModules<Modules>) {
  const errors = [
    ...[edgeErrors, cardErrors, modules.errors].flatMap((each) => Object.values<parts.CatalogueError>(each)),
    ...parts.listLimitErrors(endpointLimits, false),
  ]
  const withModules = (tx: kit.Transaction, edge: EdgeRecord, body: EdgeBody) => {
    modules.set(tx, { id: edge.id }, body)
    return edge
  }
  return {
    view: ({ hostports, ...rest }: EdgeRecord, wire: kit.Wire) => ({
      ...kit.viewHead(rest, wire, `/edges/${kind}`),
      hostports: hostports.length === 0 ? null : hostports,
      ...modules.none,
    }),
    related: (tx: kit.Transaction, { id }: EdgeRecord) => modules.view(tx, { id }),
    create: {
      errors,
      run: (tx: kit.Transaction, body: EdgeBody) => withModules(tx, createEdge(tx, kind, body), body),
    },
    update: {
      errors,
      run: (tx: kit.Transaction, before: EdgeRecord, body: EdgeBody) =>
        withModules(tx, updateEdge(tx, kind, before, body), body),
    },
    delete: {
      before(tx: kit.Transaction, edge: EdgeRecord) {
        modules.remove(tx, { id: edge.id })
        parts.undeclare(tx, edge.id)
      },
    },
  }
}

const tcpModules = moduleFields({
  backend: edgeModules.tcpEdgeBackend,
  ip_restriction: edgeModules.tcpEdgeIpRestriction,
  policy: edgeModules.tcpEdgePolicy,
  traffic_policy: edgeModules.tcpEdgeTrafficPolicy,
})

/** TCP edges. */
export const tcpEdges = kit.resource(
  defineEdgeKind('tcp', {
    modules: tcpModules,
    sentence: 'An edge that serves TCP connections for reserved addresses.',
    example: { description: 'ssh of the office', backend: { backend_id: 'bkdtg_1' } },
  }),
  defineEdgeRules('tcp', tcpModules),
)

/** TLS edges. */
export const tlsEdges = kit.resource(
  defineEdgeKind('tls', {
    modules: tlsModules,
    sentence: 'An edge that serves TLS connections for reserved domains.',
    example: { description: 'mail of the office', backend: { backend_id: 'bkdtg_1' } },
  }),
  defineEdgeRules('tls', tlsModules),
)

const httpsModules = moduleFields({
  mutual_tls: edgeModules.httpsEdgeMutualTls,
  tls_termination: edgeModules.httpsEdgeTlsTermination,
})

const httpsRules = defineEdgeRules('https', httpsModules)

const findRoutes = (tx: kit.Transaction, { id }: EdgeRecord) => tx.findAll(routes, 'edge', id)

/** HTTPS edges. Their routes are a separate family. */
export const httpsEdges = kit.resource(
  defineEdgeKind('https', {
    modules: {
      ...httpsModules,
      shape: { ...httpsModules.shape, routes: kit.documented(v.array(routeShape), 'The routes, oldest first.') },
    },
    sentence: 'An edge that serves HTTPS requests for reserved domains through routes.',
    example: { description: 'the shop' },
  }),
  {
    ...httpsRules,
    view: (edge, wire) => ({ ...httpsRules.view(edge, wire), routes: [] }),
    related: (tx, edge) => ({
      ...httpsRules.related(tx, edge),
      routes: findRoutes(tx, edge).map((route) => routeView(tx, route)),
    }),
    delete: {
      before(tx, edge) {
        for (const route of findRoutes(tx, edge)) releaseRoute(tx, route)
        httpsRules.delete.before(tx, edge)
      },
    },
  },
)
