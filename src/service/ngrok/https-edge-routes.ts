import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { edgeModules } from './edge-modules/index.ts'
import { findOlderPolicy } from './edge-modules/traffic-policy.ts'
import { edgeErrors, edges, edgeTexts, MATCH_TYPES, type RouteRecord, routes } from './edge-records.ts'
import { moduleFields } from './modules.ts'
import { requireModulePolicy } from './policy-text.ts'
import {
  routeRequestHeaders,
  routeResponseHeaders,
  routeUserAgentFilter,
  routeWebsocketTcpConverter,
} from './route-modules.ts'
import { routeOauth } from './route-oauth.ts'
import { requireOneSignIn, routeOidc, routeSaml, signInErrors } from './route-sign-in.ts'
import { defineUnique } from './shared.ts'

const MAX_MATCH_LENGTH = 4096

const routeErrors = kit.declareErrors({
  route_match_missing: kit.entry(7123, 400, 'match is missing. Send a path, such as "/".'),
  route_match_taken: kit.ofField(
    7126,
    400,
    'match is already used by the route {id}. Allowed: a path that no other route has.',
  ),
  route_match_type_invalid: kit.field(7130, 400),
  route_match_invalid: kit.field(7131, 400, 'a path such as "/blog", without spaces, "?", or "#"'),
  route_match_too_long: kit.field(7135, 400, `at most ${MAX_MATCH_LENGTH} characters`),
})

/** The older `policy` module, whose policies are also checked against the policy language (rules: traffic-policy#module). */
const olderPolicy: typeof parts.trafficPolicy.module = {
  ...parts.trafficPolicy.module,
  set(tx, ids, body, field) {
    parts.prefixFields(field, () => requireModulePolicy(tx, body, 'https', findOlderPolicy(tx, ids)))
    parts.trafficPolicy.module.set(tx, ids, body, field)
  },
}

const modules = moduleFields({
  backend: edgeModules.routeBackend,
  ip_restriction: edgeModules.routeIpRestriction,
  circuit_breaker: parts.circuitBreaker,
  compression: parts.compression,
  request_headers: routeRequestHeaders,
  response_headers: routeResponseHeaders,
  webhook_verification: parts.webhookVerification,
  websocket_tcp_converter: routeWebsocketTcpConverter,
  user_agent_filter: routeUserAgentFilter,
  oauth: routeOauth,
  oidc: routeOidc,
  saml: routeSaml,
  policy: { module: olderPolicy },
  traffic_policy: edgeModules.routeTrafficPolicy,
})

const MATCH = 'The path of the requests that the route handles: a whole path or a prefix.'

/** The schema of a route in a response. */
export const routeShape = kit.named(
  v.object({
    edge_id: kit.documented(v.string(), 'The edge ID.'),
    ...kit.resourceHead,
    match_type: kit.documented(
      v.picklist(MATCH_TYPES),
      '`exact_path` to match the whole path, `path_prefix` to match its beginning.',
    ),
    match: kit.documented(v.string(), MATCH),
    ...modules.shape,
  }),
  'HttpsEdgeRoute',
  'A route on an HTTPS edge: a path, with the modules and the backend that handle requests to it.',
)

