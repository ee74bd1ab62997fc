import type { Sending } from '../support/client.ts'
import { upload } from '../support/pem.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import type { opened } from './support.ts'

// The service's documentation has an example of each call, recorded from a real account: what was sent, which status came
// back, and which fields the answer had. The values are not theirs.

/** The day that the times in the recorded answers name. */
export const RECORDED_ON = '2025-09-04'

export type World = ReturnType<typeof opened>

const certificate = () => upload('rsa2048')
const [description, metadata] = ['an example', '{"environment": "staging"}']
const CONFIGURATION = 'ec_2AbCdEfGhIjKlMnOpQrStUvWxYz'
const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'

const TEXTS_HEAD = 'created_at description id uri'
const DOMAIN =
  'acme_challenge_cname_target certificate_management_policy certificate_management_status cname_target created_at domain ' +
  'error_redirect_url id is_dev region uri'
const OPERATOR =
  'created_at deployment{cluster_name name namespace version} description enabled_features id metadata principal{id uri} ' +
  'region updated_at uri'
const CLOUD =
  'bindings created_at description domain{id uri} hostport id metadata pooling_enabled proto public_url traffic_policy ' +
  'type updated_at uri url'

export interface Resource {
  readonly items?: string
  /** The body that creates one; it may need others. */
  create(world: World): object
  readonly update: object
  /** The fields after it was created, and after it was changed. */
  readonly created: string
  readonly changed?: string
}

/** Five examples of each: create, get, list, update, delete. The first four are those of the standard dialect too. */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  reserved_addrs: {
    create: () => ({ description, region: 'us' }),
    update: { endpoint_configuration_id: CONFIGURATION, metadata },
    created: `addr ${TEXTS_HEAD} endpoint_configuration region`,
    changed: `addr ${TEXTS_HEAD} endpoint_configuration{id uri} metadata region`,
  },
  reserved_domains: {
    create: ({ gateway }) => ({
      certificate_id: gateway.tlsCertificates.create(certificate()).id,
      domain: 'app.example.com',
      region: 'us',
    }),
    update: {
      certificate_management_policy: { authority: 'letsencrypt' },
      description,
      http_endpoint_configuration_id: CONFIGURATION,
      https_endpoint_configuration_id: CONFIGURATION,
      metadata,
    },
    created: `${DOMAIN} certificate{id uri} http_endpoint_configuration https_endpoint_configuration`,
    // The recording has null for the status, where the emulator has its job (contract: section 4).
    changed:
      `${DOMAIN} certificate description http_endpoint_configuration{id uri} https_endpoint_configuration{id uri} metadata`
        .replace('management_policy', 'management_policy{authority private_key_type}')
        .replace(
          'management_status',
          'management_status{provisioning_job{error_code msg retries_at started_at} renews_at}',
        ),
  },
  tls_certificates: {
    create: certificate,
    update: { metadata },
    created:
      'certificate_pem created_at extended_key_usages id issued_at issuer_common_name key_usages not_after not_before ' +
      'private_key_type serial_number subject_alternative_names{dns_names ips} subject_common_name subject_country ' +
      'subject_locality subject_organization subject_organizational_unit subject_province uri',
  },
  'backends/weighted': {
    items: 'backends',
    create: () => ({ backends: { bkdhr_2AbCdEfGhIjKlMnOpQrStUvWxYz: 1 }, description, metadata }),
    update: { metadata: '{}' },
    created: `backends ${TEXTS_HEAD} metadata`,
  },
  api_keys: {
    items: 'keys',
    create: () => ({ description, metadata }),
    update: { metadata: '{}' },
    created: `${TEXTS_HEAD} metadata owner_id token`,
  },
  bot_users: {
    create: () => ({ name: 'a bot' }),
    update: { active: false, name: 'an inactive bot' },
    created: 'active created_at id name uri',
  },
  service_users: {
    create: () => ({ name: 'a service' }),
    update: { active: false, name: 'an inactive service' },
    created: 'active created_at id name uri',
  },
  credentials: {
    create: () => ({ description }),
    update: { description: 'another', metadata },
    created: `acl ${TEXTS_HEAD} owner_id token`,
    changed: `acl ${TEXTS_HEAD} metadata owner_id token`,
  },
  ssh_credentials: {
    create: () => ({ acl: ['bind:1.tcp.ngrok.io:20002', 'bind:a.example.com'], description, public_key: SSH_KEYS.rsa }),
    update: { description: 'another', metadata },
    created: `acl ${TEXTS_HEAD} owner_id public_key`,
    changed: `acl ${TEXTS_HEAD} metadata owner_id public_key`,
  },
  endpoints: {
    create({ gateway }) {
      gateway.reservedDomains.create({ domain: 'app.example.com' })
      const url = 'https://app.example.com:443'
      return { bindings: ['public'], description, metadata, traffic_policy: DENY, type: 'cloud', url }
    },
    update: { description: 'another' },
    created: CLOUD,
  },
  ip_policies: {
    create: () => ({ description }),
    update: { metadata },
    created: TEXTS_HEAD,
    changed: `${TEXTS_HEAD} metadata`,
  },
  ip_policy_rules: {
    create: ({ gateway }) => ({
      action: 'allow',
      cidr: '192.0.2.0/24',
      description,
      ip_policy_id: gateway.ipPolicies.create({}).id,
    }),
    update: { cidr: '198.51.100.0/24' },
    created: `action cidr ${TEXTS_HEAD} ip_policy{id uri}`,
  },
  kubernetes_operators: {
    items: 'operators',
    create: () => ({
      deployment: { name: 'operator', namespace: 'ngrok' },
      description,
      enabled_features: ['Ingress'],
      metadata,
      region: 'global',
    }),
    update: { metadata: '{}' },
    created: `binding{cert{cert not_after not_before} endpoint_selectors} ${OPERATOR}`,
    changed: `binding{cert{cert not_after not_before} endpoint_selectors ingress_endpoint} ${OPERATOR}`,
  },
  vaults: {
    create: () => ({ description, metadata: 'env=prod', name: 'prod-vault' }),
    update: { metadata },
    created: `${TEXTS_HEAD} created_by last_updated_by metadata name updated_at`,
  },
  vault_secrets: {
    items: 'secrets',
    create: ({ gateway }) => ({
      description,
      metadata: 'env=prod,service=postgres',
      name: 'db-password',
      value: 'hidden',
      vault_id: gateway.vaults.create({ name: 'prod-vault' }).id,
    }),
    update: { metadata, value: 'hidden too' },
    // vault_name is newer than the recording (contract: section 2).
    created: `${TEXTS_HEAD} created_by{id uri} last_updated_by{id uri} metadata name updated_at vault{id uri} vault_name`,
  },
}

