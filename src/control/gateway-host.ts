import type { SentBody } from '../core/schema/body.ts'
import type { RuleContext } from '../core/schema/rule.ts'
import type { ExplorationSettings, ExplorationStep, HostedGateway, RunEnd } from '../generated/controls.ts'

/** A server with several gateways, each at its own path. */
export interface GatewayHost {
  /** Creates a gateway with this gateway's options, overridden by the options in the request. */
  create(options: SentBody, context: RuleContext): Promise<HostedGateway>
  /** Removes a gateway. Throws `gateway_not_found` if there is no gateway with this name. */
  remove(name: string): void
  readonly explorations: ExplorationHost
}

/** A server that finds the failures that break a program in any language. */
export interface ExplorationHost {
  /** Starts an exploration, and returns its ID. */
  start(settings: ExplorationSettings): Promise<string>
  /** Returns the next step for the program that runs the code, as soon as there is one. */
  next(id: string, signal: AbortSignal | undefined): Promise<ExplorationStep>
  /** Receives the result of one call to the code. */
  ended(end: RunEnd): void
  /** Ends all explorations. */
  close(): void
}
