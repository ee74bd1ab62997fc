import { type Duration, LATEST_TIME } from '../schema/time.ts'

/**
 * The source of a gateway's time: an object whose `now` is the time in ms since the Unix epoch. `now` is a function, or a number that your
 * test changes, as with a @sinonjs/fake-timers clock.
 */
export interface Clock {
  /** The time in ms since the Unix epoch. */
  readonly now: number | (() => number)
  /**
   * Waits until a time in ms, or until a signal aborts. A manual clock advances to that time immediately. A background wait shouldn't keep
   * the process alive.
   */
  waitUntil?(at: number, signal?: AbortSignal, isBackground?: boolean): void | Promise<void>
  /**
   * Called with a follower for each gateway that uses this clock, once the gateway has a due event. May return a
   * function that detaches the follower; the gateway calls it when it is disposed.
   */
  attach?(follower: ClockFollower): unknown
}

/** A listener that a manual clock calls when it moves: a gateway or timers. */
export interface ClockFollower {
  /** Returns the time of the follower's next due event, in ms, or undefined if nothing is due. Timers have no events. */
  nextDueAt(): number | undefined
  /** Returns the time of the next stop: an event, the end of a wait, or a timer. */
  nextStopAt(): number | undefined
  /** Handles all events that are due by now. */
  settle(): void
  /**
   * Returns a promise while the follower has work that takes no time on the clock, such as delivering a response to a client. An
   * asynchronous move awaits the promise before it advances, and then calls this function again.
   */
  inProgress?(): Promise<unknown> | undefined
  /** Called before a synchronous move. Returns a function to call at the end of that move. */
  moves?(): () => void
  /** True for timers, which run after all gateways. Setting a clock lets no time pass, so the clock calls these functions instead. */
  readonly timers?: {
    /** Moves every timer to keep its remaining time the same. Called before the clock is set to `ms`. */
    timeSet(ms: number): void
    /** Drops every timer. */
    reset(): void
  }
}

/** A clock whose time stays constant until it is moved, such as a `manualClock`. */
export interface MovableClock extends Clock {
  readonly now: number
  advance(duration: Duration): void
  advanceTo(time: string | number | Date): void
  advanceToNext(): boolean
  nextDueAt?(): number | undefined
  set(time: string | number | Date): void
  reset(): void
}

export function isManual(clock: Clock): clock is MovableClock {
  return ['advance', 'advanceTo', 'advanceToNext', 'set'].every(
    (move) => typeof Reflect.get(clock, move) === 'function',
  )
}

/** The system clock. Each call reads the current globals, so faked dates and timers apply. */
export const systemClock: Clock = { now: () => Date.now(), waitUntil: waitForSystemTime }

/** The longest wait supported by a host timer. */
const MAX_WAIT_MS = 2 ** 31 - 1

/** Waits with a host timer, the only kind of timer that a gateway sets. Waiting calls and delayed responses use it. */
async function waitForSystemTime(at: number, signal?: AbortSignal, isBackground = false): Promise<void> {
  // Read all globals now, in case a test fakes them during the wait.
  const { Date: date, setTimeout, clearTimeout } = globalThis
  const timers = { setTimeout, clearTimeout }
  for (let left = at - date.now(); left > 0; left = at - date.now())
    await sleep(Math.min(left, MAX_WAIT_MS), timers, signal, isBackground)
}

function sleep(
  ms: number,
  { setTimeout, clearTimeout }: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>,
  signal: AbortSignal | undefined,
  isBackground: boolean,
): Promise<void> {
  return abortable(signal, (resolve) => {
    const id = setTimeout(resolve, ms)
    // Timers in browsers and workers are numbers.
    if (isBackground && typeof id === 'object') id.unref()
    return () => clearTimeout(id)
  })
}

/**
 * Creates a promise that a signal can abort. `start` starts the work, and returns a function that cancels it. That function is called as
 * soon as the promise settles. No listener outlives the promise.
 */
export function abortable(
  signal: AbortSignal | undefined,
  start: (resolve: () => void, reject: (reason: unknown) => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = (settle: () => void) => {
      signal?.removeEventListener('abort', abort)
      cancel()
      settle()
    }
    const abort = () => end(() => reject(signal?.reason))
    const cancel = start(
      () => end(resolve),
      (reason) => end(() => reject(reason)),
    )
    signal?.addEventListener('abort', abort)
  })
}

/** Starts a stopwatch on the host's clock. Returns a function that returns the number of ms since the start. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}

/**
 * Starts a stopwatch that runs while the host's event loop has nothing to do, as when code waits for a timer. Returns a function that
 * returns the number of ms since the start: 0 on hosts that don't measure this time.
 */
export function idleStopwatch(): () => number {
  const measure = (since?: object): { readonly idle: number } | undefined =>
    Object(performance).eventLoopUtilization?.(since)
  const start = measure()
  return () => (start && measure(start)?.idle) ?? 0
}

/** Reads a clock. Throws a RangeError unless its time is a number of ms between 1970 and the year 9999. */
export function readClock(clock: Clock): number {
  const source = clock.now
  const now = typeof source === 'function' ? source.call(clock) : source
  if (!(now >= 0 && now <= LATEST_TIME)) {
    throw new RangeError(`The clock's time is ${now}. Allowed: epoch milliseconds, up to the year 9999.`)
  }
  return now
}
