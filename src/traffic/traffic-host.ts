import type { Records } from '../core/engine/records.ts'
import type { FilterMatcher } from '../core/operation/events.ts'
import type { Transaction } from '../core/operation/transaction.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import type { Ending } from '../core/schema/truncated-stream.ts'
import type { OnDecided } from '../service/policy/cel/values.ts'
import type { AgentWatcher } from './agent-calls.ts'
import type { VisitorExchange } from './exchange.ts'
import type { Upstreams } from './upstreams.ts'
import type { VisitSizes } from './visit-meter.ts'

/** The effects of a fault on a request to an upstream. */
export interface UpstreamFault {
  readonly id: string
  readonly status?: number | undefined
  readonly body?: string | undefined
  readonly drop?: boolean | undefined
  /** The delay, in ms. */
  readonly latency?: number | undefined
  /** The number of bytes after which the body is truncated. */
  readonly truncate?: number | undefined
  /** The end of a truncated body. */
  readonly ending: Ending
}

/** The part of a gateway that traffic needs. */
export interface TrafficHost {
  readonly dialect: CommonDialect
  readonly upstreams: Upstreams
  /** The gateway's time, in ms since the Unix epoch. */
  readonly now: number
  readonly records: Records
  /** Runs work as one transaction, after all events that are due by now. */
  transact<T>(work: (tx: Transaction) => T): T
  /** Resolves at a gateway time, in ms since the Unix epoch. */
  waitUntil(at: number, signal?: AbortSignal): Promise<void>
  /** Returns the fault that applies to a request to an upstream, and counts it. */
  applyFault(keys: readonly string[]): UpstreamFault | undefined
  readonly watchAgent: AgentWatcher
  /** Receives the parts of expressions that determine a value. Undefined if they are not counted. */
  readonly onDecided: OnDecided | undefined
  /** Adds a request to the traffic journal, and returns its number there. */
  record(exchange: VisitorExchange): number
  /** True if the end of a visit must be reported. */
  readonly awaitsEnds: boolean
  /** Called at the end of a visit, when its response body has passed through. */
  ended(exchange: VisitorExchange, sizes: VisitSizes, matches: FilterMatcher): void
}
