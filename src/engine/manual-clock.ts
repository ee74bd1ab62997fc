import { accessor } from '../schema/accessor.ts'
import { type Callable, fromCaller } from '../schema/caller.ts'
import { moment, readOptions, duration as spanOfTime } from '../schema/options.ts'
import { type Duration, LATEST_TIME, timestamp } from '../schema/time.ts'
import type { Clock, ClockFollower } from './clock.ts'
import { ClockFollowers } from './clock-followers.ts'
import { Turns } from './turns.ts'

/** A time as it can be named: an RFC 3339 timestamp, ms since 1970, or a `Date`. */
export type Time = string | number | Date

/**
 * A clock that stands until the test moves it. A move stops at each time at which something is due: an event of a gateway
 * that runs by it, a delayed answer, a timer of `timersOn`; at one time gateways come first. When it returns, all of that
 * has happened. The moves that end with `Async` also let promises and timers of the code under test run at each stop.
 */
export interface ManualClock extends Clock {
  /** The time in ms since 1970. */
  readonly now: number
  attach(follower: ClockFollower): void
  hold(follower: ClockFollower): () => void
  /** Moves the time on. @throws TypeError when the duration is none. */
  advance(duration: Duration): void
  /** Moves the time on to a moment. @throws RangeError when that is in the past; see `set`. */
  advanceTo(time: Time): void
  /** Moves the time on to the next event that is due in a gateway; false, and no move, where nothing is. */
  advanceToNext(): boolean
  /**
   * Like `advance`, and at each stop the code under test goes on as far as it can without more time: for an application
   * that waits on timers of this clock and calls `gateway.fetch` in between. No real time passes, and no timer of the
   * host is used, faked or not.
   * @throws Error when it goes on without end: 10,000 stops at one time, or 1,000,000 in all.
   */
  advanceAsync(duration: Duration): Promise<void>
  /** Like `advanceTo`, letting the code under test go on at each stop; see `advanceAsync`. */
  advanceToAsync(time: Time): Promise<void>
  /** Like `advanceToNext`, letting the code under test go on first and at each stop; see `advanceAsync`. */
  advanceToNextAsync(): Promise<boolean>
  /** When the next event is due in a gateway, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined
  /** Sets the time, also back, and ends a move that is under way. No timer fires; gateways settle what is due by then. */
  set(time: Time): void
  /** Goes back to the start, drops the timers that stand on it, and ends a move that is under way. */
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
  const startMs = fromCaller(manualClock, () => requireTime(start))
  const time = new StandingTime(startMs)
  const { followers } = time
  const after = (duration: Duration, call: Callable) =>
    fromCaller(call, () => requireInRange(time.now + requireDuration(duration)))
  const later = (moment: Time, call: Callable) => fromCaller(call, () => requireNotPast(requireTime(moment), time.now))
  const moves: Omit<ManualClock, 'now'> = {
    attach: (follower) => followers.add(follower),
    hold: (follower) => followers.hold(follower),
    waitUntil: (at) => time.moveTo(requireInRange(at)),
    advance: (duration) => time.moveTo(after(duration, moves.advance)),
    advanceTo: (moment) => time.moveTo(later(moment, moves.advanceTo)),
    advanceToNext() {
      const next = time.nextDueAt()
      if (next !== undefined) time.moveTo(next)
      return next !== undefined
    },
    async advanceAsync(duration) {
      const to = after(duration, moves.advanceAsync)
      await time.moveToAsync(() => to)
    },
    async advanceToAsync(moment) {
      const to = later(moment, moves.advanceToAsync)
      await time.moveToAsync(() => to)
    },
    advanceToNextAsync: () => time.moveToAsync(() => time.nextDueAt()),
    nextDueAt: () => followers.nextDueAt(),
    set(moment) {
      time.setTo(fromCaller(moves.set, () => requireTime(moment)))
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

const withNow = /* @__PURE__ */ accessor('now', (time: StandingTime) => time.now)

/** A time that stands, and goes from stop to stop when it is moved. */
class StandingTime {
  readonly followers = new ClockFollowers()
  /** How often it was set. */
  #sets = 0

  /** `now` is in ms since 1970. */
  constructor(public now: number) {}

  /** When the next event is due, in ms, or now where that is past. */
  nextDueAt(): number | undefined {
    const next = this.followers.nextDueAt()
    return next === undefined ? undefined : Math.max(next, this.now)
  }

  moveTo(to: number): void {
    const end = this.followers.moves()
    try {
      for (const _ of this.#stops(to));
    } finally {
      end()
    }
  }

  /**
   * Lets others go on at each stop, and before `aim` is asked where to go. False, and no move, where that is nowhere, or
   * where one of them has set the time.
   */
  async moveToAsync(aim: () => number | undefined): Promise<boolean> {
    const turns = new Turns()
    const sets = this.#sets
    try {
      await turns.next()
      const to = aim()
      if (to === undefined || this.#sets !== sets) return false
      let stops = 0
      for (const _ of this.#stops(to)) {
        if (++stops > MOST_STOPS) throw new Error(endless(this.now, MOST_STOPS, 'in one move'))
        await turns.next()
      }
      return true
    } finally {
      turns.end()
    }
  }

  /** Puts the time somewhere else, and ends a move that is under way. */
  setTo(ms: number): void {
    this.followers.timeSet(ms)
    this.now = ms
    this.#sets++
  }

  /** Goes on to a time, and yields at each stop. Throws at the end what a follower has thrown first. */
  *#stops(to: number): Generator<void, void, void> {
    const sets = this.#sets
    let thrown: { readonly error: unknown } | undefined
    let stopsHere = 0
    for (let stop = this.#nextStopAt(); stop <= to || this.now < to; stop = this.#nextStopAt()) {
      stopsHere = stop > this.now ? 1 : stopsHere + 1
      if (stopsHere > MOST_STOPS_AT_ONE_TIME) throw new Error(endless(this.now, MOST_STOPS_AT_ONE_TIME, 'at one time'))
      // Whoever was called at a stop may have moved the time further.
      this.now = Math.max(this.now, Math.min(stop, to))
      try {
        this.followers.settle()
      } catch (error) {
        thrown ??= { error }
      }
      yield
      if (this.#sets !== sets) break
    }
    if (thrown) throw thrown.error
  }

  #nextStopAt(): number {
    return Math.max(this.now, this.followers.nextStopAt() ?? Number.POSITIVE_INFINITY)
  }
}

/** How often a move may stop at one and the same time, for things that make one another due. */
const MOST_STOPS_AT_ONE_TIME = 10_000

/** How often a move may stop in all where every stop waits for the code under test. */
const MOST_STOPS = 1_000_000

function endless(now: number, stops: number, where: string): string {
  return (
    `The clock stands at ${timestamp(now)}: it has stopped ${stops} times ${where}, and something is due still. ` +
    'Allowed: timers that wait longer before they are set again, or shorter moves.'
  )
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
  throw new RangeError(`The time is ${timestamp(ms)}, in the past. Allowed: ${timestamp(now)} or later.`)
}

function requireInRange(ms: number): number {
  if (ms >= 0 && ms <= LATEST_TIME) return ms
  throw new RangeError(`The time is ${ms} ms. Allowed: from 0, in 1970, to ${LATEST_TIME}, the end of the year 9999.`)
}
