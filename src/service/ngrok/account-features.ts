/** The features that an account may lack. Unlike limits on the number of resources, each feature has its own error. */
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { ACCOUNT_USER } from './shared.ts'

const errors = kit.declareErrors({
  owners_need_admin: kit.tooMany(630),
  owners_not_permitted: kit.tooMany(633),
  session_operations_none: kit.tooMany(1700),
  session_stops_none: kit.tooMany(1701),
  session_updates_none: kit.tooMany(1702),
  audit_events_none: kit.tooMany(5141),
  edge_webhook_verification_none: kit.tooMany(7031),
  edge_oauth_none: kit.tooMany(7041),
  edge_compression_none: kit.tooMany(7094),
  edge_circuit_breaker_none: kit.tooMany(7095),
  edge_request_headers_none: kit.tooMany(7096),
  edge_response_headers_none: kit.tooMany(7097),
  edge_oidc_none: kit.tooMany(7098),
  edge_saml_none: kit.tooMany(7099),
  edge_tls_termination_none: kit.tooMany(7100),
  edge_ip_restriction_none: kit.tooMany(7101),
  edge_mutual_tls_none: kit.tooMany(7103),
  edge_websocket_tcp_converter_none: kit.tooMany(7108),
  edge_user_agent_filter_none: kit.tooMany(7167),
  edge_policies_none: kit.tooMany(7194),
})

type Body = Readonly<Record<string, unknown>>

/** A feature: its error and the operations that use it, each with a check for bodies that use the feature. */
interface Feature extends parts.AccountLimit {
  readonly none: parts.LimitError
  readonly isFeature: true
  readonly uses: Readonly<Record<string, (body: Body) => boolean>>
}

const feature = (what: string, none: parts.LimitError, uses: Feature['uses']): Feature => ({
  what,
  none,
  isFeature: true,
  uses,
})

const always = () => true

function isEnabled(module: unknown): boolean {
  return parts.isObject(module) && module.enabled !== false
}

/** Creates the feature of a module: a field in the bodies of its owners, and the operations that replace it. */
function module(
  what: string,
  none: parts.LimitError,
  fields: readonly string[],
  owners: readonly string[],
  replaced: readonly string[],
): Feature {
  const inOwner = (body: Body) => fields.some((field) => isEnabled(body[field]))
  const writes = owners.flatMap((group) => [`${group}.create`, `${group}.update`])
  return feature(what, none, {
    ...Object.fromEntries(writes.map((name) => [name, inOwner])),
    ...Object.fromEntries(replaced.map((group) => [`${group}.replace`, isEnabled])),
  })
}

const ROUTES = ['https_edge_routes']
const ENDS = ['https_edges', 'tls_edges']

/** Creates the feature of a module that only routes have. */
function routeModule(what: string, none: parts.LimitError, field: string, group = `route_${field}`): Feature {
  return module(what, none, [field], ROUTES, [group])
}

const OWNERS = ['owner_id', 'owner_email', 'scim_user_id']
const namesOwner = (body: Body) => OWNERS.some((name) => body[name] && body[name] !== ACCOUNT_USER)

/** The only event types that do not need an add-on. */
const TRAFFIC_EVENTS = /^(http_request_complete|tcp_connection_closed)\./
const isAudit = (source: unknown) => parts.isObject(source) && !TRAFFIC_EVENTS.test(String(source.type))
const hasAudit = ({ sources }: Body) => Array.isArray(sources) && sources.some(isAudit)

const STOPS = { 'tunnel_sessions.stop': always, 'tunnel_sessions.restart': always }
const UPDATES = { 'tunnel_sessions.update': always }