const ROUTE = '/edges/https/edghts_2AbCdEfGhIjKlMnOpQrStUvWxYz/routes/edghtsrt_2AbCdEfGhIjKlMnOpQrStUvWxYz'
const BREAKER = {
  enabled: true,
  error_threshold_percentage: 0.2,
  num_buckets: 5,
  rolling_window: 300,
  tripped_duration: 120,
  volume_threshold: 20,
}
const HTTP_POLICY = `{
\t"on_http_request": [
\t\t{
\t\t\t"expressions": ["req.url.path == '/old'"],
\t\t\t"actions": [{ "type": "url-rewrite", "config": { "from": "/old/?([.*]+)?", "to": "/new?query=$1" } }]
\t\t},
\t\t{
\t\t\t"expressions": ["req.method == 'POST' && req.content_length > 10000", "conn.geo.country_code in ['BR', 'CN']"],
\t\t\t"actions": [{ "type": "custom-response", "config": { "status_code": 401, "content": "no" } }]
\t\t}
\t],
\t"on_http_response": [{ "actions": [{ "type": "compress-response", "config": { "algorithms": ["br"] } }] }]
}`
const TCP_POLICY = `{"on_tcp_connect":[{"expressions":["conn.client_ip == '192.0.2.0'"],"actions":[{"type":"deny"}]}]}`
const TLS_POLICY = `{"on_tcp_connect": [{ "actions": [{ "type": "log", "config": { "metadata": {
  "country": "\${conn.geo.country_code}" } } }, { "type": "deny" }] }]}`

/** Three examples of each: replace, get, delete. The answer repeats what was sent. */
export const MODULES: Readonly<Record<string, object>> = {
  [`${ROUTE}/circuit_breaker`]: BREAKER,
  [`${ROUTE}/compression`]: { enabled: true },
  [`${ROUTE}/webhook_verification`]: { enabled: true, provider: 'TWILIO', secret: 'secret_token' },
  [`${ROUTE}/traffic_policy`]: { enabled: true, value: HTTP_POLICY },
  '/edges/tcp/edgtcp_2AbCdEfGhIjKlMnOpQrStUvWxYz/traffic_policy': { enabled: true, value: TCP_POLICY },
  '/edges/tls/edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz/traffic_policy': { enabled: true, value: TLS_POLICY },
}

