import { countOneMore } from '../operation/limit.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'

/** An account's maximum number of requests within a rolling window, in ms. */
interface RateLimit {
  readonly requests: number
  readonly window: number
}

/** Counts the requests in the last window, on the gateway's clock. */
export class RateLimiter {
  /** The times of the requests in the last window. Snapshots include these times. */
  times: readonly number[] = []

  constructor(readonly limit: RateLimit) {}

  /** Counts a request, or throws an error (`too_many_requests`, with `Retry-After`). A rejected request does not count. */
  take(now: number): void {
    const { requests, window } = this.limit
    const counted = countOneMore(this.times, { max: requests, window }, now)
    if ('wait' in counted) {
      const { wait } = counted
      const values = { limit: requests, seconds: window / 1000, wait }
      refuse(general.too_many_requests, values, {}, { 'Retry-After': String(wait) })
    }
    this.times = counted.times
  }
}
