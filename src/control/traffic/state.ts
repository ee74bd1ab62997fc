import type { Engine } from '../../core/engine/engine.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import type { SecretNames } from '../../core/schema/secret-fields.ts'
import type { OnDecided } from '../../service/policy/cel/values.ts'
import type { AgentWatcher } from '../../traffic/agent-calls.ts'
import type { VisitorExchange } from '../../traffic/exchange.ts'
import type { UpstreamResponse } from '../../traffic/message.ts'
import type { GatewayTraffic, ServedRequest } from '../../traffic/traffic.ts'
import type { TrafficHost } from '../../traffic/traffic-host.ts'
import type { Upstreams } from '../../traffic/upstreams.ts'
import { applyUpstreamFault } from '../faults/upstream-faults.ts'
import type { SentEventLog } from '../sent-events/log.ts'
import { createRedaction, TrafficJournal } from './journal.ts'

/** The hooks for traffic. Set them before the first request. */
export interface TrafficHooks {
  /** Receives the parts of expressions that determine a value, which makes evaluation slower. */
  onDecided?: OnDecided | undefined
  /** Receives each request as it happened, including secrets. The trace grows until the response body is read. */
  onVisited?: ((exchange: VisitorExchange) => void) | undefined
}

interface Surroundings {
  readonly engine: Engine
  readonly dialect: CommonDialect
  readonly upstreams: Upstreams
  /** Returns a string without the gateway's own keys. */
  withoutKeys(text: string): string
  readonly watchAgent: AgentWatcher
  readonly hooks: TrafficHooks
  /** The maximum size of the journal in bytes. */
  readonly journalBytes: number
  readonly secretNames: SecretNames
  /** Undefined for a gateway without events. */
  readonly events: SentEventLog | undefined
}

/** The traffic of one gateway: its upstreams, journal, and visits. */
export class TrafficState {
  readonly upstreams: Upstreams
  readonly journal: TrafficJournal
  readonly #surroundings: Surroundings
  #loading: Promise<GatewayTraffic> | undefined

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    const { withoutKeys: ownKeys, journalBytes: bytes, secretNames } = surroundings
    this.upstreams = surroundings.upstreams
    this.journal = new TrafficJournal({ ownKeys, secretNames, bytes })
  }

  /** Sends a request through the gateway. */
  async fetch(...sent: Parameters<GatewayTraffic['fetch']>): Promise<Response> {
    return (await this.#loaded()).fetch(...sent)
  }

  /** Sends a request that a server received through the gateway. */
  async serve(sent: ServedRequest): Promise<UpstreamResponse> {
    return (await this.#loaded()).serve(sent)
  }

  /** Resends a request from an agent to its upstream. */
  async replay(...sent: Parameters<GatewayTraffic['replay']>): Promise<void> {
    return (await this.#loaded()).replay(...sent)
  }

  /** Returns whether a URL belongs to a public endpoint, or to a reserved domain without one. */
  async takes(url: string): Promise<boolean> {
    return (await this.#loaded()).takes(url)
  }

  /** Returns the origin that a visitor to a local port wants to reach. */
  async locate(host: string, schemes: readonly string[]): Promise<string> {
    return (await this.#loaded()).locate(host, schemes)
  }

  clear(): void {
    this.upstreams.clear()
    this.journal.clear()
  }

  #loaded(): Promise<GatewayTraffic> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<GatewayTraffic> {
    // Loaded on first use: most gateways get no traffic, and the evaluation of policies is slow to load.
    const { clock } = this.#surroundings.engine
    const { GatewayTraffic } = await clock.load(() => import('../../traffic/traffic.ts'))
    return new GatewayTraffic(this.#createHost())
  }

  #createHost(): TrafficHost {
    const { upstreams, journal } = this
    const { engine, dialect, watchAgent, events, hooks } = this.#surroundings
    return {
      dialect,
      upstreams,
      watchAgent,
      onDecided: hooks.onDecided,
      get now() {
        return engine.now
      },
      get records() {
        return engine.state.records
      },
      transact: (work) => engine.transact(work),
      waitUntil: (at, signal) => engine.clock.waitUntil(at, signal),
      applyFault: (keys) => applyUpstreamFault(engine, keys),
      record: (exchange) => {
        hooks.onVisited?.(exchange)
        return journal.add(exchange)
      },
      get awaitsEnds() {
        return events?.isIdle === false
      },
      ended: (exchange, sizes, matches) =>
        events?.addVisit({ exchange, sizes, redaction: createRedaction(exchange, journal.options.ownKeys), matches }),
    }
  }
}
