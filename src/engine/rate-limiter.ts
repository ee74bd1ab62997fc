import { RollingWindow } from '../operation/rolling-window.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'

/** The most requests of an account within a rolling window; the window is in ms. */
interface RateLimit {
  readonly requests: number
  readonly window: number
}

/** Counts the requests of the last window, on the gateway's clock. */
export class RateLimiter {
  #window: RollingWindow

  constructor(readonly limit: RateLimit) {
    this.#window = this.#with([])
  }

  #with(times: readonly number[]): RollingWindow {
    return new RollingWindow({ max: this.limit.requests, window: this.limit.window }, times)
  }

  /** Counts a request, or refuses it (`too_many_requests`, with `Retry-After`). A refused request does not count. */
  take(now: number): void {
    const wait = this.#window.take(now)
    if (wait === undefined) return
    const values = { limit: this.limit.requests, seconds: this.limit.window / 1000, wait }
    refuse(general.too_many_requests, values, {}, { 'Retry-After': String(wait) })
  }

  /** The times that count, for a snapshot. */
  get times(): readonly number[] {
    return this.#window.times
  }

  set times(times: readonly number[]) {
    this.#window = this.#with(times)
  }
}
