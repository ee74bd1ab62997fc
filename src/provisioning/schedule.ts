import type { Due } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import { LATEST_TIME } from '../schema/time.ts'

/** A time in ms, rounded up to a whole second: when that happens which was scheduled (rules: time#whole-seconds). */
export function wholeSecond(ms: number): number {
  return Math.ceil(ms / 1000) * 1000
}

/**
 * Schedules an event for a time in ms. `at` is what is shown of it and, to the millisecond, when it happens. What lies
 * behind the last time that there is, in the year 9999, is shown as that and never happens: then `due` is null.
 */
export function scheduled(tx: Transaction, ms: number): { readonly at: number; readonly due: Due | null } {
  const at = wholeSecond(ms)
  return at > LATEST_TIME ? { at: LATEST_TIME, due: null } : { at, due: { at, order: tx.nextOrder() } }
}
