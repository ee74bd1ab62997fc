import type { Ngrok } from '../../../src/gateway/ngrok.ts'
import type { ManualClock } from '../../../src/index.ts'
import { upload } from '../../support/pem.ts'

/** A record that names another one, and the requests about both. */
export interface ReferenceCase {
  /** The path of the resource that is named. A DELETE there deletes it. */
  readonly target: string
  /** The path of the resource with the field. */
  readonly holder: string
  /** Sends the field with an id; absent if no body has it. A declaration returns a path below the controls. */
  readonly write?: (id: string) => readonly [method: string, path: string, body: object]
  /** The method that sends the field again; absent if no change of the holder has it. */
  readonly again?: 'PUT' | 'PATCH'
}

type Api = Ngrok<ManualClock>

/** The ids that no resource has, by the resources that fields name. */
export const NO_ID: Readonly<Record<string, string>> = {
  'an IP policy': 'ipp_nope',
  'a certificate authority': 'ca_nope',
  'a backend': 'bkdhr_nope',
  'an endpoint configuration': 'ec_nope',
  'a TLS certificate': 'cert_nope',
  'an endpoint': 'ep_nope',
  'an edge': 'edghts_nope',
  'a route': 'edghtsrt_nope',
  'a user': 'bot_nope',
  'an application user': 'au_nope',
  'a credential or an SSH credential': 'cr_nope',
  'an event destination': 'ed_nope',
  'an SSH certificate authority': 'sshca_nope',
  'an AI gateway API key': 'aigk_nope',
  'a vault': 'vault_nope',
}

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMdsm12ZpaVNO+OUUG4Q5L0CTZBvuQpDC29ZSv4fAwFb'
const restrict = (id: string) => ({ type: 'restrict-ips', config: { ip_policies: [id] } })
const policyText = (id: string, phase = 'on_tcp_connect') => JSON.stringify({ [phase]: [{ actions: [restrict(id)] }] })

const EDGES = {
  https: ({ httpsEdges }: Api) => `/edges/https/${httpsEdges.create().id}`,
  tcp: ({ tcpEdges }: Api) => `/edges/tcp/${tcpEdges.create().id}`,
  tls: ({ tlsEdges }: Api) => `/edges/tls/${tlsEdges.create().id}`,
  route: ({ httpsEdges, httpsEdgeRoutes }: Api) => {
    const { id } = httpsEdges.create()
    return `/edges/https/${id}/routes/${httpsEdgeRoutes.create(id, { match: '/' }).id}`
  },
  configuration: ({ endpointConfigurations }: Api) =>
    `/endpoint_configurations/${endpointConfigurations.create({ type: 'https' }).id}`,
}

/** Makes the case of a module, by its owner, its path, what it names, and the body that names an id. */
const moduleOf =
  (owner: keyof typeof EDGES, segment: string, named: (api: Api) => string, body: (id: string) => object) =>
  (api: Api): ReferenceCase => {
    const holder = `${EDGES[owner](api)}/${segment}`
    return { target: named(api), holder, write: (id) => ['PUT', holder, body(id)], again: 'PUT' }
  }

const ipPolicy = ({ ipPolicies }: Api) => `/ip_policies/${ipPolicies.create().id}`
const authority = ({ certificateAuthorities, authority: { certificatePem: ca_pem } }: Api) =>
  `/certificate_authorities/${certificateAuthorities.create({ ca_pem }).id}`
const backend = ({ httpResponseBackends }: Api) => `/backends/http_response/${httpResponseBackends.create().id}`
const user = ({ botUsers }: Api) => `/bot_users/${botUsers.create({ name: 'ci' }).id}`

const ofIpPolicies = (id: string) => ({ ip_policy_ids: [id] })
const ofAuthorities = (id: string) => ({ certificate_authority_ids: [id] })
const ofBackend = (id: string) => ({ backend_id: id })
const ofText = (id: string) => ({ value: policyText(id) })
const ofPhase = (phase: 'inbound' | 'outbound') => (id: string) => ({ [phase]: [{ actions: [restrict(id)] }] })

