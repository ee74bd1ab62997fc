// The changes of ngrok's API: each field of each PATCH and PUT, with a value before and another one, and each deletion.
import { createAuthority } from '../../../../src/service/x509/authority.ts'
import { upload } from '../../../support/pem.ts'

/** The values of a field: that before the change, undefined if there is none, and that after it. */
export type Values = readonly [before: unknown, after: unknown]

/** A kind of resources. Texts in braces stand for {@link NEEDS}. */
export interface Kind {
  /** The path of the resource, or of the list in which it is created. */
  readonly path: string
  /** The body that creates one; undefined for a module, which a PUT creates. */
  readonly create?: object
  /** The fields of its PATCH or PUT. */
  readonly fields: Readonly<Record<string, Values>>
}

const ca_pem = createAuthority('test', () => (size) => new Uint8Array(size)).certificatePem
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX'
const DENY = (status: number) =>
  JSON.stringify({ on_http_request: [{ actions: [{ type: 'deny', config: { status_code: status } }] }] })
const REFUSE = (name: string) => JSON.stringify({ on_tcp_connect: [{ name, actions: [{ type: 'deny' }] }] })

/** Fields that bodies have, and that take no other value. */
export const UNCHANGEABLE: readonly string[] = [
  'reserved_domains.domain',
  // The form of the URL decides.
  'endpoints.bindings',
  'ip_policies.action',
  // Only one of `idp_metadata` and `idp_metadata_url` may be sent, and the second one is tried.
  'route_saml.idp_metadata',
  'https_edge_tls_termination.terminate_at',
  // Its only value is `json`.
  'event_destinations.format',
  // Its only value is `agent`.
  'endpoint_configuration_basic_auth.auth_provider_id',
  'endpoint_configuration_saml.idp_metadata',
]

/** Resources that others refer to. Both of a pair have the same values. */
export const NEEDS: Readonly<Record<string, readonly [path: string, body: object, field?: 'addr' | 'domain']>> = {
  edge: ['/edges/https', {}],
  route: ['/edges/https/{edge}/routes', { match: '/', match_type: 'path_prefix' }],
  tcp: ['/edges/tcp', {}],
  tls: ['/edges/tls', {}],
  ec: ['/endpoint_configurations', { type: 'https' }],
  ec2: ['/endpoint_configurations', { type: 'https' }],
  ectcp: ['/endpoint_configurations', { type: 'tcp' }],
  ectcp2: ['/endpoint_configurations', { type: 'tcp' }],
  echttp: ['/endpoint_configurations', { type: 'http' }],
  echttp2: ['/endpoint_configurations', { type: 'http' }],
  domain: ['/reserved_domains', { domain: 'a.example.com' }, 'domain'],
  domain2: ['/reserved_domains', { domain: 'b.example.com' }, 'domain'],
  addr: ['/reserved_addrs', {}, 'addr'],
  addr2: ['/reserved_addrs', {}, 'addr'],
  backend: ['/backends/http_response', {}],
  backend2: ['/backends/http_response', {}],
  policy: ['/ip_policies', {}],
  policy2: ['/ip_policies', {}],
  ca: ['/certificate_authorities', { ca_pem }],
  ca2: ['/certificate_authorities', { ca_pem }],
  cert: ['/tls_certificates', upload()],
  cert2: ['/tls_certificates', upload()],
  vault: ['/vaults', { name: 'vault' }],
  sshca: ['/ssh_certificate_authorities', {}],
  endpoint: [
    '/endpoints',
    { url: 'https://one.internal', type: 'cloud', bindings: ['internal'], traffic_policy: DENY(403) },
  ],
  endpoint2: [
    '/endpoints',
    { url: 'https://two.internal', type: 'cloud', bindings: ['internal'], traffic_policy: DENY(403) },
  ],
  aikey: ['/ai_gateway_api_keys', {}],
  destination: ['/event_destinations', { format: 'json', target: { datadog: { api_key: 'hush-1' } } }],
  destination2: ['/event_destinations', { format: 'json', target: { datadog: { api_key: 'hush-1' } } }],
}

