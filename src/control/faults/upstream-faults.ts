import type { Engine } from '../../core/engine/engine.ts'
import { durationMs } from '../../core/schema/time.ts'
import type { ArmedFault } from '../../generated/controls.ts'
import type { UpstreamFault } from '../../traffic/traffic-host.ts'
import { countHits, faultRecords } from './fault.ts'

/** Returns the fault, if any, that applies to a request that the gateway forwards, and counts the hit, as it does for other faults. */
export function applyUpstreamFault(engine: Engine, keys: readonly string[]): UpstreamFault | undefined {
  return applyMatching(engine, 503, ({ traffic }) => traffic !== undefined && keys.includes(traffic))
}

/** Returns the fault, if any, that applies to a request to the agent's API, and counts the hit, as it does for other faults. */
export function applyAgentFault(engine: Engine, path: string, sent: string): UpstreamFault | undefined {
  return applyMatching(engine, 200, ({ agent, method = sent }) => agent === path && method === sent)
}

/** `ofBody` is the status of a fault that has a body and no status. */
function applyMatching(
  engine: Engine,
  ofBody: number,
  matches: (fault: ArmedFault) => boolean,
): UpstreamFault | undefined {
  const waiting = engine.state.records.table(faultRecords).findAll('waiting', '')
  const matching = waiting.filter(matches)
  if (matching.length === 0) return undefined
  const fault = engine.transact((tx) => countHits(tx, matching))
  if (!fault) return undefined
  const { id, body, drop, truncate, ending = 'complete', latency } = fault
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  // As for API requests, a fault without an effect responds with 503.
  const isPlain = !drop && truncate === undefined && latency === undefined
  const status = fault.status ?? (body === undefined ? (isPlain ? 503 : undefined) : ofBody)
  return { id, status, body: text, drop, truncate, ending, latency: durationMs(latency) }
}
