import type * as v from 'valibot'
import {
  declareMade,
  described,
  type Frozen,
  familyOf,
  general,
  newHead,
  operation,
  operationWithBody,
  quote,
  refuse,
  required,
  type Transaction,
  undeclare,
  viewHead,
} from '../kit/index.ts'
import { edgeErrors } from './edge-errors.ts'
import { edges, type RouteRecord, routes } from './edge-records.ts'
import { createBody, modules, routeErrors, routeShape, updateBody } from './route-bodies.ts'

type Resource = Frozen<v.InferOutput<typeof routeShape>>

const idsOf = ({ edge_id, id }: RouteRecord) => ({ edge_id, id })

const viewed = ({ match, match_type, edge_id, ...rest }: RouteRecord, tx: Transaction) => ({
  edge_id,
  ...viewHead(rest, tx.wire, `/edges/https/${edge_id}/routes`),
  match_type,
  match,
})

/** Returns the view of a route. */
export function routeView(tx: Transaction, route: RouteRecord): Resource {
  return { ...viewed(route, tx), ...modules.view(tx, idsOf(route)) }
}

/** Removes a route that goes with its edge, or by itself. */
export function releaseRoute(tx: Transaction, route: RouteRecord): void {
  modules.remove(tx, idsOf(route))
  undeclare(tx, route.id)
  tx.remove(routes, route)
}

interface RoutePath {
  readonly edge_id: string
  readonly id: string
}

function routeAt(tx: Transaction, { edge_id, id }: RoutePath): RouteRecord {
  const route = required(tx, routes, id, 'route')
  return route.edge_id === edge_id
    ? route
    : refuse(general.not_found, { what: `route of the edge ${edge_id} with the id`, received: id }, { id })
}

function requireOwnMatch(tx: Transaction, route: Omit<RouteRecord, 'id'> & { id?: string }): void {
  const other = tx
    .findAll(routes, 'edge', route.edge_id)
    .find(({ id, match }) => match === route.match && id !== route.id)
  if (other) refuse(routeErrors.route_match_taken, { field: 'match', received: quote(route.match), id: other.id })
}

const ids = { edge_id: 'edghts', id: 'edghtsrt' }
const path = '/edges/https/{edge_id}/routes/{id}'
const ofBody = [routeErrors.route_match_taken, ...Object.values(modules.errors), general.not_found]

const operations = {
  create: operationWithBody({
    name: 'https_edge_routes.create',
    method: 'POST',
    path: '/edges/https/{edge_id}/routes',
    status: 201,
    summary: 'Create a route of an HTTPS edge',
    ids: { edge_id: 'edghts' },
    body: createBody,
    response: routeShape,
    errors: [routeErrors.route_match_missing, ...ofBody],
    run(tx, { edge_id }, body): Resource {
      required(tx, edges.https, edge_id, 'HTTPS edge')
      const { match_type, match, ...rest } = body
      if (match === '') refuse(routeErrors.route_match_missing, {})
      const made = { edge_id, match_type: match_type || 'path_prefix', match } as const
      const route = { ...newHead(tx, ids.id, rest), ...made }
      requireOwnMatch(tx, route)
      declareMade(tx, route.id, edge_id)
      tx.put(routes, route)
      modules.set(tx, idsOf(route), body)
      return routeView(tx, route)
    },
  }),
  get: operation({
    name: 'https_edge_routes.get',
    method: 'GET',
    path,
    status: 200,
    summary: 'Get a route of an HTTPS edge',
    ids,
    response: routeShape,
    errors: [general.not_found],
    run: (tx, at) => routeView(tx, routeAt(tx, at)),
  }),
  update: operationWithBody({
    name: 'https_edge_routes.update',
    method: 'PATCH',
    path,
    status: 200,
    summary: 'Change a route of an HTTPS edge',
    ids,
    body: updateBody,
    response: routeShape,
    errors: ofBody,
    run(tx, at, body): Resource {
      const before = routeAt(tx, at)
      const { match_type, match, ...rest } = body
      const route = {
        ...before,
        ...described(rest, before),
        match_type: match_type || before.match_type,
        match: match || before.match,
      }
      requireOwnMatch(tx, route)
      tx.put(routes, route)
      modules.set(tx, idsOf(route), body)
      return routeView(tx, route)
    },
  }),
  delete: operation({
    name: 'https_edge_routes.delete',
    method: 'DELETE',
    path,
    status: 204,
    summary: 'Delete a route of an HTTPS edge',
    ids,
    errors: [general.not_found],
    run: (tx, at) => releaseRoute(tx, routeAt(tx, at)),
  }),
}

/** Routes of HTTPS edges (rules: edges#routes). */
export const httpsEdgeRoutes = familyOf({
  operations,
  errors: { ...edgeErrors, ...modules.errors, ...routeErrors },
  prefix: ids.id,
  collections: [routes],
  relations({ edge_id }: RouteRecord, others, report) {
    if (!others.get(edges.https, edge_id)) report(['edge_id'], edge_id, 'an HTTPS edge that exists')
  },
})