const enabled: Values = [true, false]
const texts: Kind['fields'] = { description: ['one', 'two'], metadata: [undefined, '7'] }
const rule = (status_code: number) => [{ actions: [{ type: 'deny', config: { status_code } }] }]
const policy: Kind['fields'] = { enabled, inbound: [rule(403), rule(404)], outbound: [rule(403), []] }
const headers: Kind['fields'] = { enabled, add: [{ 'x-a': '1' }, { 'x-a': '2' }], remove: [['x-b', 'x-c'], ['x-b']] }
const breaker: Kind['fields'] = {
  enabled,
  tripped_duration: [10, 20],
  rolling_window: [10, 20],
  num_buckets: [5, 10],
  volume_threshold: [1, 0],
  error_threshold_percentage: [0.1, 0.2],
}
const ipPolicies: Kind['fields'] = { enabled, ip_policy_ids: [['{policy}'], ['{policy2}']] }
const mutualTls: Kind['fields'] = { enabled, certificate_authority_ids: [['{ca}'], ['{ca2}']] }
const session: Kind['fields'] = {
  enabled,
  options_passthrough: [false, true],
  cookie_prefix: ['a', 'b'],
  inactivity_timeout: [60, 120],
  maximum_duration: [60, 120],
}
const app = { client_id: 'an app', client_secret: 'hush-1', scopes: ['openid'] }
const oauth: Kind['fields'] = {
  ...session,
  auth_check_interval: [60, 120],
  provider: [{ google: { email_domains: ['a.example.com'] } }, { google: { email_domains: ['b.example.com'] } }],
}
const oidc: Kind['fields'] = {
  ...session,
  issuer: ['https://a.example.com', 'https://b.example.com'],
  client_id: ['an app', 'another app'],
  client_secret: ['hush-1', 'hush-2'],
  scopes: [['openid'], ['openid', 'email']],
}
const saml: Kind['fields'] = {
  ...session,
  idp_metadata_url: ['https://idp.example.com/a', 'https://idp.example.com/b'],
  force_authn: [false, true],
  allow_idp_initiated: [true, false],
  authorized_groups: [['a'], ['b']],
  nameid_format: [
    'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  ],
}
const webhook: Kind['fields'] = { enabled, provider: ['github', 'gitlab'], secret: ['hush-3', 'hush-2'] }
const backend: Kind['fields'] = { enabled, backend_id: ['{backend}', '{backend2}'] }
const edgeTls: Kind['fields'] = { enabled, min_version: ['1.2', '1.3'] }
const termination: Kind['fields'] = { enabled, terminate_at: [undefined, 'upstream'], min_version: [undefined, '1.3'] }

/** Makes the values of a module as one field of the resource that has it. */
const asField = (fields: Kind['fields'], changed: string): Values => {
  const before = bodyOf(fields)
  return [before, { ...before, [changed]: fields[changed]?.[1] }]
}

export const bodyOf = (fields: Kind['fields']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, [before]]) => (before === undefined ? [] : [[name, before]])),
  )

const ROUTE = '/edges/https/{edge}/routes/{route}'

