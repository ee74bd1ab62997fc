import { findPendingAttempt } from '../../control/views/pending-attempt.ts'
import type { RunRecord } from './record.ts'

/** A provisioning attempt that would have run if the code had not given up. */
export interface MissedAttempt {
  readonly domain: string
  readonly isFirst: boolean
  /** The due time, in ms since the start of the run. */
  readonly time: number
  /** The time between the last event of the run and the attempt, in ms. */
  readonly later: number
}

/**
 * Lists the attempts that were still due when a run without failures ended, although its code rejected. The code may have given up too
 * early.
 */
export function listMissedAttempts(run: RunRecord): readonly MissedAttempt[] {
  const { arrivals, copies, gateway, schedule } = run
  if (schedule.length > 0 || !copies.some(({ settled }) => settled?.error)) return []
  const end = arrivals.events.at(-1)?.time ?? 0
  const deleted = gateway.requests.all().flatMap(({ commit }) => commit?.changes.filter(({ after }) => !after) ?? [])
  const domains = [...deleted.map(({ before }) => before), ...(gateway.snapshot().records.reserved_domains ?? [])]
  return domains.flatMap((each) => {
    const attempt = findPendingAttempt(each)
    const time = (attempt?.at ?? 0) - arrivals.start
    return attempt && time > end ? [{ ...attempt, time, later: time - end }] : []
  })
}
