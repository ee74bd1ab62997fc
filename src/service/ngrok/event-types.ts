/** The event types, and the traffic fields that a source can select. */

/** The kinds of resources whose creation, change, and deletion cause events, by the collection of their records. */
export const KINDS: Readonly<Record<string, string>> = {
  api_keys: 'api_key',
  certificate_authorities: 'certificate_authority',
  reserved_domains: 'domain',
  event_destinations: 'event_destination',
  event_subscriptions: 'event_subscription',
  ip_policies: 'ip_policy',
  ip_policy_rules: 'ip_policy_rule',
  ip_restrictions: 'ip_restriction',
  vault_secrets: 'secret',
  ssh_certificate_authorities: 'ssh_certificate_authority',
  ssh_host_certificates: 'ssh_host_certificate',
  ssh_credentials: 'ssh_public_key',
  ssh_user_certificates: 'ssh_user_certificate',
  reserved_addrs: 'tcp_address',
  tls_certificates: 'tls_certificate',
  credentials: 'tunnel_credential',
  vaults: 'vault',
}

/** A description of the fields of traffic events. The objects of other event types are resources, whose sources have no settings. */
const TRAFFIC: Readonly<Record<string, string>> = {
  'http_request_complete.v0': `backend.connection_reused basic_auth.decision basic_auth.username circuit_breaker.decision
    compression.algorithm compression.bytes_saved conn.client_ip conn.server_ip conn.server_name conn.server_port
    conn.start_ts http.request.body_length http.request.headers http.request.method http.request.url.host
    http.request.url.path http.request.url.query http.request.url.raw http.request.url.scheme http.request.user_agent
    http.response.body_length http.response.headers http.response.status_code ip_policy.decision ja4_fingerprint
    oauth.app_client_id oauth.decision oauth.user.id oauth.user.name tls.cipher_suite tls.client_cert.serial_number
    tls.client_cert.subject.cn tls.version traffic_policy.logs webhook_verification.decision`,
  'tcp_connection_closed.v0': `conn.bytes_in conn.bytes_out conn.client_ip conn.end_ts conn.server_ip conn.server_name
    conn.server_port conn.start_ts ip_policy.decision ja4_fingerprint traffic_policy.logs`,
}

/** The traffic fields that filters can name, with their CEL types. */
export const FILTERABLE = {
  'conn.client_ip': 'string',
  'conn.server_ip': 'string',
  'conn.server_name': 'string',
  'conn.server_port': 'int',
}

/** The event types that a subscription can have as sources. */
export const EVENT_TYPES: readonly string[] = [
  ...Object.values(KINDS).flatMap((kind) => ['created', 'updated', 'deleted'].map((change) => `${kind}_${change}.v0`)),
  'agent_session_start.v0',
  'agent_session_stop.v0',
  ...Object.keys(TRAFFIC),
]

/** Returns the fields that a source of a type can select. Only traffic types have any. */
export function fieldsOf(type: string): readonly string[] {
  return TRAFFIC[type]?.split(/\s+/) ?? []
}
