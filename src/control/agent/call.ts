import type { ControlHost } from '../control.ts'
import type { AgentResponse } from './response.ts'
import { Agent } from './tunnels.ts'

/** A request to the agent's API. */
export interface Call {
  readonly host: ControlHost
  readonly path: string
  readonly query: URLSearchParams
  /** The name or the ID at the end of the path, or "" if there is none. */
  readonly name: string
  /** Reads the body's JSON object. Not called for methods that need no body, because some clients send a body anyway. */
  readonly readJson: () => Record<string, unknown>
}

export type Handler = (call: Call) => AgentResponse | Promise<AgentResponse>

export const ok = (body: object): AgentResponse => ({ status: 200, body })
export const NO_CONTENT: AgentResponse = { status: 204 }

export const listOf = (host: ControlHost) => Agent.transact(host, (agent) => agent.list())
export const findIn = (host: ControlHost, name: string) => Agent.transact(host, (agent) => agent.find(name))
