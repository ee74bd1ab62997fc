import type { JournalEntry } from '../../generated/controls.ts'
import { CapturedRequests } from './captured.ts'

/** A request to the agent's API, and its response. */
export interface AgentRequest extends Pick<JournalEntry, 'at' | 'method' | 'path'> {
  /** The status of the response, or why none arrived. */
  outcome: string
  /** The beginning of the usual response. Absent if the response may contain visitors' secrets. */
  response?: string
  /** The ID of the fault that applied. */
  fault?: string
}

const MAX_REQUESTS = 100

/** A tunnel that failed to start last time. */
interface RefusedStart {
  /** The reason for the error, in full sentences. */
  readonly why: string
  /** The ID of the credential whose ACL does not allow the tunnel, or undefined for other reasons. */
  readonly credential: string | undefined
  /** The number of attempts since the last successful start. */
  readonly count: number
}

const MAX_REFUSED = 100

/** The state of an agent, in addition to the records of its session, tunnels, and endpoints. */
export class AgentState {
  /** True if nothing responds at the agent's address. */
  isDown = false
  /** The delay, in ms, before the agent shows a tunnel that it has started. */
  urlAfterMs = 0
  readonly captured = new CapturedRequests()
  /** The newest requests to the agent's API, oldest first. */
  requests: readonly AgentRequest[] = []
  /** The number of requests to the agent's API, including those that are no longer in `requests`. */
  requestCount = 0
  /** The tunnels whose most recent start was rejected, by name. */
  readonly refused = new Map<string, RefusedStart>()

  addRequest(request: AgentRequest): void {
    this.requestCount++
    this.requests = [...this.requests, request].slice(-MAX_REQUESTS)
  }

  /** Forgets the requests and the rejected starts. */
  clearRequests(): void {
    this.requests = []
    this.requestCount = 0
    this.refused.clear()
  }

  addRefused(name: string, reason: Omit<RefusedStart, 'count'>): void {
    this.refused.set(name, { ...reason, count: (this.refused.get(name)?.count ?? 0) + 1 })
    for (const oldest of this.refused.keys()) if (this.refused.size > MAX_REFUSED) this.refused.delete(oldest)
  }

  clear(): void {
    this.isDown = false
    this.urlAfterMs = 0
    this.captured.clear()
    this.clearRequests()
  }
}