interface Single {
  readonly call: string
  /** Makes what the call needs, and returns its path. */
  path(world: World): string
  readonly sent?: Sending
  readonly status: number
  readonly fields?: string
  /** Shows a further item of a recorded list. */
  readonly isPart?: true
}

const AGENT =
  'bindings created_at hostport id name pooling_enabled principal{id uri} proto public_url tunnel{id uri} ' +
  'tunnel_session{id uri} type updated_at upstream_url url'
const EDGE =
  'bindings created_at domain{id uri} edge{id uri} hostport id pooling_enabled proto public_url type updated_at'
export const PAGE = (items: string, fields: string) => `next_page_uri ${items}{${fields}} uri`
const TUNNEL = 'endpoint{id uri} forwards_to id proto public_url region started_at tunnel_session{id uri}'
const SESSION = 'agent_version credential{id uri} id ip os region started_at transport uri'

const agent = ({ gateway }: World) => gateway.declare.tunnelSession({ endpoints: [{}], update: '3.40.0' }).id
const beside = (path: string) => (world: World) => {
  agent(world)
  return path
}
const detached = (part: string, body: object) => ({
  call: `DELETE ${part}`,
  path({ gateway }: World) {
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', ...body })
    return `/reserved_domains/${id}/${part}`
  },
  status: 204,
})

export const SINGLE: readonly Single[] = [
  detached('certificate_management_policy', {}),
  {
    call: 'DELETE certificate',
    path({ gateway }) {
      const { id } = gateway.tlsCertificates.create(certificate())
      const domain = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_id: id })
      return `/reserved_domains/${domain.id}/certificate`
    },
    status: 204,
  },
  detached('http_endpoint_configuration', { http_endpoint_configuration_id: CONFIGURATION }),
  detached('https_endpoint_configuration', { https_endpoint_configuration_id: CONFIGURATION }),
  {
    call: 'DELETE endpoint_configuration',
    path({ gateway }) {
      const { id } = gateway.reservedAddrs.create({ endpoint_configuration_id: CONFIGURATION })
      return `/reserved_addrs/${id}/endpoint_configuration`
    },
    status: 204,
  },
  {
    call: 'GET tunnels',
    path: beside('/tunnels'),
    status: 200,
    fields: PAGE('tunnels', TUNNEL),
  },
  {
    call: 'GET tunnels with labels',
    isPart: true,
    path({ gateway }) {
      gateway.declare.tunnelSession({ labelled: [{ labels: { foo: 'bar' } }] })
      return '/tunnels'
    },
    status: 200,
    fields: PAGE('tunnels', 'forwards_to id labels region started_at tunnel_session{id uri}'),
  },
  {
    call: 'GET tunnel',
    path(world) {
      agent(world)
      return `/tunnels/${world.gateway.tunnels.list().tunnels[0]?.id}`
    },
    status: 200,
    fields: TUNNEL,
  },
  {
    call: 'GET sessions',
    path: beside('/tunnel_sessions'),
    status: 200,
    fields: PAGE('tunnel_sessions', SESSION),
  },
  { call: 'GET session', path: (world) => `/tunnel_sessions/${agent(world)}`, status: 200, fields: SESSION },
  ...['restart', 'stop', 'update'].map((command) => ({
    call: `POST ${command}`,
    path: (world: World) => `/tunnel_sessions/${agent(world)}/${command}`,
    sent: { json: {} },
    status: 204,
  })),
  {
    call: 'GET agent endpoints',
    isPart: true,
    path: beside('/endpoints'),
    status: 200,
    fields: PAGE('endpoints', AGENT),
  },
  {
    call: 'GET edge endpoints',
    isPart: true,
    path({ gateway }) {
      const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
      const edge = 'edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz'
      gateway.declare.edgeEndpoint({ edge, url: 'tls://app.example.com', domain: id })
      return '/endpoints'
    },
    status: 200,
    fields: PAGE('endpoints', EDGE),
  },
  {
    call: 'GET bound endpoints',
    path: ({ gateway }) => `/kubernetes_operators/${gateway.kubernetesOperators.create({}).id}/bound_endpoints`,
    status: 200,
    fields: 'endpoints next_page_uri uri',
  },
  {
    call: 'GET secrets of a vault',
    path: ({ gateway }) => `/vaults/${gateway.vaults.create({ name: 'prod' }).id}/secrets`,
    status: 200,
    fields: 'next_page_uri secrets uri',
  },
]

/** Returns the fields of an answer after an update. */
export function changedOf({ created, changed, update }: Resource): string {
  if (changed !== undefined) return changed
  return created.includes('metadata') || !('metadata' in update) ? created : `${created} metadata`
}
