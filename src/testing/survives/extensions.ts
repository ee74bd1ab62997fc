import type { Event } from './arrivals.ts'
import type { Failure } from './failures.ts'
import type { RunRecord } from './record.ts'
import type { ScheduledFault } from './types.ts'

/** Returns the schedules that add one failure to a run, after its last failure. */
export function extensionsOf(
  { arrivals: { events }, schedule }: RunRecord,
  failures: readonly Failure[],
): ScheduledFault[][] {
  const last = events.findLastIndex(({ failure }) => failure)
  const repeated = repeatedPolls(events)
  const next = events.slice(last + 1).filter((event) => !repeated.has(event))
  return next.flatMap((event) => {
    const { at, nth } = event
    return failures.filter((each) => fits(each, event)).map(({ name }) => [...schedule, { at, nth, fault: name }])
  })
}

function fits(failure: Failure, { type, hasChanged, response }: Event): boolean {
  if (failure.type !== type || (failure.needsChange && !hasChanged)) return false
  return !failure.needsBody || (response?.body?.length ?? 0) > 1
}

/**
 * Returns the polls at which no failures need to be tried. In a series of equal requests with equal responses, failures are tried
 * at the first two and the last.
 */
function repeatedPolls(events: readonly Event[]): ReadonlySet<Event> {
  const rows = new Map<string, Event[]>()
  let changes = 0
  for (const event of events) {
    const { description, response, hasChanged, failure } = event
    if (hasChanged || failure) {
      changes++
    } else {
      const key = `${changes} ${description} ${response?.status} ${response?.body}`
      const row = rows.get(key)
      if (row) row.push(event)
      else rows.set(key, [event])
    }
  }
  return new Set([...rows.values()].flatMap((row) => row.slice(2, -1)))
}
