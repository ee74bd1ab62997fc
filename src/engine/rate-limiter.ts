import { refuse } from '../contract/errors.ts'
import { general } from '../contract/general-errors.ts'

/** How many requests an account may make within a rolling window; the window in ms. */
export interface RateLimit {
  readonly requests: number
  readonly window: number
}

/** Counts the requests of the last window, on the gateway's clock. */
export class RateLimiter {
  /** In ascending order; those that count no more stand at the beginning until they are half of all. */
  #times: number[] = []
  #passed = 0

  constructor(readonly limit: RateLimit) {}

  /** Counts a request, or refuses it (`too_many_requests`, with `Retry-After`). A refused request does not count. */
  take(now: number): void {
    const { requests, window } = this.limit
    this.#forget(now)
    if (this.#times.length - this.#passed < requests) {
      this.#times.push(now)
      return
    }
    const wait = Math.ceil(((this.#times[this.#passed] as number) + window - now) / 1000)
    const values = { limit: requests, seconds: window / 1000, wait }
    refuse(general.too_many_requests, values, {}, { 'Retry-After': String(wait) })
  }

  /** Forgets what a window ago has passed and, of a clock that was moved back, what has not come yet. */
  #forget(now: number): void {
    const { window } = this.limit
    while (this.#times.length > this.#passed && (this.#times.at(-1) as number) > now) this.#times.pop()
    while (this.#passed < this.#times.length && (this.#times[this.#passed] as number) <= now - window) this.#passed++
    if (this.#passed < this.#times.length / 2) return
    this.#times = this.#times.slice(this.#passed)
    this.#passed = 0
  }

  /** The times that count, for a snapshot. */
  get times(): readonly number[] {
    return this.#times.slice(this.#passed)
  }

  set times(times: readonly number[]) {
    this.#times = [...times].sort((a, b) => a - b)
    this.#passed = 0
  }
}