/** All kinds, by the name of their operations. */
export const KINDS: Readonly<Record<string, Kind>> = {
  reserved_addrs: {
    path: '/reserved_addrs',
    create: {},
    fields: { ...texts, endpoint_configuration_id: ['{ectcp}', '{ectcp2}'] },
  },
  reserved_domains: {
    path: '/reserved_domains',
    create: { domain: 'app.example.com' },
    fields: {
      ...texts,
      certificate_id: ['{cert}', '{cert2}'],
      certificate_management_policy: [
        { authority: 'letsencrypt', private_key_type: 'rsa' },
        { authority: 'letsencrypt', private_key_type: 'ecdsa' },
      ],
      http_endpoint_configuration_id: ['{echttp}', '{echttp2}'],
      https_endpoint_configuration_id: [undefined, '{ec2}'],
      resolves_to: [undefined, [{ value: 'eu' }]],
      error_redirect_url: ['https://example.com/a', 'https://example.com/b'],
    },
  },
  weighted_backends: {
    path: '/backends/weighted',
    create: {},
    fields: {
      ...texts,
      backends: [
        { '{backend}': 50, '{backend2}': 50 },
        { '{backend}': 0, '{backend2}': 100 },
      ],
    },
  },
  tls_certificates: { path: '/tls_certificates', create: upload(), fields: texts },
  webhook_verification: { path: `${ROUTE}/webhook_verification`, fields: webhook },
  traffic_policy: { path: `${ROUTE}/policy`, fields: policy },
  circuit_breaker: { path: `${ROUTE}/circuit_breaker`, fields: breaker },
  compression: { path: `${ROUTE}/compression`, fields: { enabled } },
  endpoints: {
    path: '/endpoints',
    create: { url: 'https://app.internal', type: 'cloud', bindings: ['internal'], traffic_policy: DENY(403) },
    fields: {
      ...texts,
      url: [undefined, 'https://other.internal'],
      traffic_policy: [undefined, DENY(404)],
      pooling_enabled: [false, true],
    },
  },
  ip_policies: { path: '/ip_policies', create: {}, fields: texts },
  ip_policy_rules: {
    path: '/ip_policy_rules',
    create: { ip_policy_id: '{policy}', cidr: '192.0.2.0/24', action: 'allow' },
    fields: { ...texts, cidr: [undefined, '192.0.2.0/25'], action: [undefined, 'deny'] },
  },
  bot_users: {
    path: '/bot_users',
    create: { name: 'ci' },
    fields: { name: [undefined, 'ci2'], active: [true, false] },
  },
  service_users: {
    path: '/service_users',
    create: { name: 'ci' },
    fields: { name: [undefined, 'ci2'], active: [true, false] },
  },
  api_keys: { path: '/api_keys', create: {}, fields: texts },
  credentials: {
    path: '/credentials',
    create: {},
    fields: {
      ...texts,
      acl: [
        ['bind:a.example.com', 'bind:b.example.com'],
        ['bind:b.example.com', 'bind:a.example.com'],
      ],
    },
  },
  ssh_credentials: {
    path: '/ssh_credentials',
    create: { public_key: KEY },
    fields: { ...texts, acl: [['bind:a.example.com'], []] },
  },
  vaults: { path: '/vaults', create: { name: 'a' }, fields: { ...texts, name: [undefined, 'b'] } },
  vault_secrets: {
    path: '/vault_secrets',
    create: { name: 'a', value: 'hush-1', vault_id: '{vault}' },
    fields: { ...texts, name: [undefined, 'b'], value: [undefined, 'hush-2'] },
  },
  kubernetes_operators: {
    path: '/kubernetes_operators',
    create: { enabled_features: ['ingress'], deployment: { name: 'a', namespace: 'a', version: '1' } },
    fields: {
      ...texts,
      enabled_features: [undefined, ['ingress', 'gateway']],
      region: ['us', 'eu'],
      deployment: [undefined, { version: '2' }],
      binding: [{ endpoint_selectors: ['true'] }, { endpoint_selectors: ['false'] }],
    },
  },
  tunnel_group_backends: {
    path: '/backends/tunnel_group',
    create: {},
    fields: { ...texts, labels: [{ version: '1' }, { version: '2' }] },
  },
  failover_backends: {
    path: '/backends/failover',
    create: {},
    fields: {
      ...texts,
      backends: [
        ['{backend}', '{backend2}'],
        ['{backend2}', '{backend}'],
      ],
    },
  },
  http_response_backends: {
    path: '/backends/http_response',
    create: {},
    fields: { ...texts, body: ['1', '2'], headers: [{ 'x-a': '1' }, { 'x-a': '2' }], status_code: [503, 404] },
  },
  static_backends: {
    path: '/backends/static',
    create: { address: 'a.example.com:1' },
    fields: { ...texts, address: [undefined, 'a.example.com:2'], tls: [{ enabled: false }, { enabled: true }] },
  },
  https_edges: {
    path: '/edges/https',
    create: {},
    fields: {
      ...texts,
      hostports: [['{domain}:443'], ['{domain2}:443']],
      mutual_tls: asField(mutualTls, 'certificate_authority_ids'),
      tls_termination: asField(edgeTls, 'min_version'),
    },
  },
  https_edge_routes: {
    path: '/edges/https/{edge}/routes',
    create: { match: '/a', match_type: 'path_prefix' },
    fields: {
      ...texts,
      match_type: [undefined, 'exact_path'],
      match: [undefined, '/b'],
      backend: asField(backend, 'backend_id'),
      ip_restriction: asField(ipPolicies, 'ip_policy_ids'),
      circuit_breaker: asField(breaker, 'num_buckets'),
      compression: asField({ enabled }, 'enabled'),
      request_headers: asField(headers, 'add'),
      response_headers: asField(headers, 'remove'),
      webhook_verification: asField(webhook, 'secret'),
      websocket_tcp_converter: asField({ enabled }, 'enabled'),
      user_agent_filter: [{ deny: ['(a)/(\\d+)'] }, { deny: ['(b)/(\\d+)'] }],
      oauth: asField(oauth, 'provider'),
      oidc: asField(oidc, 'client_secret'),
      saml: asField(saml, 'authorized_groups'),
      policy: asField(policy, 'inbound'),
      traffic_policy: [{ value: DENY(403) }, { value: DENY(404) }],
    },
  },
  route_request_headers: { path: `${ROUTE}/request_headers`, fields: headers },
  route_response_headers: { path: `${ROUTE}/response_headers`, fields: headers },
  route_user_agent_filter: {
    path: `${ROUTE}/user_agent_filter`,
    fields: { enabled, allow: [['(a)/(\\d+)'], ['(b)/(\\d+)']], deny: [['(c)/(\\d+)'], []] },
  },
  route_websocket_tcp_converter: { path: `${ROUTE}/websocket_tcp_converter`, fields: { enabled } },
  route_oauth: {
    path: `${ROUTE}/oauth`,
    fields: {
      ...oauth,
      provider: [{ github: { ...app, teams: ['a/b'] } }, { github: { ...app, client_secret: 'hush-2' } }],
    },
  },
  route_oidc: { path: `${ROUTE}/oidc`, fields: oidc },
  route_saml: { path: `${ROUTE}/saml`, fields: saml },
  tcp_edges: {
    path: '/edges/tcp',
    create: {},
    fields: {
      ...texts,
      hostports: [['{addr}'], ['{addr2}']],
      backend: asField(backend, 'enabled'),
      ip_restriction: asField(ipPolicies, 'enabled'),
      policy: [{ inbound: rule(403) }, { inbound: [] }],
      traffic_policy: [{ value: REFUSE('a') }, { value: REFUSE('b') }],
    },
  },
  tls_edges: {
    path: '/edges/tls',
    create: {},
    fields: {
      ...texts,
      hostports: [['{domain}:443'], []],
      backend: asField(backend, 'backend_id'),
      ip_restriction: asField(ipPolicies, 'ip_policy_ids'),
      mutual_tls: asField(mutualTls, 'enabled'),
      tls_termination: asField(termination, 'terminate_at'),
      policy: [{ inbound: rule(403) }, { inbound: [] }],
      traffic_policy: [{ value: REFUSE('a') }, { value: REFUSE('b') }],
    },
  },
  route_traffic_policy: { path: `${ROUTE}/traffic_policy`, fields: { enabled, value: [DENY(403), DENY(404)] } },
  tcp_edge_traffic_policy: {
    path: '/edges/tcp/{tcp}/traffic_policy',
    fields: { enabled, value: [REFUSE('a'), REFUSE('b')] },
  },
  tls_edge_traffic_policy: {
    path: '/edges/tls/{tls}/traffic_policy',
    fields: { enabled, value: [REFUSE('a'), REFUSE('b')] },
  },
  https_edge_mutual_tls: { path: '/edges/https/{edge}/mutual_tls', fields: mutualTls },
  https_edge_tls_termination: { path: '/edges/https/{edge}/tls_termination', fields: edgeTls },
  route_backend: { path: `${ROUTE}/backend`, fields: backend },
  route_ip_restriction: { path: `${ROUTE}/ip_restriction`, fields: ipPolicies },
  tcp_edge_backend: { path: '/edges/tcp/{tcp}/backend', fields: backend },
  tcp_edge_ip_restriction: { path: '/edges/tcp/{tcp}/ip_restriction', fields: ipPolicies },
  tcp_edge_policy: { path: '/edges/tcp/{tcp}/policy', fields: policy },
  tls_edge_backend: { path: '/edges/tls/{tls}/backend', fields: backend },
  tls_edge_ip_restriction: { path: '/edges/tls/{tls}/ip_restriction', fields: ipPolicies },
  tls_edge_mutual_tls: { path: '/edges/tls/{tls}/mutual_tls', fields: mutualTls },
  tls_edge_tls_termination: { path: '/edges/tls/{tls}/tls_termination', fields: termination },
  tls_edge_policy: { path: '/edges/tls/{tls}/policy', fields: policy },
  agent_ingresses: {
    path: '/agent_ingresses',
    create: { domain: 'connect.example.com' },
    fields: {
      ...texts,
      certificate_management_policy: [
        { authority: 'letsencrypt', private_key_type: 'rsa' },
        { authority: 'letsencrypt', private_key_type: 'ecdsa' },
      ],
    },
  },
  certificate_authorities: { path: '/certificate_authorities', create: { ca_pem }, fields: texts },
  ip_restrictions: {
    path: '/ip_restrictions',
    create: { type: 'agent', ip_policy_ids: ['{policy}'] },
    fields: { ...texts, enforced: [false, true], ip_policy_ids: [undefined, ['{policy}', '{policy2}']] },
  },
  ssh_certificate_authorities: { path: '/ssh_certificate_authorities', create: {}, fields: texts },
  ssh_host_certificates: {
    path: '/ssh_host_certificates',
    create: { ssh_certificate_authority_id: '{sshca}', public_key: KEY, principals: ['a'] },
    fields: texts,
  },
  ssh_user_certificates: {
    path: '/ssh_user_certificates',
    create: { ssh_certificate_authority_id: '{sshca}', public_key: KEY, principals: ['a'] },
    fields: texts,
  },
  event_destinations: {
    path: '/event_destinations',
    create: { format: 'json', target: { datadog: { api_key: 'hush-1' } } },
    fields: { ...texts, target: [undefined, { datadog: { api_key: 'hush-2' } }] },
  },
  event_subscriptions: {
    path: '/event_subscriptions',
    create: { sources: [{ type: 'vault_created.v0' }], destination_ids: ['{destination}'] },
    fields: {
      ...texts,
      sources: [undefined, [{ type: 'vault_updated.v0' }]],
      destination_ids: [undefined, ['{destination2}']],
    },
  },
  endpoint_configurations: {
    path: '/endpoint_configurations',
    create: { type: 'https' },
    fields: {
      ...texts,
      basic_auth: [
        { realm: 'a', auth_provider_id: 'agent' },
        { realm: 'b', auth_provider_id: 'agent' },
      ],
      circuit_breaker: asField(breaker, 'error_threshold_percentage'),
      compression: asField({ enabled }, 'enabled'),
      ip_policy: asField(ipPolicies, 'ip_policy_ids'),
      mutual_tls: asField(mutualTls, 'certificate_authority_ids'),
      oauth: asField(oauth, 'maximum_duration'),
      oidc: asField(oidc, 'client_secret'),
      request_headers: asField(headers, 'add'),
      response_headers: asField(headers, 'add'),
      saml: asField(saml, 'idp_metadata_url'),
      tls_termination: asField(termination, 'min_version'),
      webhook_validation: asField(webhook, 'provider'),
    },
  },
  endpoint_configuration_basic_auth: {
    path: '/endpoint_configurations/{ec}/basic_auth',
    fields: { enabled, realm: ['a', 'b'], allow_options: [false, true] },
  },
  endpoint_configuration_circuit_breaker: { path: '/endpoint_configurations/{ec}/circuit_breaker', fields: breaker },
  endpoint_configuration_compression: { path: '/endpoint_configurations/{ec}/compression', fields: { enabled } },
  endpoint_configuration_ip_policy: { path: '/endpoint_configurations/{ec}/ip_policy', fields: ipPolicies },
  endpoint_configuration_mutual_tls: { path: '/endpoint_configurations/{ec}/mutual_tls', fields: mutualTls },
  endpoint_configuration_oauth: { path: '/endpoint_configurations/{ec}/oauth', fields: oauth },
  endpoint_configuration_oidc: { path: '/endpoint_configurations/{ec}/oidc', fields: oidc },
  endpoint_configuration_request_headers: { path: '/endpoint_configurations/{ec}/request_headers', fields: headers },
  endpoint_configuration_response_headers: { path: '/endpoint_configurations/{ec}/response_headers', fields: headers },
  endpoint_configuration_saml: { path: '/endpoint_configurations/{ec}/saml', fields: saml },
  endpoint_configuration_tls_termination: {
    path: '/endpoint_configurations/{ec}/tls_termination',
    fields: termination,
  },
  endpoint_configuration_webhook_validation: {
    path: '/endpoint_configurations/{ec}/webhook_validation',
    fields: webhook,
  },
  ai_gateway_api_keys: {
    path: '/ai_gateway_api_keys',
    create: {},
    fields: { ...texts, endpoint_id: ['{endpoint}', '{endpoint2}'] },
  },
  ai_gateway_provider_keys: {
    path: '/ai_gateway_provider_keys',
    create: { ai_gateway_api_key_id: '{aikey}', provider_id: 'openai', value: 'hush-1' },
    fields: texts,
  },
}
