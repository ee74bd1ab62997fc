import { createClock } from '@sinonjs/fake-timers'
import { DURATION_ALLOWED, type Duration, durationMs } from '../contract/duration.ts'
import { quote } from '../contract/quote.ts'
import { LATEST_TIME, TIME_ALLOWED, timeMs, timestamp } from '../contract/view.ts'
import type { ManualClock as MovableClock } from '../engine/clock.ts'
import { ClockFollowers } from './clock-followers.ts'

/** Timers that stand on a manual clock. */
export type Timers = ReturnType<typeof createClock>

/** A time as it can be named: an RFC 3339 timestamp, ms since 1970, or a `Date`. */
export type Time = string | number | Date

/** A clock that stands until the test moves it. Every move settles the gateways that run by it before it returns. */
export interface ManualClock extends MovableClock {
  /** The time in ms since 1970. */
  readonly now: number
  /** The timers of code under test that is to stand on the same clock: `setTimeout`, `setInterval`, … of fake-timers. */
  readonly timers: Timers
  /** Moves the time on. @throws TypeError when the duration is none. */
  advance(duration: Duration): void
  /** Moves the time on to a moment. @throws RangeError when that is in the past; see `set`. */
  advanceTo(time: Time): void
  /** Moves the time on to the next event that is due in a gateway; false, and no move, where nothing is. */
  advanceToNext(): boolean
  /** When the next event is due in a gateway, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined
  /** Sets the time, also back. No timer fires; gateways settle what is due by then. */
  set(time: Time): void
  /** Goes back to the start and drops the timers that stand on it. */
  reset(): void
}

/**
 * Makes a manual clock, built on @sinonjs/fake-timers.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * import { manualClock } from 'fauxgate/clock'
 * const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
 * gateway.clock.advance('30s')
 * ```
 * @throws TypeError when `start` is not a time.
 */
export function manualClock(start: Time): ManualClock {
  const startMs = requireTime(start)
  const timers = createClock(startMs)
  const followers = new ClockFollowers()
  const moveTo = (ms: number) => {
    if (ms < timers.now) {
      throw new RangeError(`The time is ${timestamp(ms)}, in the past. Allowed: ${timestamp(timers.now)} or later.`)
    }
    requireInRange(ms)
    timers.tick(ms - timers.now)
    followers.settle()
  }
  return {
    get now() {
      return timers.now
    },
    timers,
    attach: (follower) => followers.add(follower),
    hold: (follower) => followers.hold(follower),
    waitUntil: moveTo,
    advance(duration) {
      const ms = durationMs(duration)
      if (ms === undefined) throw new TypeError(`The duration is ${quote(duration)}. Allowed: ${DURATION_ALLOWED}.`)
      moveTo(timers.now + ms)
    },
    advanceTo: (time) => moveTo(requireTime(time)),
    advanceToNext() {
      const next = followers.nextDueAt()
      if (next === undefined) return false
      moveTo(Math.max(next, timers.now))
      return true
    },
    nextDueAt: () => followers.nextDueAt(),
    set(time) {
      timers.setSystemTime(requireTime(time))
      followers.settle()
    },
    reset() {
      timers.reset()
      timers.setSystemTime(startMs)
    },
  }
}

function requireTime(time: Time): number {
  const ms = timeMs(time)
  if (ms === undefined) {
    throw new TypeError(`The time is ${quote(time)}. Allowed: ${TIME_ALLOWED}, a number of ms since 1970, or a Date.`)
  }
  return requireInRange(ms)
}

function requireInRange(ms: number): number {
  if (ms >= 0 && ms <= LATEST_TIME) return ms
  throw new RangeError(`The time is ${ms} ms. Allowed: from 0, in 1970, to ${LATEST_TIME}, the end of the year 9999.`)
}
