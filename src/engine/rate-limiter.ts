import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'

/** The most requests of an account within a rolling window; the window is in ms. */
interface RateLimit {
  readonly requests: number
  readonly window: number
}

/** Counts the requests of the last window, on the gateway's clock. */
export class RateLimiter {
  /** The times of the requests that count, in ascending order. */
  #times: number[] = []

  constructor(readonly limit: RateLimit) {}

  /** Counts a request, or refuses it (`too_many_requests`, with `Retry-After`). A refused request does not count. */
  take(now: number): void {
    const { requests, window } = this.limit
    this.#forget(now)
    if (this.#times.length < requests) {
      this.#times.push(now)
      return
    }
    const [oldest = now] = this.#times
    const wait = Math.ceil((oldest + window - now) / 1000)
    const values = { limit: requests, seconds: window / 1000, wait }
    refuse(general.too_many_requests, values, {}, { 'Retry-After': String(wait) })
  }

  /** Forgets what a window ago has passed and, of a clock that was moved back, what has not come yet. */
  #forget(now: number): void {
    const times = this.#times
    while ((times.at(-1) ?? now) > now) times.pop()
    let passed = 0
    while ((times[passed] ?? now) <= now - this.limit.window) passed++
    times.splice(0, passed)
  }

  /** The times that count, for a snapshot. */
  get times(): readonly number[] {
    return [...this.#times]
  }

  set times(times: readonly number[]) {
    this.#times = [...times].sort((a, b) => a - b)
  }
}