const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Makes the case of a field of a body that creates resources, such as the owner of a key. */
const creation =
  (path: string, named: (api: Api) => string, body: (id: string) => object, again?: 'PATCH') =>
  (api: Api): ReferenceCase & { readonly create: true } => {
    const target = named(api)
    return { target, holder: path, create: true, write: (id) => ['POST', path, body(id)], ...(again && { again }) }
  }

const link = (domain: string, type: 'http' | 'https') =>
  creation(
    '/reserved_domains',
    ({ endpointConfigurations }) => `/endpoint_configurations/${endpointConfigurations.create({ type }).id}`,
    (id) => ({ domain, [`${type}_endpoint_configuration_id`]: id }),
  )

/** Makes the case of a declaration, which is a control call over HTTP. */
const declared =
  (name: string, path: string, named: (api: Api) => string, makeBody: (api: Api) => (id: string) => object) =>
  (api: Api): ReferenceCase & { readonly create: true } => {
    const target = named(api)
    const body = makeBody(api)
    return { target, holder: path, create: true, write: (id) => ['POST', '/_fauxgate/declare', { [name]: body(id) }] }
  }

const session = (field: string, named: (api: Api) => string) =>
  declared('application_session', '/app/sessions', named, (api) => {
    const user = api.declare.applicationUser().id
    const edge = field === 'route' ? api.httpsEdges.list().https_edges[0]?.id : undefined
    // An edge that an operation made has only the routes of operations.
    const edgeOf = (route: string) => (route === NO_ID['a route'] ? 'edghts_1' : edge)
    return (id) => ({ user, ...(edge && { edge: edgeOf(id) }), [field]: id })
  })

const ssh = (path: string) =>
  creation(
    path,
    ({ sshCertificateAuthorities: all }) => `/ssh_certificate_authorities/${all.create().id}`,
    (id) => ({ ssh_certificate_authority_id: id, public_key: KEY }),
  )

const domain = ({ reservedDomains }: Api) =>
  `/reserved_domains/${reservedDomains.create({ domain: 'app.example.com' }).id}`
const address = ({ reservedAddrs }: Api) => `/reserved_addrs/${reservedAddrs.create().id}`
const addrAt = ({ reservedAddrs }: Api, path: string) => reservedAddrs.get(idOf(path)).addr

/** A case of a field that no body has: it follows from other fields. */
const following =
  (target: (api: Api) => string, holder: (api: Api, target: string) => string) =>
  (api: Api): ReferenceCase => {
    const path = target(api)
    return { target: path, holder: holder(api, path) }
  }

const agentAt = (url: string) => (api: Api) => {
  const { id } = api.declare.tunnelSession({ endpoints: [{ url }] })
  return `/tunnel_sessions/${id}`
}
const newest = (path: string, list: readonly { readonly id: string }[]) => `${path}/${list[0]?.id}`
const endpointOf = (api: Api) => newest('/endpoints', api.endpoints.list().endpoints)
const tunnelOf = (api: Api) => newest('/tunnels', api.tunnels.list().tunnels)
const cloud = (api: Api, url: string) => `/endpoints/${api.endpoints.create({ url, traffic_policy: '{}' }).id}`

