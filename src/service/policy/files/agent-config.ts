import { nearest } from '../../../core/schema/nearest.ts'
import type { PolicyPath } from '../problem.ts'

export const AGENT_CONFIG = 'https://ngrok.com/docs/agent/config/v3/'

const OF_ENDPOINT = [
  ...['name', 'url', 'upstream', 'traffic_policy', 'pooling_enabled', 'description', 'metadata', 'bindings'],
  ...['inspect', 'agent_tls_termination'],
]
const OF_UPSTREAM = ['url', 'protocol', 'proxy_protocol']
const OF_TUNNEL = [
  ...['addr', 'basic_auth', 'bind_tls', 'circuit_breaker', 'compression', 'crt', 'domain', 'host_header', 'hostname'],
  ...['inspect', 'ip_restriction', 'key', 'labels', 'metadata', 'mutual_tls_cas', 'oauth', 'oidc', 'policy'],
  ...['pooling_enabled', 'proto', 'proxy_proto', 'remote_addr', 'request_header', 'response_header', 'schemes'],
  ...['subdomain', 'terminate_at', 'traffic_policy', 'url', 'user_agent_filter', 'verify_webhook'],
  'websocket_tcp_converter',
]

/** Returns the field that was probably meant by an unknown field in an agent config, or undefined for all other fields. */
export function findMeantAgentField(owner: PolicyPath, name: string): string | undefined {
  const names = namesAt(owner)
  return names.includes(name) ? undefined : nearest(name.replaceAll('-', '_'), names)
}

function namesAt([section, item, below, ...deeper]: PolicyPath): readonly string[] {
  if (section === undefined) return ['version', 'agent', 'endpoints', 'tunnels']
  if (item === undefined || deeper.length > 0) return []
  if (section === 'endpoints') return below === undefined ? OF_ENDPOINT : below === 'upstream' ? OF_UPSTREAM : []
  return section === 'tunnels' && below === undefined ? OF_TUNNEL : []
}
