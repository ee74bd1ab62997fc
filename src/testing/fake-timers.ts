import { createClock } from '@sinonjs/fake-timers'
import type { ClockFollower } from '../core/engine/clock.ts'
import type { ManualClock } from '../core/engine/manual-clock.ts'

/** Creates @sinonjs/fake-timers timers on a manual clock. Each move of the clock fires the timers that are due. */
export function fakeTimersOn(clock: ManualClock) {
  const fake = createClock(clock.now)
  // Code may cancel a timer that it set earlier on the platform's clock.
  const { clearTimeout: _clearTimeout, clearInterval: _clearInterval, clearImmediate: _clearImmediate } = globalThis
  Object.assign(fake, { shouldClearNativeTimers: true, _clearTimeout, _clearInterval, _clearImmediate })
  /** The lead of the dates of these timers over the clock, in ms. */
  let ahead = 0
  // The time of these timers is the clock's time.
  Object.defineProperty(fake, 'now', { get: () => clock.now + ahead, set: () => undefined })
  const drop = () => {
    fake.reset()
    fake.setSystemTime(fake.now + fake.performance.now())
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
  // As on the platform, intervals are at least 1 ms.
  const setInterval = (work: () => void, ms?: number, ...args: unknown[]) =>
    fake.setInterval(work, Math.max(1, Number(ms) || 0), ...args)
  return {
    fake,
    setInterval,
    /** Drops all timers. */
    drop,
    /** Returns the time in ms at which the next timer is due. */
    nextStopAt,
    /** Sets how many ms the dates are ahead of the clock. The time left on each timer does not change. */
    setAhead(ms: number) {
      fake.setSystemTime(clock.now + ms)
      ahead = ms
    },
  }
}

export type SetTimeout = (work: () => void, ms: number) => unknown

/** Returns a signal like that of `AbortSignal.timeout`, using these timers instead of the platform's timers. */
export function createTimeoutSignal(ms: number, setTimer: SetTimeout): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  // Timer handles in browsers are numbers.
  const handle = setTimer(abort, ms) as { unref?(): void }
  handle.unref?.()
  return controller.signal
}
