import { atCaller } from '../schema/caller-stack.ts'
import { moment, readOptions, duration as spanOfTime } from '../schema/options.ts'
import { type Duration, exactTimestamp, LATEST_TIME } from '../schema/time.ts'
import type { Clock, ClockFollower } from './clock.ts'
import { ClockTime } from './clock-time.ts'

/** A time: an RFC 3339 timestamp such as `2026-01-01T00:00:00Z`, a number of ms since the Unix epoch, or a `Date`. */
export type Time = string | number | Date

/**
 * A clock that moves only when the test moves it. Each move runs everything that falls due in the meantime, in chronological order: gateway
 * events, delayed responses, and timers created by `timersOn`. At equal times, gateway events come first. The methods ending in `Async`
 * also let promises and timers of the code under test run at each stop.
 */
export interface ManualClock extends Clock {
  /** The time in ms since the Unix epoch. */
  readonly now: number
  /** Attaches a follower (a gateway or timers), to be called on each later move. Returns a function that detaches it. */
  attach(follower: ClockFollower): () => void
  /**
   * Advances the clock, for example by `'30s'` or `30_000` ms, and runs everything that falls due, in order.
   * @throws TypeError if the duration is not valid; RangeError if the new time is after the year 9999.
   */
  advance(duration: Duration): void
  /**
   * Advances the clock to a time, for example `'2026-03-01T00:00:00Z'`, and runs everything that falls due, in order.
   * @throws RangeError if the time is in the past; `set` can go back.
   */
  advanceTo(time: Time): void
  /**
   * Advances the clock to a gateway's next event, such as an attempt, a renewal, or a delayed response, and returns true. Returns false
   * without moving if nothing is due.
   * @throws RangeError if the event is due after the year 9999.
   */
  advanceToNext(): boolean
  /**
   * Advances the clock like `advance`, and at each stop, lets the code under test run as far as it can without time passing. Use it for
   * code that waits for timers on this clock and sends requests in between. No real time passes.
   * @throws Error if the move doesn't end after 10,000 stops at the same time or 1,000,000 stops in total.
   *
   * @example
   * ```ts
   * const done = provision(gateway) // polls with the setTimeout of timersOn(gateway.clock)
   * await gateway.clock.advanceAsync('1h')
   * await done
   * ```
   */
  advanceAsync(duration: Duration): Promise<void>
  /** Advances the clock to a time like `advanceTo`, and lets the code under test run at each stop; see `advanceAsync`. */
  advanceToAsync(time: Time): Promise<void>
  /** Lets the code under test run, then advances the clock like `advanceToNext`; see `advanceAsync`. */
  advanceToNextAsync(): Promise<boolean>
  /** Returns the time at which the next event of a gateway is due, in ms since the Unix epoch, or undefined if nothing is due. */
  nextDueAt(): number | undefined
  /**
   * Sets the time, forward or back. Gateways run everything that is due by then. No timer fires, and each timer keeps its remaining time. A
   * move in progress ends.
   */
  set(time: Time): void
  /** Sets the time back to the start, and drops all timers on this clock. A move in progress ends. */
  reset(): void
}

/**
 * Creates a clock that moves only when you move it.
 *
 * @example
 * ```ts
 * import { createGateway, manualClock } from 'fauxgate'
 * const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
 * gateway.clock.advance('30s')
 * ```
 * @throws TypeError if `start` is not a time.
 */
export function manualClock(start: Time): ManualClock {
  const startMs = requireTime(start)
  const time = new ClockTime(startMs)
  const { followers } = time
  const after = (duration: Duration) => requireInRange(time.now + requireDuration(duration))
  const later = (moment: Time) => requireNotPast(requireTime(moment), time.now)
  const next = () => {
    const at = time.nextDueAt()
    return at === undefined ? undefined : requireInRange(at)
  }
  return {
    get now() {
      return time.now
    },
    attach: (follower) => followers.add(follower),
    waitUntil: (at) => time.moveTo(requireTime(at)),
    advance: (duration) => time.moveTo(after(duration)),
    advanceTo: (moment) => time.moveTo(later(moment)),
    advanceToNext() {
      const to = next()
      if (to !== undefined) time.moveTo(to)
      return to !== undefined
    },
    async advanceAsync(duration) {
      const to = after(duration)
      await time.moveToAsync(() => to)
    },
    async advanceToAsync(moment) {
      const to = later(moment)
      await time.moveToAsync(() => to)
    },
    advanceToNextAsync: () => time.moveToAsync(next),
    nextDueAt: () => followers.earliest((each) => each.nextDueAt()),
    set(moment) {
      time.setTo(requireTime(moment))
      followers.settleGateways()
    },
    reset() {
      time.setTo(startMs)
      followers.each((follower) => follower.timers?.reset())
      followers.settleGateways()
    },
  }
}

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
  throw atCaller(
    new RangeError(`The time is ${exactTimestamp(ms)}, in the past. Allowed: ${exactTimestamp(now)} or later.`),
  )
}

function requireInRange(ms: number): number {
  if (ms >= 0 && ms <= LATEST_TIME) return ms
  throw atCaller(
    new RangeError(`The time is ${ms} ms. Allowed: 0 (1970) to ${LATEST_TIME} (the end of the year 9999).`),
  )
}
