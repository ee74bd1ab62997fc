import type { Duration } from '../contract/duration.ts'
import { LATEST_TIME } from '../contract/view.ts'

/**
 * Where a gateway's time comes from: anything with a `now` in ms since 1970, as a function or as a number that
 * someone moves (such as a fake-timers clock).
 */
export interface Clock {
  readonly now: number | (() => number)
  /** Waits until a time in ms is reached; a clock that a test owns goes there at once. */
  waitUntil?(at: number): void | Promise<void>
  /** Tells the clock of a gateway that runs by it. */
  attach?(follower: ClockFollower): void
}

/** What a manual clock knows of a gateway that runs by it. */
export interface ClockFollower {
  /** When its next event is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined
  /** Handles what is due. */
  settle(): void
}

/** A clock that stands until it is moved; made by `manualClock` of `fauxgate/clock`. */
export interface ManualClock extends Clock {
  readonly now: number
  advance(duration: Duration): void
  advanceTo(time: string | number | Date): void
  advanceToNext(): boolean
  set(time: string | number | Date): void
  reset(): void
}

/** Whether a clock can be moved by the names of {@link ManualClock}. */
export function isManual(clock: Clock): clock is ManualClock {
  const { advance, advanceTo, advanceToNext, set } = clock as Partial<ManualClock>
  return [advance, advanceTo, advanceToNext, set].every((move) => typeof move === 'function')
}

/** The system clock, read at each call through the current globals, so that faked dates and timers apply. */
export const systemClock: Clock = { now: () => Date.now(), waitUntil: waitForSystemTime }

/** The longest wait that a host timer can do. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** The only timer of the gateway: `provisioning.settled` on the system clock. */
async function waitForSystemTime(at: number): Promise<void> {
  for (let left = at - Date.now(); left > 0; left = at - Date.now()) {
    await new Promise<void>((resolve) => setTimeout(resolve, Math.min(left, LONGEST_WAIT_MS)))
  }
}

/** Reads a clock. Throws a RangeError when its time is not a number of ms from 1970 to the year 9999. */
export function readClock(clock: Clock): number {
  const now = typeof clock.now === 'function' ? clock.now() : clock.now
  if (!(now >= 0 && now <= LATEST_TIME)) {
    throw new RangeError(`The clock's time is ${now}. Allowed are ms since 1970, up to the year 9999.`)
  }
  return now
}
