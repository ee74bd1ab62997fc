import { moment, readOptions, duration as spanOfTime } from '../schema/options.ts'
import { type Duration, LATEST_TIME, timestamp } from '../schema/time.ts'
import { accessor } from '../schema/values.ts'
import type { Clock, ClockFollower } from './clock.ts'
import { ClockTime } from './clock-time.ts'

/** A time as it can be named: an RFC 3339 timestamp, ms since 1970, or a `Date`. */
export type Time = string | number | Date

/**
 * A clock that stays where it is until the test moves it. A move stops at each time at which something is due: an event of
 * a gateway that runs by it, a delayed answer, a timer of `timersOn`; at one time gateways come first. When it returns, all
 * of that has happened. The moves that end with `Async` also let promises and timers of the code under test run at each
 * stop.
 */
export interface ManualClock extends Clock {
  /** The time in ms since 1970. */
  readonly now: number
  /** Calls a gateway or timers on every move from now on. Returns a function that ends that. */
  attach(follower: ClockFollower): () => void
  /** Advances the time. @throws TypeError when the duration is none. */
  advance(duration: Duration): void
  /** Advances the time to a moment. @throws RangeError when that is in the past; see `set`. */
  advanceTo(time: Time): void
  /** Advances the time to the next event that is due in a gateway; false, and no move, where nothing is. */
  advanceToNext(): boolean
  /**
   * Like `advance`, and at each stop the code under test runs as far as it can without more time: for an application
   * that waits on timers of this clock and calls `gateway.fetch` in between. No real time passes, and no timer of the
   * host is used, faked or not.
   * @throws Error when it continues without end: 10,000 stops at one time, or 1,000,000 in all.
   */
  advanceAsync(duration: Duration): Promise<void>
  /** Like `advanceTo`, letting the code under test run at each stop; see `advanceAsync`. */
  advanceToAsync(time: Time): Promise<void>
  /** Like `advanceToNext`, letting the code under test run first and at each stop; see `advanceAsync`. */
  advanceToNextAsync(): Promise<boolean>
  /** When the next event is due in a gateway, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined
  /** Sets the time, also back, and ends a move that is under way. No timer fires; gateways settle what is due by then. */
  set(time: Time): void
  /** Sets the time back to the start, drops all timers on this clock, and ends a move that is under way. */
  reset(): void
}

/**
 * Makes a manual clock: a number with methods.
 *
 * @example
 * ```ts
 * import { createGateway, manualClock } from 'fauxgate'
 * const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
 * gateway.clock.advance('30s')
 * ```
 * @throws TypeError when `start` is not a time.
 */
export function manualClock(start: Time): ManualClock {
  const startMs = requireTime(start)
  const time = new ClockTime(startMs)
  const { followers } = time
  const after = (duration: Duration) => requireInRange(time.now + requireDuration(duration))
  const later = (moment: Time) => requireNotPast(requireTime(moment), time.now)
  const moves: Omit<ManualClock, 'now'> = {
    attach: (follower) => followers.add(follower),
    waitUntil: (at) => time.moveTo(requireInRange(at)),
    advance: (duration) => time.moveTo(after(duration)),
    advanceTo: (moment) => time.moveTo(later(moment)),
    advanceToNext() {
      const next = time.nextDueAt()
      if (next !== undefined) time.moveTo(next)
      return next !== undefined
    },
    async advanceAsync(duration) {
      const to = after(duration)
      await time.moveToAsync(() => to)
    },
    async advanceToAsync(moment) {
      const to = later(moment)
      await time.moveToAsync(() => to)
    },
    advanceToNextAsync: () => time.moveToAsync(() => time.nextDueAt()),
    nextDueAt: () => followers.nextDueAt(),
    set(moment) {
      time.setTo(requireTime(moment))
      followers.settleGateways()
    },
    reset() {
      time.setTo(startMs)
      followers.dropTimers()
      followers.settleGateways()
    },
  }
  return withNow(moves, time)
}

const withNow = /* @__PURE__ */ accessor('now', (time: ClockTime) => time.now)

const anyDuration = /* @__PURE__ */ spanOfTime()
const anyMoment = /* @__PURE__ */ moment()

function requireDuration(duration: Duration): number {
  return readOptions(anyDuration, duration, { whole: 'The duration' })
}

function requireTime(time: Time): number {
  return requireInRange(Math.floor(readOptions(anyMoment, time, { whole: 'The time' })))
}

function requireNotPast(ms: number, now: number): number {
  if (ms >= now) return ms
  throw new RangeError(`The time is ${timestamp(ms)}, in the past. Allowed: ${timestamp(now)} or later.`)
}

function requireInRange(ms: number): number {
  if (ms >= 0 && ms <= LATEST_TIME) return ms
  throw new RangeError(`The time is ${ms} ms. Allowed: from 0, in 1970, to ${LATEST_TIME}, the end of the year 9999.`)
}
