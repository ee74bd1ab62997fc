import * as v from 'valibot'
import { documented, named, resource, resourceHead, type Transaction, viewHead } from '../kit/index.ts'
import { edgeBodies } from './edge-bodies.ts'
import { edgeErrors, edgeLimit } from './edge-errors.ts'
import { moduleFields } from './edge-fields.ts'
import { httpsEdgeMutualTls } from './edge-modules.ts'
import { type EdgeRecord, edges, hostportsOf, hostportsShape, routes } from './edge-records.ts'
import { edgeRules } from './edge-rules.ts'
import { releaseRoute, routeView } from './https-edge-routes.ts'
import { routeShape } from './route-bodies.ts'
import { httpsEdgeTlsTermination } from './tls-terminations.ts'

const modules = moduleFields({
  mutual_tls: httpsEdgeMutualTls.module,
  tls_termination: httpsEdgeTlsTermination.module,
})

const shape = named(
  v.object({
    ...resourceHead,
    hostports: hostportsShape,
    ...modules.shape,
    routes: documented(v.array(routeShape), 'The routes, oldest first.'),
  }),
  'HttpsEdge',
  'An edge that serves HTTPS requests at reserved domains, by routes.',
)

const bodies = edgeBodies('HttpsEdge', 'an HTTPS edge', modules.body, { description: 'the shop' })

const rules = edgeRules('https', modules)

const routesOf = (tx: Transaction, { id }: EdgeRecord) => tx.findAll(routes, 'edge', id)

/** HTTPS edges (rules: edges#edges). Their routes are a family of their own. */
export const httpsEdges = resource(
  {
    name: 'https_edges',
    path: '/edges/https',
    items: 'https_edges',
    prefix: 'edghts',
    what: 'HTTPS edge',
    article: 'an',
    filterable: [],
    errors: { ...edgeErrors, ...modules.errors },
    limits: edgeLimit('https_edges', 'HTTPS edges'),
    collection: edges.https,
    shape,
    ...bodies,
  },
  {
    ...rules,
    view: ({ hostports, ...rest }, wire) => ({
      ...viewHead(rest, wire, '/edges/https'),
      hostports: hostportsOf(hostports),
      ...modules.none,
      routes: [],
    }),
    related: (tx, edge) => ({
      ...rules.related(tx, edge),
      routes: routesOf(tx, edge).map((route) => routeView(tx, route)),
    }),
    delete: {
      before(tx, edge) {
        for (const route of routesOf(tx, edge)) releaseRoute(tx, route)
        rules.delete.before(tx, edge)
      },
    },
  },
)
