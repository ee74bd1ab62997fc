import * as parts from '../parts/index.ts'

/** The types of events, and the fields that a source can select and filter by. */

/** The kinds of resources whose creations, changes and deletions are events, and the collections of their records. */
export const KINDS: Readonly<Record<string, string>> = {
  api_key: 'api_keys',
  certificate_authority: 'certificate_authorities',
  domain: 'reserved_domains',
  event_destination: 'event_destinations',
  event_subscription: 'event_subscriptions',
  ip_policy: 'ip_policies',
  ip_policy_rule: 'ip_policy_rules',
  ip_restriction: 'ip_restrictions',
  secret: 'vault_secrets',
  ssh_certificate_authority: 'ssh_certificate_authorities',
  ssh_host_certificate: 'ssh_host_certificates',
  ssh_public_key: 'ssh_credentials',
  ssh_user_certificate: 'ssh_user_certificates',
  tcp_address: 'reserved_addrs',
  tls_certificate: 'tls_certificates',
  tunnel_credential: 'credentials',
  vault: 'vaults',
}

/** The types of events that a subscription can have as its sources. */
export const EVENT_TYPES: readonly string[] = [
  ...Object.keys(KINDS).flatMap((kind) => ['created', 'updated', 'deleted'].map((change) => `${kind}_${change}.v0`)),
  'agent_session_start.v0',
  'agent_session_stop.v0',
  'http_request_complete.v0',
  'tcp_connection_closed.v0',
]

/** The fields that filters of traffic can name, with their types in CEL. */
const OF_CONNECTIONS = {
  'conn.client_ip': 'string',
  'conn.server_ip': 'string',
  'conn.server_name': 'string',
  'conn.server_port': 'int',
}

/** The fields of a type of events that sources can select, in words, and those that filters can name. */
interface EventFields {
  readonly selectable: string
  /** The types in CEL, by the paths of fields. Default: filters can name all fields. */
  readonly filterable?: Readonly<Record<string, string>>
}

const AGENT_SESSION: EventFields = {
  selectable: `id uri credential agent_ip ingress_server_ip region ingress_hostname user_agent metadata os arch transport
    started_at expires_at stopped_at upcoming_minimum_version upcoming_enforcement_date message error`,
}

const VAULT: EventFields = {
  selectable: 'id uri created_at updated_at name description metadata created_by last_updated_by',
}
const SECRET: EventFields = { selectable: `${VAULT.selectable} vault vault_name` }

const FIELDS: Readonly<Record<string, EventFields>> = {
  agent_session_start: AGENT_SESSION,
  agent_session_stop: AGENT_SESSION,
  secret_created: SECRET,
  secret_updated: SECRET,
  secret_deleted: SECRET,
  vault_created: VAULT,
  vault_updated: VAULT,
  vault_deleted: VAULT,
  http_request_complete: {
    selectable: `backend.connection_reused basic_auth.decision basic_auth.username circuit_breaker.decision
      compression.algorithm compression.bytes_saved conn.client_ip conn.server_ip conn.server_name conn.server_port
      conn.start_ts http.request.body_length http.request.headers http.request.method http.request.url.host
      http.request.url.path http.request.url.query http.request.url.raw http.request.url.scheme http.request.user_agent
      http.response.body_length http.response.headers http.response.status_code ip_policy.decision ja4_fingerprint
      oauth.app_client_id oauth.decision oauth.user.id oauth.user.name tls.cipher_suite tls.client_cert.serial_number
      tls.client_cert.subject.cn tls.version traffic_policy.logs webhook_verification.decision`,
    filterable: OF_CONNECTIONS,
  },
  tcp_connection_closed: {
    selectable: `conn.bytes_in conn.bytes_out conn.client_ip conn.end_ts conn.server_ip conn.server_name conn.server_port
      conn.start_ts ip_policy.decision ja4_fingerprint traffic_policy.logs`,
    filterable: OF_CONNECTIONS,
  },
}

/** Returns the fields of a type that a source can select, and those that its filter can name; undefined if there are none. */
export function fieldsOf(type: string) {
  const fields = parts.lookUp(FIELDS, type.replace(/\.v0$/, ''))
  if (!fields) return undefined
  const selectable = fields.selectable.split(/\s+/)
  const all = Object.fromEntries(selectable.map((name) => [name, 'dyn']))
  return { selectable, filterable: fields.filterable ?? all }
}
