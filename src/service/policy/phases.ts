import type { PolicyPlace, PolicyProtocol } from './options.ts'

/** The phases of a policy, in the order in which traffic passes through them. */
export const PHASES = ['on_tcp_connect', 'on_http_request', 'on_http_response', 'on_event_stream_message'] as const
export type Phase = (typeof PHASES)[number]

/** The phases of the older `policy` module, by their names in that module. */
const MODULE_PHASES: Readonly<Record<string, Phase>> = {
  inbound: 'on_http_request',
  outbound: 'on_http_response',
}
const MODULE_PHASES_WITHOUT_HTTP: Readonly<Record<string, Phase>> = {
  inbound: 'on_tcp_connect',
  outbound: 'on_tcp_connect',
}

/** Returns the phases that a policy can have, by the name used in the policy. */
export function phasesOf(protocol: PolicyProtocol, place: PolicyPlace | undefined): Readonly<Record<string, Phase>> {
  const hasHttp = protocol === 'http' || protocol === 'https'
  if (place === 'module') return hasHttp ? MODULE_PHASES : MODULE_PHASES_WITHOUT_HTTP
  const withoutConnect = hasHttp && (place === 'edge' || place === 'internal')
  return Object.fromEntries(
    PHASES.filter((phase) => (phase === 'on_tcp_connect' ? !withoutConnect : hasHttp)).map((phase) => [phase, phase]),
  )
}
