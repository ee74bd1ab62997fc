import { type EndpointRecord, getTunnelId } from '../service/ngrok/endpoint-records.ts'
import { tunnels } from '../service/ngrok/session-records.ts'
import type { KnownSecrets } from './exchange.ts'
import type { UpstreamResponse, VisitorRequest } from './message.ts'
import type { Reader } from './reader.ts'

/** The tunnel of an agent that a request passes. */
export interface PassedTunnel {
  readonly id: string
  /** The id of the session of the agent. */
  readonly session: string
  readonly name: string
  /** False if the agent only counts the requests. */
  readonly inspect: boolean
  /** True if the API of the agent started the tunnel. */
  readonly isStarted?: true | undefined
}

/** A request that an agent passes on to its upstream. */
export interface AgentCall {
  readonly tunnel: PassedTunnel
  readonly request: VisitorRequest
  /** The URL of the upstream. */
  readonly upstream: string
  /** The address of the visitor. */
  readonly ip: string
  /** The time at which the request reached the agent, in ms since 1970. */
  readonly at: number
  readonly secrets: KnownSecrets
}

/** Sees the requests that agents pass on. The function that it returns sees the response. */
export type AgentWatcher = (call: AgentCall) => ((response: UpstreamResponse, at: number) => void) | undefined

/** Returns the tunnel of an endpoint, or undefined if it is of no agent's session. */
export function findTunnel(
  reader: Reader,
  { id, name, tunnel_session_id: session }: EndpointRecord,
): PassedTunnel | undefined {
  if (session === null) return undefined
  const tunnel = getTunnelId(id)
  const { inspect = true, is_started: isStarted } = reader.get(tunnels, tunnel) ?? {}
  return { id: tunnel, session, name: name ?? '', inspect, isStarted }
}
