import { withoutPrivateKeys } from '../../contract/private-key-text.ts'
import type { Journal, JournalEntry } from '../requests/journal.ts'
import { isPending, mismatches } from './armed-faults.ts'
import type { ArmedFault } from './fault.ts'

const EXPLAINED_REQUESTS = 5

/** Throws an Error that says which faults still wait for requests, and why the last requests did not match. */
export function assertNonePending(faults: readonly ArmedFault[], journal: Journal): void {
  const pending = faults.filter(isPending)
  if (pending.length > 0) throw new Error(withoutPrivateKeys(explained(pending, lastOf(journal))))
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
