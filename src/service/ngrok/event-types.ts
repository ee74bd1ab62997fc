/** The types of events, and the fields of traffic, which a source can select. */

/** The kinds of resources whose creations, changes and deletions cause events, and the collections of their records. */
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

/** The fields of the objects of traffic, in words. The objects of other types are resources, whose sources have no settings. */
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

/** The fields of traffic that filters can name, with their types in CEL. */
export const FILTERABLE = {
  'conn.client_ip': 'string',
  'conn.server_ip': 'string',
  'conn.server_name': 'string',
  'conn.server_port': 'int',
}

/** The types of events that a subscription can have as its sources. */
export const EVENT_TYPES: readonly string[] = [
  ...Object.keys(KINDS).flatMap((kind) => ['created', 'updated', 'deleted'].map((change) => `${kind}_${change}.v0`)),
  'agent_session_start.v0',
  'agent_session_stop.v0',
  ...Object.keys(TRAFFIC),
]

/** Returns the fields that a source of a type can select; none for types other than those of traffic. */
export function fieldsOf(type: string): readonly string[] {
  return TRAFFIC[type]?.split(/\s+/) ?? []
}
