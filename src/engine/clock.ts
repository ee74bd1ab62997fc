import { LATEST_TIME } from '../schema/time.ts'
import { abortable } from './abortable.ts'

/**
 * Where a gateway's time comes from: anything with a `now` in ms since 1970, as a function or as a number that
 * someone moves (such as a fake-timers clock).
 */
export interface Clock {
  /** The time in ms since 1970. */
  readonly now: number | (() => number)
  /** Waits until a time in ms is reached, or a signal ends that; a clock that a test owns goes there at once. */
  waitUntil?(at: number, signal?: AbortSignal): void | Promise<void>
  /** Tells the clock of a gateway that runs by it, once something is due there. It should not keep the gateway alive. */
  attach?(follower: ClockFollower): void
  /** Keeps a gateway alive while someone waits for it or listens to it. Answers what ends that. */
  hold?(follower: ClockFollower): () => void
}

/** What a manual clock knows of who runs by it: a gateway, or timers. */
export interface ClockFollower {
  /** When its next event is due, in ms, or undefined where nothing is. Timers have no events. */
  nextDueAt(): number | undefined
  /** Where the clock must stop on its way: for an event, for whoever waits, or for a timer. */
  nextStopAt(): number | undefined
  /** Handles what is due. */
  settle(): void
  /** Called before a move that lets nobody else go on at its stops. Answers what is to be called at its end. */
  moves?(): () => void
  /** Set where these are timers: they come after all gateways, and must know when time does not pass but is set. */
  readonly timers?: {
    /** Keeps what is left of every timer. Called before the clock stands at that time. */
    timeSet(ms: number): void
    /** Drops every timer. */
    reset(): void
  }
}

/** The system clock, read at each call through the current globals, so that faked dates and timers apply. */
export const systemClock: Clock = { now: () => Date.now(), waitUntil: waitForSystemTime }

/** The longest wait that a host timer can do. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** The only timer of the gateway: for `provisioning.settled` and for delayed answers on the system clock. */
async function waitForSystemTime(at: number, signal?: AbortSignal): Promise<void> {
  for (let left = at - Date.now(); left > 0; left = at - Date.now())
    await timer(Math.min(left, LONGEST_WAIT_MS), signal)
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  // One pair, also when the globals are faked meanwhile.
  const { setTimeout, clearTimeout } = globalThis
  return abortable(signal, (resolve) => {
    const id = setTimeout(resolve, ms)
    return () => clearTimeout(id)
  })
}

/** Begins to measure how long something works, in ms of the host. Answers the ms so far. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}

/** Reads a clock. Throws a RangeError when its time is not a number of ms from 1970 to the year 9999. */
export function readClock(clock: Clock): number {
  const now = typeof clock.now === 'function' ? clock.now() : clock.now
  if (!(now >= 0 && now <= LATEST_TIME)) {
    throw new RangeError(`The clock's time is ${now}. Allowed are ms since 1970, up to the year 9999.`)
  }
  return now
}
