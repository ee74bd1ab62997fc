import * as v from 'valibot'
import {
  circuitBreaker,
  compression,
  declareErrors,
  documented,
  entry,
  field,
  named,
  ofField,
  refusedAs,
  resourceHead,
  rule,
  trafficPolicy,
  webhookVerification,
} from '../kit/index.ts'
import { edgeTexts } from './edge-errors.ts'
import { moduleFields } from './edge-fields.ts'
import { routeBackend, routeIpRestriction } from './edge-modules.ts'
import {
  routeRequestHeaders,
  routeResponseHeaders,
  routeUserAgentFilter,
  routeWebsocketTcpConverter,
} from './route-modules.ts'
import { routeOauth } from './route-oauth.ts'
import { routeOidc } from './route-oidc.ts'
import { routeSaml } from './route-saml.ts'
import { routeTrafficPolicy } from './traffic-policies.ts'

const MATCH_TYPES = ['exact_path', 'path_prefix'] as const
const LONGEST_MATCH = 4096

/** The errors of routes beside those of edges and modules. */
export const routeErrors = declareErrors({
  route_match_missing: entry(7123, 400, () => 'match is missing. Send a path, such as "/".'),
  route_match_taken: ofField(
    7126,
    400,
    (it: { id: string }) => `match is that of the route ${it.id} already. Allowed: a path that no other route has.`,
  ),
  route_match_type_invalid: field(7130, 400),
  route_match_invalid: field(7131, 400, () => 'a path that begins with "/", such as "/blog"'),
  route_match_too_long: field(7135, 400, () => `at most ${LONGEST_MATCH} characters`),
})

/** The modules of a route. */
export const modules = moduleFields({
  backend: routeBackend.module,
  ip_restriction: routeIpRestriction.module,
  circuit_breaker: circuitBreaker.module,
  compression: compression.module,
  request_headers: routeRequestHeaders.module,
  response_headers: routeResponseHeaders.module,
  webhook_verification: webhookVerification.module,
  websocket_tcp_converter: routeWebsocketTcpConverter.module,
  user_agent_filter: routeUserAgentFilter.module,
  oauth: routeOauth.module,
  oidc: routeOidc.module,
  saml: routeSaml.module,
  policy: trafficPolicy.module,
  traffic_policy: routeTrafficPolicy.module,
})

const MATCH = 'The path of the requests that the route handles.'

/** The schema of a route in an answer. */
export const routeShape = named(
  v.object({
    edge_id: documented(v.string(), 'The id of the edge.'),
    ...resourceHead,
    match_type: documented(
      v.picklist(MATCH_TYPES),
      '`exact_path` if the path is the whole one, `path_prefix` if it is its beginning.',
    ),
    match: documented(v.string(), MATCH),
    ...modules.shape,
  }),
  'HttpsEdgeRoute',
  'A route of an HTTPS edge: a path, and the modules and the backend for its requests.',
)

const match = documented(
  v.pipe(
    v.string(),
    rule([routeErrors.route_match_invalid, routeErrors.route_match_too_long], (path, report) => {
      if (path.length > LONGEST_MATCH) report(routeErrors.route_match_too_long, {})
      else if (path !== '' && !/^\/[^\s?#]*$/.test(path)) report(routeErrors.route_match_invalid, {})
    }),
  ),
  MATCH,
  { json: { examples: ['/'] } },
)

const match_type = documented(
  v.pipe(v.picklist(['', ...MATCH_TYPES], MATCH_TYPES.join(' or ')), refusedAs(routeErrors.route_match_type_invalid)),
  '`exact_path` if the path is the whole one, `path_prefix` if it is its beginning. Default: `path_prefix`.',
)

const fields = { ...edgeTexts, match_type: v.optional(match_type, ''), match: v.optional(match, ''), ...modules.body }

/** The body that creates a route. */
export const createBody = named(v.object(fields), 'HttpsEdgeRouteCreate', 'The body that creates a route.', {
  json: { examples: [{ match: '/', backend: { backend_id: 'bkdtg_1' } }] },
})

/** The body that changes a route. */
export const updateBody = named(
  v.object(fields),
  'HttpsEdgeRouteUpdate',
  'The changes of a route. Modules that are not sent stay.',
  {
    json: { examples: [{ match: '/blog' }] },
  },
)