const match = kit.documented(
  v.pipe(
    v.string(),
    kit.rule([routeErrors.route_match_invalid, routeErrors.route_match_too_long], (path, report) => {
      if (path.length > MAX_MATCH_LENGTH) report(routeErrors.route_match_too_long, {})
      else if (path !== '' && !/^\/[^\s?#]*$/.test(path)) report(routeErrors.route_match_invalid, {})
    }),
  ),
  MATCH,
  { json: { examples: ['/'] } },
)

const match_type = kit.documented(
  v.pipe(
    v.picklist(['', ...MATCH_TYPES], MATCH_TYPES.join(' or ')),
    kit.refusedAs(routeErrors.route_match_type_invalid),
  ),
  '`exact_path` to match the whole path, `path_prefix` to match its beginning. Default: `path_prefix`.',
)

const fields = { ...edgeTexts, match_type: v.optional(match_type, ''), match: v.optional(match, ''), ...modules.body }

const { createBody, updateBody } = parts.defineBodies('HttpsEdgeRoute', 'a route', {
  create: fields,
  update: fields,
  note: '. Omitted modules stay unchanged',
  examples: [{ match: '/', backend: { backend_id: 'bkdtg_1' } }, { match: '/blog' }],
})

type Resource = kit.Frozen<v.InferOutput<typeof routeShape>>

interface RoutePath {
  readonly edge_id: string
  readonly id: string
}

const getIds = ({ edge_id, id }: RoutePath) => ({ edge_id, id })

/** Replaces the modules in a body (rules: edges#signing-in). */
function setModules(tx: kit.Transaction, route: RouteRecord, body: object): void {
  modules.set(tx, getIds(route), body)
  requireOneSignIn(modules.view(tx, getIds(route)))
}

/** Returns the family of a sign-in module, with the rule that only one such module can be enabled on a route. */
function withOneSignIn<R extends kit.Operation, F extends { readonly operations: { readonly replace: R } }>(
  family: F,
): F {
  const { replace } = family.operations
  const { run } = replace
  const checked = {
    ...replace,
    errors: [...(replace.errors ?? []), signInErrors.signs_in_twice],
    run(tx: kit.Transaction, { edge_id = '', id = '' }: parts.PathIds, body: unknown) {
      const response: unknown = run(tx, { edge_id, id }, body)
      requireOneSignIn(modules.view(tx, { edge_id, id }))
      return response
    },
  }
  return { ...family, operations: { ...family.operations, replace: checked } }
}

/** The sign-in modules. At most one of these modules can be enabled on a route. */
export const routeSignIns = {
  routeOauth: withOneSignIn(routeOauth),
  routeOidc: withOneSignIn(routeOidc),
  routeSaml: withOneSignIn(routeSaml),
}

/** Returns a route's view, including its modules. */
export function routeView(tx: kit.Transaction, route: RouteRecord): Resource {
  const { edge_id, match_type, match } = route
  const head = kit.viewHead(route, tx.wire, `/edges/https/${edge_id}/routes`)
  return { edge_id, ...head, match_type, match, ...modules.view(tx, getIds(route)) }
}

/** Removes a route and its modules. */
export function releaseRoute(tx: kit.Transaction, route: RouteRecord): void {
  modules.remove(tx, getIds(route))
  parts.undeclare(tx, route.id)
  tx.remove(routes, route)
}

function requireRoute(tx: kit.Transaction, { edge_id, id }: RoutePath): RouteRecord {
  const route = kit.required(tx, routes, id, 'route')
  return route.edge_id === edge_id
    ? route
    : kit.refuse(kit.general.not_found, { what: `route of the edge ${edge_id} with the ID`, received: id }, { id })
}

const unique = defineUnique(routes, 'place', {
  field: 'match',
  error: routeErrors.route_match_taken,
  allowed: 'a path that no other route of the edge has',
})

const ids = { edge_id: 'edghts', id: 'edghtsrt' }
const path = '/edges/https/{edge_id}/routes'
const common = { path: `${path}/{id}`, ids }
const bodyErrors = [routeErrors.route_match_taken, ...Object.values(modules.errors), kit.general.not_found]

const operations = {
  create: kit.operationWithBody({
    name: 'https_edge_routes.create',
    method: 'POST',
    path,
    status: 201,
    summary: 'Create a route on an HTTPS edge',
    ids: { edge_id: 'edghts' },
    body: createBody,
    response: routeShape,
    errors: [routeErrors.route_match_missing, ...bodyErrors],
    run(tx, { edge_id }, body): Resource {
      kit.required(tx, edges.https, edge_id, 'HTTPS edge')
      const { match_type, match, ...rest } = body
      if (match === '') kit.refuse(routeErrors.route_match_missing, {})
      const matchFields = { edge_id, match_type: match_type || 'path_prefix', match } as const
      const route = unique.requireUnique(tx, { ...kit.newHead(tx, ids.id, rest), ...matchFields })
      parts.declareMade(tx, route.id, edge_id)
      tx.put(routes, route)
      setModules(tx, route, body)
      return routeView(tx, route)
    },
  }),
  get: kit.operation({
    ...common,
    name: 'https_edge_routes.get',
    method: 'GET',
    status: 200,
    summary: 'Get a route on an HTTPS edge',
    nouns: { one: 'route', many: 'routes', owner: 'an HTTPS edge' },
    response: routeShape,
    errors: [kit.general.not_found],
    run: (tx, at) => routeView(tx, requireRoute(tx, at)),
  }),
  update: kit.operationWithBody({
    ...common,
    name: 'https_edge_routes.update',
    method: 'PATCH',
    status: 200,
    summary: 'Change a route on an HTTPS edge',
    body: updateBody,
    response: routeShape,
    errors: bodyErrors,
    run(tx, at, body): Resource {
      const before = requireRoute(tx, at)
      const { match_type, match, ...rest } = body
      const route = unique.requireUnique(tx, {
        ...before,
        ...kit.described(rest, before),
        match_type: match_type || before.match_type,
        match: match || before.match,
      })
      tx.put(routes, route)
      setModules(tx, route, body)
      return routeView(tx, route)
    },
  }),
  delete: kit.operation({
    ...common,
    name: 'https_edge_routes.delete',
    method: 'DELETE',
    status: 204,
    summary: 'Delete a route on an HTTPS edge',
    errors: [kit.general.not_found],
    run: (tx, at) => releaseRoute(tx, requireRoute(tx, at)),
  }),
}

/** Routes of HTTPS edges (rules: edges#routes). */
export const httpsEdgeRoutes = kit.familyOf({
  operations,
  errors: { ...edgeErrors, ...modules.errors, ...routeErrors },
  prefix: ids.id,
  collections: [routes],
  references: [
    parts.referenceOf(routes, {
      field: 'edge_id',
      shown: 'edge_id',
      to: parts.targetOf('an HTTPS edge', edges.https),
      index: 'edge',
      deletion: 'cascades',
      rules: 'edges#edges',
    }),
  ],
  relations: unique.relations,
})
