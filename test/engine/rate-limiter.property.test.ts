import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RateLimiter } from '../../src/engine/rate-limiter.ts'
import { Refusal } from '../../src/schema/errors.ts'
import { check } from '../support/property.ts'

/** The same in the plainest words: all times are kept, and each request counts those of its window. */
class EveryTime {
  #times: number[] = []

  constructor(readonly limit: { readonly requests: number; readonly window: number }) {}

  /** The seconds to wait, or undefined where the request counts. */
  take(now: number): number | undefined {
    const { requests, window } = this.limit
    this.#times = this.#times.filter((at) => at > now - window && at <= now)
    if (this.#times.length < requests) {
      this.#times.push(now)
      return undefined
    }
    return Math.ceil((Math.min(...this.#times) + window - now) / 1000)
  }

  get times(): readonly number[] {
    return this.#times
  }

  set times(times: readonly number[]) {
    this.#times = [...times].sort((a, b) => a - b)
  }
}

/** The seconds that a refused request is told to wait, or undefined for one that is let through. */
function taken(limiter: RateLimiter, now: number): number | undefined {
  try {
    limiter.take(now)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return Number(error.headers['Retry-After'])
  }
}

/** Mostly on, by less or more than a window, and now and then back. */
const step = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 400 }) },
  { weight: 2, arbitrary: fc.nat({ max: 5000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -3000, max: 0 }) },
)

describe('A rate limiter', () => {
  it('lets through and refuses what one does that keeps every time, whatever the clock does', () => {
    const limits = fc.record({ requests: fc.integer({ min: 1, max: 8 }), window: fc.constantFrom(1000, 1500, 3000) })
    check(
      fc.property(limits, fc.array(step, { maxLength: 200 }), (limit, steps) => {
        const limiter = new RateLimiter(limit)
        const model = new EveryTime(limit)
        let now = 1_000_000
        for (const by of steps) {
          now += by
          expect(taken(limiter, now)).toBe(model.take(now))
          expect(limiter.times).toEqual(model.times)
        }
      }),
    )
  })

  it('goes on from the times of a snapshot, in whatever order they stand there', () => {
    check(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 10 }), fc.array(step), (times, steps) => {
        const limit = { requests: 4, window: 1000 }
        const limiter = new RateLimiter(limit)
        const model = new EveryTime(limit)
        limiter.times = times
        model.times = times
        let now = 4000
        for (const by of steps) {
          now += by
          expect(taken(limiter, now)).toBe(model.take(now))
        }
      }),
    )
  })

  it('hands out its times, and keeps its own', () => {
    const limiter = new RateLimiter({ requests: 3, window: 1000 })
    limiter.take(1)
    const { times } = limiter
    limiter.take(2)
    expect([times, limiter.times]).toEqual([[1], [1, 2]])
  })
})