/** The cases, by the collection and the field of their row, and by its part of the records. */
export const CASES: Readonly<Record<string, (api: Api) => ReferenceCase & { readonly create?: true }>> = {
  'ai_gateway_api_keys endpoint': creation(
    '/ai_gateway_api_keys',
    (api) => cloud(api, 'https://a.internal'),
    (endpoint_id) => ({ endpoint_id }),
    'PATCH',
  ),
  'ai_gateway_provider_keys ai_gateway_api_key': creation(
    '/ai_gateway_provider_keys',
    ({ aiGatewayApiKeys }) => `/ai_gateway_api_keys/${aiGatewayApiKeys.create().id}`,
    (id) => ({ ai_gateway_api_key_id: id, provider_id: 'openai', value: 'a key for the provider' }),
  ),
  'api_keys owner_id': creation('/api_keys', user, (owner_id) => ({ owner_id })),
  'credentials owner_id': creation('/credentials', user, (owner_id) => ({ owner_id })),
  'ssh_credentials owner_id': creation('/ssh_credentials', user, (owner_id) => ({ owner_id, public_key: KEY })),
  'application_sessions application_user': session('user', (api) => `/app/users/${api.declare.applicationUser().id}`),
  'application_sessions endpoint': session('endpoint', (api) => cloud(api, 'https://a.internal')),
  'application_sessions edge': session('edge', EDGES.https),
  'application_sessions route': session('route', EDGES.route),
  'endpoint_configuration_ip_policy ip_policies': moduleOf('configuration', 'ip_policy', ipPolicy, ofIpPolicies),
  'route_ip_restriction ip_policies': moduleOf('route', 'ip_restriction', ipPolicy, ofIpPolicies),
  'tcp_edge_ip_restriction ip_policies': moduleOf('tcp', 'ip_restriction', ipPolicy, ofIpPolicies),
  'tls_edge_ip_restriction ip_policies': moduleOf('tls', 'ip_restriction', ipPolicy, ofIpPolicies),
  'endpoint_configuration_mutual_tls certificate_authorities': moduleOf(
    'configuration',
    'mutual_tls',
    authority,
    ofAuthorities,
  ),
  'https_edge_mutual_tls certificate_authorities': moduleOf('https', 'mutual_tls', authority, ofAuthorities),
  'tls_edge_mutual_tls certificate_authorities': moduleOf('tls', 'mutual_tls', authority, ofAuthorities),
  'route_backend backend': moduleOf('route', 'backend', backend, ofBackend),
  'tcp_edge_backend backend': moduleOf('tcp', 'backend', backend, ofBackend),
  'tls_edge_backend backend': moduleOf('tls', 'backend', backend, ofBackend),
  'route_traffic_policy value': moduleOf('route', 'traffic_policy', ipPolicy, (id) => ({
    value: policyText(id, 'on_http_request'),
  })),
  'tcp_edge_traffic_policy value': moduleOf('tcp', 'traffic_policy', ipPolicy, ofText),
  'tls_edge_traffic_policy value': moduleOf('tls', 'traffic_policy', ipPolicy, ofText),
  'traffic_policy inbound': moduleOf('route', 'policy', ipPolicy, ofPhase('inbound')),
  'traffic_policy outbound': moduleOf('route', 'policy', ipPolicy, ofPhase('outbound')),
  'tcp_edge_policy inbound': moduleOf('tcp', 'policy', ipPolicy, ofPhase('inbound')),
  'tcp_edge_policy outbound': moduleOf('tcp', 'policy', ipPolicy, ofPhase('outbound')),
  'tls_edge_policy inbound': moduleOf('tls', 'policy', ipPolicy, ofPhase('inbound')),
  'tls_edge_policy outbound': moduleOf('tls', 'policy', ipPolicy, ofPhase('outbound')),
  'endpoints traffic_policy': creation(
    '/endpoints',
    ipPolicy,
    (id) => ({ url: 'tcp://1.internal:80', traffic_policy: policyText(id) }),
    'PATCH',
  ),
  'endpoints domain, those of agents': following(domain, (api) => {
    agentAt('https://app.example.com')(api)
    return endpointOf(api)
  }),
  'endpoints domain, those of the cloud and of edges': following(domain, (api) => {
    api.httpsEdges.create({ hostports: ['app.example.com:443'] })
    return endpointOf(api)
  }),
  'endpoints tcp_addr, those of agents': following(address, (api, path) => {
    agentAt(`tcp://${addrAt(api, path)}`)(api)
    return endpointOf(api)
  }),
  'endpoints tcp_addr, those of the cloud and of edges': following(address, (api, path) =>
    cloud(api, `tcp://${addrAt(api, path)}`),
  ),
  'endpoints edge': following(
    (api) => {
      domain(api)
      return `/edges/https/${api.httpsEdges.create({ hostports: ['app.example.com:443'] }).id}`
    },
    (api) => endpointOf(api),
  ),
  'endpoints tunnel_session': following(agentAt('https://a.internal'), endpointOf),
  'endpoints tunnel': following((api) => {
    agentAt('https://a.internal')(api)
    return tunnelOf(api)
  }, endpointOf),
  'endpoints principal': following(user, (api, path) => {
    const { id } = api.credentials.create({ owner_id: idOf(path) })
    api.declare.tunnelSession({ credential: id, endpoints: [{ url: 'https://a.internal' }] })
    return endpointOf(api)
  }),
  'event_subscriptions destinations': creation(
    '/event_subscriptions',
    ({ eventDestinations }) => {
      const target = { datadog: { api_key: 'a key', ddsite: 'datadoghq.eu' } }
      return `/event_destinations/${eventDestinations.create({ format: 'json', target }).id}`
    },
    (id) => ({ destination_ids: [id] }),
    'PATCH',
  ),
  'failover_backends backends': creation('/backends/failover', backend, (id) => ({ backends: [id] }), 'PATCH'),
  'weighted_backends backends': creation('/backends/weighted', backend, (id) => ({ backends: { [id]: 1 } }), 'PATCH'),
  'https_edge_routes edge_id': following(EDGES.https, (api, path) => {
    const { id } = api.httpsEdgeRoutes.create(idOf(path), { match: '/' })
    return `${path}/routes/${id}`
  }),
  'ip_policy_rules ip_policy': creation('/ip_policy_rules', ipPolicy, (ip_policy_id) => ({
    ip_policy_id,
    cidr: '10.0.0.0/8',
    action: 'allow',
  })),
  'ip_restrictions ip_policies': creation(
    '/ip_restrictions',
    ipPolicy,
    (id) => ({ type: 'agent', ip_policy_ids: [id] }),
    'PATCH',
  ),
  'reserved_addrs endpoint_configuration': (api) => {
    const holder = address(api)
    const { id } = api.endpointConfigurations.create({ type: 'tcp' })
    const target = `/endpoint_configurations/${id}`
    const write = (id: string) => ['PATCH', holder, { endpoint_configuration_id: id }] as const
    return { target, holder, write, again: 'PATCH' }
  },
  'reserved_domains http_endpoint_configuration': link('a.example.com', 'http'),
  'reserved_domains https_endpoint_configuration': link('a.example.com', 'https'),
  'reserved_domains certificate, domains without a policy': creation(
    '/reserved_domains',
    ({ tlsCertificates }) => `/tls_certificates/${tlsCertificates.create(upload()).id}`,
    (certificate_id) => ({ domain: 'app.example.com', certificate_id }),
    'PATCH',
  ),
  'reserved_domains certificate, those with a certificate management policy': (api) => {
    const certificate_management_policy = { authority: 'letsencrypt' } as const
    const { id } = api.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy })
    api.clock.advance('1h')
    const certificate = api.reservedDomains.get(id).certificate?.id
    return { target: `/tls_certificates/${certificate}`, holder: `/reserved_domains/${id}` }
  },
  'ssh_host_certificates ssh_certificate_authority_id': ssh('/ssh_host_certificates'),
  'ssh_user_certificates ssh_certificate_authority_id': ssh('/ssh_user_certificates'),
  'tunnel_group_backends tunnels': following(
    (api) => {
      api.declare.tunnelSession({ labelled: [{ labels: { team: 'web' } }] })
      return tunnelOf(api)
    },
    (api) => `/backends/tunnel_group/${api.tunnelGroupBackends.create({ labels: { team: 'web' } }).id}`,
  ),
  'tunnel_sessions credential': declared(
    'tunnel_session',
    '/tunnel_sessions',
    ({ credentials }) => `/credentials/${credentials.create().id}`,
    () => (credential) => ({ credential }),
  ),
  'tunnels backends': following(
    (api) => `/backends/tunnel_group/${api.tunnelGroupBackends.create({ labels: { team: 'web' } }).id}`,
    (api) => {
      api.declare.tunnelSession({ labelled: [{ labels: { team: 'web' } }] })
      return tunnelOf(api)
    },
  ),
  'tunnels endpoint': following((api) => {
    agentAt('https://a.internal')(api)
    return endpointOf(api)
  }, tunnelOf),
  'tunnels tunnel_session': following(agentAt('https://a.internal'), tunnelOf),
  'vault_secrets vault': creation(
    '/vault_secrets',
    ({ vaults }) => `/vaults/${vaults.create({ name: 'v' }).id}`,
    (vault_id) => ({ vault_id, name: 's', value: 'v' }),
  ),
}
