import type { ArmedFault } from '../../generated/controls.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { counted, quote } from '../../schema/text.ts'
import type { FaultRequest } from './fault.ts'
import { isPending } from './fault.ts'
import { mismatches } from './matching.ts'

const EXPLAINED_REQUESTS = 5

/** Which faults still wait for requests, and why the last requests did not match; undefined where none waits. */
export function pendingFaults(faults: readonly ArmedFault[], journal: Journal): string | undefined {
  const pending = faults.filter(isPending)
  return pending.length === 0 ? undefined : explained(pending, lastOf(journal))
}

function lastOf(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  for (const entry of journal.newestFirst()) if (entries.push(entry) === EXPLAINED_REQUESTS) break
  return entries.reverse()
}

function explained(pending: readonly ArmedFault[], requests: readonly JournalEntry[]): string {
  const lines = pending.flatMap((fault) => [
    `${fault.id} ${described(fault)}: met ${hitsOf(fault)}.`,
    ...(requests.length === 0
      ? ['  There were no requests.']
      : withTimes(requests.map((request) => whyNot(fault, request))).map((line) => `  ${line}`)),
  ])
  const wait = counted(pending.length, 'fault still waits', 'faults still wait')
  return `${wait} for requests.\n${lines.join('\n')}`
}

/** Each line once, with how often it is there. */
function withTimes(lines: readonly string[]): string[] {
  const times = new Map<string, number>()
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1)
  return [...times].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
}

function hitsOf({ hits, times }: ArmedFault): string {
  return times === undefined ? counted(hits, 'request') : `${hits} of ${counted(times, 'request')}`
}

/** A fault as its specification, for people. */
export function described({ id: _id, hits: _hits, passed: _passed, when, ...spec }: ArmedFault): string {
  return `${JSON.stringify(spec)}${when ? ' with a predicate' : ''}`
}

function whyNot(fault: ArmedFault, entry: JournalEntry): string {
  const name = `${entry.method} ${entry.path}`
  if (entry.fault === fault.id) return `${name}: met it.`
  if (entry.operation === null) return `${name}: is no operation of the API.`
  const ids = Object.fromEntries(entry.path.split('/').map((segment, place) => [String(place), segment]))
  const { operation, method, path, request: input } = entry
  const reasons = reasonsOf(fault, { operation, method, path, ids, input })
  return `${name}: ${reasons.join(', and ') || `matched, but met ${entry.fault ?? 'nothing: it came too early, or was refused before'}`}.`
}

/** A predicate that throws must not hide what else there is to say. */
function reasonsOf(fault: ArmedFault, request: FaultRequest): string[] {
  try {
    return mismatches(fault, request)
  } catch (error) {
    return [`its predicate threw ${quote(String(error))}`]
  }
}
