import { LATEST_TIME, roundUpToSecond } from '../schema/time.ts'
import type { Due } from './collection.ts'
import type { Transaction } from './transaction.ts'

// (rules: time#whole-seconds)
/**
 * Schedules an event for a time in ms, rounded up to a whole second. `at` is the time that the API shows for it. An event after the year
 * 9999 is shown at the end of 9999, and never happens: `due` is null.
 *
 * @example
 * ```ts
 * const { at: expires_at, due } = schedule(tx, tx.now + 3_600_000)
 * ```
 */
export function schedule(tx: Transaction, ms: number): { readonly at: number; readonly due: Due | null } {
  const at = roundUpToSecond(ms)
  return at > LATEST_TIME ? { at: LATEST_TIME, due: null } : { at, due: { at, order: tx.nextOrder() } }
}
