/**
 * Where a gateway's time comes from: anything with a `now` in ms since 1970, as a function or as a number that
 * someone moves (such as a fake-timers clock).
 */
export interface Clock {
  readonly now: number | (() => number)
}

/** The system clock, read at each call through the current global, so that faked dates apply. */
export const systemClock: Clock = { now: () => Date.now() }

/** The latest time that the wire's timestamps can show: the end of the year 9999. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Reads a clock. Throws a RangeError when its time is not a number of ms from 1970 to the year 9999. */
export function readClock(clock: Clock): number {
  const now = typeof clock.now === 'function' ? clock.now() : clock.now
  if (!(now >= 0 && now <= LATEST)) {
    throw new RangeError(`The clock's time is ${now}. Allowed are ms since 1970, up to the year 9999.`)
  }
  return now
}