const FEATURES = {
  credential_owners: {
    ...feature('owners for keys and credentials', errors.owners_not_permitted, {
      'credentials.create': namesOwner,
      'ssh_credentials.create': namesOwner,
      'api_keys.create': namesOwner,
    }),
    older: errors.owners_need_admin,
  },
  session_operations: feature('operations on agent sessions', errors.session_operations_none, {
    ...STOPS,
    ...UPDATES,
  }),
  session_stops: feature('agent stops and restarts', errors.session_stops_none, STOPS),
  session_updates: feature('agent updates', errors.session_updates_none, UPDATES),
  audit_events: feature('audit events', errors.audit_events_none, {
    'event_subscriptions.create': hasAudit,
    'event_subscriptions.update': hasAudit,
    'event_sources.create': isAudit,
  }),
  edge_webhook_verification: routeModule(
    'webhook verification on edges',
    errors.edge_webhook_verification_none,
    'webhook_verification',
    'webhook_verification',
  ),
  edge_oauth: routeModule('OAuth on edges', errors.edge_oauth_none, 'oauth'),
  edge_compression: routeModule('compression on edges', errors.edge_compression_none, 'compression', 'compression'),
  edge_circuit_breaker: routeModule(
    'circuit breakers on edges',
    errors.edge_circuit_breaker_none,
    'circuit_breaker',
    'circuit_breaker',
  ),
  edge_request_headers: routeModule('request headers on edges', errors.edge_request_headers_none, 'request_headers'),
  edge_response_headers: routeModule(
    'response headers on edges',
    errors.edge_response_headers_none,
    'response_headers',
  ),
  edge_oidc: routeModule('OIDC on edges', errors.edge_oidc_none, 'oidc'),
  edge_saml: routeModule('SAML on edges', errors.edge_saml_none, 'saml'),
  edge_tls_termination: module(
    'TLS termination on edges',
    errors.edge_tls_termination_none,
    ['tls_termination'],
    ENDS,
    ['https_edge_tls_termination', 'tls_edge_tls_termination'],
  ),
  edge_ip_restriction: module(
    'IP restrictions on edges',
    errors.edge_ip_restriction_none,
    ['ip_restriction'],
    [...ROUTES, 'tcp_edges', 'tls_edges'],
    ['route_ip_restriction', 'tcp_edge_ip_restriction', 'tls_edge_ip_restriction'],
  ),
  edge_mutual_tls: module('mutual TLS on edges', errors.edge_mutual_tls_none, ['mutual_tls'], ENDS, [
    'https_edge_mutual_tls',
    'tls_edge_mutual_tls',
  ]),
  edge_websocket_tcp_converter: routeModule(
    'WebSocket to TCP converters on edges',
    errors.edge_websocket_tcp_converter_none,
    'websocket_tcp_converter',
  ),
  edge_user_agent_filter: routeModule(
    'user agent filters on edges',
    errors.edge_user_agent_filter_none,
    'user_agent_filter',
  ),
  edge_policies: module(
    'policies on edges',
    errors.edge_policies_none,
    ['policy', 'traffic_policy'],
    [...ROUTES, 'tcp_edges', 'tls_edges'],
    [
      ...['traffic_policy', 'route_traffic_policy', 'tcp_edge_traffic_policy', 'tls_edge_traffic_policy'],
      ...['tcp_edge_policy', 'tls_edge_policy'],
    ],
  ),
} satisfies Readonly<Record<string, Feature>>

const rows: readonly (readonly [string, Feature])[] = Object.entries(FEATURES)

/** Creates the rules of an operation that uses features. */
function toRules(operation: string): parts.RulesBefore {
  const used = rows.filter(([, { uses }]) => uses[operation])
  return {
    errors: used.flatMap(([, { none, older = none }]) => [none, older]),
    run(tx, _ids, body) {
      const fields = parts.isObject(body) ? body : {}
      const needed = used.filter(([, { uses }]) => uses[operation]?.(fields))
      parts.requirePermitted(Object.fromEntries(needed), fields, tx)
    },
  }
}

const operations = new Set(rows.flatMap(([, { uses }]) => Object.keys(uses)))

/** The parts of a family that implement the features of an account (rules: account#features). */
export const accountFeatures = {
  errors,
  limits: kit.accountLimits(FEATURES),
  before: Object.fromEntries([...operations].map((name) => [name, toRules(name)])),
}
