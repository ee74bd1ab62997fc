import { expect, it } from 'vitest'
import { RateLimiter } from '../../../src/core/engine/rate-limiter.ts'
import { Refusal } from '../../../src/core/schema/errors.ts'

/** Returns the seconds that each rejected request must wait, and undefined for each accepted request. */
function takeAll(limiter: RateLimiter, times: readonly number[]): (number | undefined)[] {
  return times.map((now) => {
    try {
      limiter.take(now)
      return undefined
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Number(error.headers['Retry-After'])
    }
  })
}

it('A rate limiter counts the requests of a rolling window, but none after the present time of a clock that was set back', () => {
  const limiter = new RateLimiter({ requests: 2, window: 3000 })
  expect(takeAll(limiter, [0, 1000, 1000, 2999, 3000])).toEqual([undefined, undefined, 2, 1, undefined])
  expect(takeAll(limiter, [3001, 4000])).toEqual([1, undefined])
  expect(limiter.times).toEqual([3000, 4000])
  expect(takeAll(limiter, [3500, 3500])).toEqual([undefined, 3])
})

it('A rate limiter resumes from the times of a snapshot, in whatever order they are', () => {
  const limiter = new RateLimiter({ requests: 3, window: 1000 })
  limiter.times = [1900, 900, 1500]
  expect(takeAll(limiter, [2000, 2000, 2600])).toEqual([undefined, 1, undefined])
})
