import { createClock } from '@sinonjs/fake-timers'
import type { ClockFollower } from '../engine/clock.ts'
import type { ManualClock } from '../engine/manual-clock.ts'

/** Timers of @sinonjs/fake-timers on a manual clock: each move of the clock fires them. */
export function fakeTimersOn(clock: ManualClock) {
  const fake = createClock(clock.now)
  /** The ms that the dates of these timers are ahead of the clock. */
  let ahead = 0
  // These timers keep no time of their own.
  Object.defineProperty(fake, 'now', { get: () => clock.now + ahead, set: () => undefined })
  const drop = () => {
    fake.reset()
    fake.setSystemTime(clock.now + fake.performance.now())
  }
  const nextStopAt = () => {
    const at = fake.timerHeap?.peek()?.callAt
    return at === undefined ? undefined : at - ahead
  }
  const follower: ClockFollower = {
    nextDueAt: () => undefined,
    nextStopAt,
    settle: () => void fake.tick(0),
    timers: { timeSet: (ms) => fake.setSystemTime(ms + ahead), reset: drop },
  }
  clock.attach(follower)
  // As on the platform, where no interval is shorter than 1 ms.
  const setInterval = (work: () => void, ms?: number, ...args: unknown[]) =>
    fake.setInterval(work, Math.max(1, Number(ms) || 0), ...args)
  return {
    fake,
    setInterval,
    /** Drops all timers. */
    drop,
    /** Returns when the next timer is due, in ms. */
    nextStopAt,
    /** Lets the dates be ahead of the clock by these ms; what timers have left of their time stays. */
    setAhead(ms: number) {
      fake.setSystemTime(clock.now + ms)
      ahead = ms
    },
  }
}
