import { CapturedRequests } from './captured.ts'

/** The state of an agent in addition to the records of its session, tunnels and endpoints. */
export class AgentState {
  /** True if nothing answers at the agent's address. */
  isDown = false
  /** The time from the start of a tunnel until the agent shows it, in ms. */
  urlAfterMs = 0
  readonly captured = new CapturedRequests()

  clear(): void {
    this.isDown = false
    this.urlAfterMs = 0
    this.captured.clear()
  }
}
