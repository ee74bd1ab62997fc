import { type EndpointRecord, getTunnelId } from '../service/ngrok/endpoint-records.ts'
import { tunnels } from '../service/ngrok/session-records.ts'
import type { KnownSecrets } from './exchange.ts'
import type { UpstreamResponse, VisitorRequest } from './message.ts'
import type { Reader } from './reader.ts'

/** The agent's tunnel that a request passes through. */
export interface PassedTunnel {
  readonly id: string
  /** The ID of the agent session. */
  readonly session: string
  readonly name: string
  /** False if the agent counts requests but doesn't record them. */
  readonly inspect: boolean
  /** True if the agent's API started the tunnel. */
  readonly isStarted?: true | undefined
}

/** A request that an agent forwards to its upstream. */
export interface AgentCall {
  readonly tunnel: PassedTunnel
  readonly request: VisitorRequest
  /** The upstream's URL. */
  readonly upstream: string
  /** The visitor's address. */
  readonly ip: string
  /** The time at which the request reached the agent, in ms since the Unix epoch. */
  readonly at: number
  readonly secrets: KnownSecrets
}

/** Called for requests that agents forward. The function that it returns is called with the response. */
export type AgentWatcher = (call: AgentCall) => ((response: UpstreamResponse, at: number) => void) | undefined

/** Returns the tunnel of an endpoint, or undefined if the endpoint does not belong to an agent session. */
export function findTunnel(
  reader: Reader,
  { id, name, tunnel_session_id: session }: EndpointRecord,
): PassedTunnel | undefined {
  if (session === null) return undefined
  const tunnel = getTunnelId(id)
  const { inspect = true, is_started: isStarted } = reader.get(tunnels, tunnel) ?? {}
  return { id: tunnel, session, name: name ?? '', inspect, isStarted }
}
