import * as v from 'valibot'
import { collection } from '../core/operation/collection.ts'
import type { Transaction } from '../core/operation/transaction.ts'
import { count, instant, someText } from '../core/schema/record-schema.ts'
import { LATEST_TIME } from '../core/schema/time.ts'
import type { BreakerSettings, BreakerState } from '../service/policy/visit.ts'

const slots = v.array(v.object({ at: instant, requests: count }))

/** The requests counted by a rate limit, in each part of its window. */
export const windows = collection({
  name: 'traffic_windows',
  key: ({ key }) => key,
  schema: v.object({ key: someText, ends_at: instant, slots }),
})

/** The parts of a rate limit's window. Requests in the same part leave the window together. */
const PARTS = 60
/** Ended windows are removed each time the number of windows reaches a multiple of this number. */
const MANY = 1000

/**
 * Counts a request in a rate limit's sliding window, on the gateway's clock. Returns the seconds to wait before a retry, or undefined if
 * the limit isn't reached. Rejected requests don't count.
 */
export function countInWindow(tx: Transaction, key: string, capacity: number, window: number): number | undefined {
  const at = startOf(tx.now, window / PARTS)
  const current = (tx.get(windows, key)?.slots ?? []).filter((slot) => slot.at > at - window)
  const requests = current.reduce((sum, slot) => sum + slot.requests, 0)
  const [oldest] = current
  if (requests >= capacity && oldest) return Math.max(1, Math.ceil((oldest.at + window - tx.now) / 1000))
  const last = current.at(-1)
  const slots =
    last?.at === at ? [...current.slice(0, -1), { at, requests: last.requests + 1 }] : [...current, { at, requests: 1 }]
  if (tx.count(windows) % MANY === MANY - 1) removeEnded(tx)
  tx.put(windows, { key, ends_at: Math.min(at + window, LATEST_TIME), slots })
  return undefined
}

function removeEnded(tx: Transaction): void {
  for (const each of [...tx.newestFirst(windows)]) if (each.ends_at < tx.now) tx.remove(windows, each)
}

/** Returns the start of the window part that contains a time. */
function startOf(time: number, part: number): number {
  return Math.floor(Math.floor(time / part) * part)
}

/** The circuit breakers that have seen requests. */
export const breakers = collection({
  name: 'traffic_breakers',
  key: ({ key }) => key,
  schema: v.object({
    key: someText,
    /** The time at which the breaker tripped, in ms, or null while it is closed. */
    tripped_at: v.nullable(instant),
    /** True while a request tests whether the upstream works again. */
    is_trying: v.boolean(),
    buckets: v.array(v.object({ at: instant, requests: count, errors: count })),
  }),
})

type Breaker = v.InferOutput<typeof breakers.schema>

const closed = (key: string) => ({ key, tripped_at: null, is_trying: false, buckets: [] })

/** Lets a request pass a breaker. After `tripped` ms, an open breaker is half-open and lets one request pass at a time. */
export function enterBreaker(tx: Transaction, key: string, { tripped }: BreakerSettings): BreakerState {
  const breaker = tx.get(breakers, key)
  if (!breaker || breaker.tripped_at === null) return 'closed'
  if (breaker.is_trying || tx.now < breaker.tripped_at + tripped) return 'open'
  tx.put(breakers, { ...breaker, is_trying: true })
  return 'half open'
}

/** Reports the result of a request to the breaker that let it pass. */
export function leaveBreaker(tx: Transaction, key: string, settings: BreakerSettings, isError: boolean): void {
  const breaker: Breaker = tx.get(breakers, key) ?? closed(key)
  if (breaker.is_trying) {
    tx.put(breakers, isError ? { ...breaker, tripped_at: tx.now, is_trying: false } : closed(key))
    return
  }
  // A request that passed before the breaker tripped says nothing about the upstream's current state.
  if (breaker.tripped_at !== null) return
  const at = startOf(tx.now, settings.window / settings.buckets)
  const recent = breaker.buckets.filter((bucket) => bucket.at > at - settings.window)
  const last = recent.at(-1)
  const current = last?.at === at ? last : { at, requests: 0, errors: 0 }
  const counted = { at, requests: current.requests + 1, errors: current.errors + (isError ? 1 : 0) }
  const buckets = [...recent.filter((bucket) => bucket !== last || last.at !== at), counted]
  const sum = (name: 'requests' | 'errors') => buckets.reduce((total, bucket) => total + bucket[name], 0)
  const isTripped = sum('requests') >= settings.volume && sum('errors') >= settings.threshold * sum('requests')
  tx.put(breakers, { key, tripped_at: isTripped ? tx.now : null, is_trying: false, buckets: isTripped ? [] : buckets })
}

/** Tells the breaker that a request did not reach the upstream, although the breaker let it pass. */
export function releaseBreaker(tx: Transaction, key: string): void {
  const breaker = tx.get(breakers, key)
  if (breaker?.is_trying) tx.put(breakers, { ...breaker, is_trying: false })
}

/** Sign-ins to endpoints and routes. Each sign-in outlives its session. When the session ends, the person is signed out. */
export const signIns = collection({
  name: 'traffic_sign_ins',
  key: ({ key }) => key,
  schema: v.object({ key: someText, session_id: someText }),
})
