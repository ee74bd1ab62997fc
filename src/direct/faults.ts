import type { ArmedFault, FaultSpec } from '../contract/fault.ts'
import { withoutPrivateKeys } from '../contract/private-key-text.ts'
import type { ControlHost } from '../control/control-operation.ts'
import { isPending, mismatches } from '../control/fault-records.ts'
import { faultControls } from '../control/faults.ts'
import type { Journal, JournalEntry } from '../http/journal.ts'
import type { OperationName } from '../resources/index.ts'
import type { Guarded } from './provisioning.ts'

/**
 * Failures on order for requests over HTTP. Faults are off until one is added; the oldest one that matches is met.
 *
 * @example
 * ```ts
 * gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503, retryAfter: '2s' })
 * ```
 */
export interface Faults {
  /**
   * Arms a fault. @throws GatewayError `field_invalid` for a value that is not allowed, or for a fault that no request
   * of the API can meet; `too_many_on_order` where 1,000 wait for requests already.
   */
  add(spec: FaultSpec<OperationName>): ArmedFault<OperationName>
  /** The armed faults, oldest first, with how many requests each has met; of 1,000 on, used-up ones give way. */
  all(): readonly ArmedFault<OperationName>[]
  remove(id: string): void
  clear(): void
  /** Throws an Error that says which faults still wait for requests, and why the last requests did not match. */
  assertNoPendingFaults(): void
}

const EXPLAINED_REQUESTS = 5

/** Makes the fault controls of a gateway. */
export function faultsApi(host: ControlHost, guarded: Guarded, journal: Journal): Faults {
  const { add, list, remove } = faultControls
  const all = () => guarded(() => list.run(host, {})) as readonly ArmedFault<OperationName>[]
  return {
    add: (spec) => guarded(() => add.run(host, spec)) as ArmedFault<OperationName>,
    all,
    remove: (id) => guarded(() => remove.run(host, { id })),
    clear: () => guarded(() => remove.run(host, {})),
    assertNoPendingFaults() {
      const pending = all().filter(isPending)
      if (pending.length > 0) throw new Error(withoutPrivateKeys(explained(pending, lastOf(journal))))
    },
  }
}

function lastOf(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  for (const entry of journal.newestFirst()) if (entries.push(entry) === EXPLAINED_REQUESTS) break
  return entries.reverse()
}

function explained(pending: readonly ArmedFault[], requests: readonly JournalEntry[]): string {
  const lines = pending.flatMap((fault) => [
    `${fault.id} ${described(fault)}: met ${fault.hits}${fault.times === undefined ? '' : ` of ${fault.times}`} requests.`,
    ...(requests.length === 0
      ? ['  There were no requests.']
      : requests.map((request) => `  ${whyNot(fault, request)}`)),
  ])
  const wait = pending.length === 1 ? '1 fault still waits' : `${pending.length} faults still wait`
  return `${wait} for requests.\n${lines.join('\n')}`
}

function described({ id: _id, hits: _hits, passed: _passed, when, ...spec }: ArmedFault): string {
  return `${JSON.stringify(spec)}${when ? ' with a predicate' : ''}`
}

function whyNot(fault: ArmedFault, entry: JournalEntry): string {
  const name = `${entry.method} ${entry.path}`
  if (entry.fault === fault.id) return `${name}: met it.`
  if (entry.operation === null) return `${name}: is no operation of the API.`
  const ids = Object.fromEntries(entry.path.split('/').map((segment, place) => [String(place), segment]))
  const { operation, method, path, request: input } = entry
  const reasons = mismatches(fault, { operation, method, path, ids, input })
  return `${name}: ${reasons.join(', and ') || `matched, but met ${entry.fault ?? 'nothing: it came too early, or was refused before'}`}.`
}
