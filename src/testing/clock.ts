import type { ManualClock } from '../core/engine/manual-clock.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { quote } from '../core/schema/text.ts'
import { createTimeoutSignal, fakeTimersOn, type SetTimeout } from './fake-timers.ts'

/** The type of a global, or `never` if the platform lacks it. */
type Global<Name extends string> = typeof globalThis extends Readonly<Record<Name, infer Type>> ? Type : never

/** The platform's global `AbortSignal`. */
export interface AbortSignals {
  /** The members of a signal. */
  readonly prototype: AbortSignal
  new (): AbortSignal
  /** Returns a signal that is already aborted. */
  abort(reason?: unknown): AbortSignal
  /** Returns a signal that aborts as soon as one of the given signals aborts. */
  any(signals: AbortSignal[]): AbortSignal
  /** Returns a signal that aborts after this many ms. */
  timeout(ms: number): AbortSignal
}

/** The platform's timers and dates on a manual clock. Each has the type of the global with the same name. */
export interface Timers {
  /** Calls the function once, when the clock reaches the due time. */
  readonly setTimeout: typeof globalThis.setTimeout
  /** Cancels a timer set with `setTimeout`. */
  readonly clearTimeout: typeof globalThis.clearTimeout
  /** Calls the function repeatedly as the clock moves. */
  readonly setInterval: typeof globalThis.setInterval
  /** Cancels a timer set with `setInterval`. */
  readonly clearInterval: typeof globalThis.clearInterval
  /** Calls the function the next time the clock moves. */
  readonly setImmediate: Global<'setImmediate'>
  /** Cancels a timer set with `setImmediate`. */
  readonly clearImmediate: Global<'clearImmediate'>
  /** A `Date` whose current time is the clock's time. */
  readonly Date: typeof globalThis.Date
  /** An `AbortSignal` whose `timeout` follows the clock. */
  readonly AbortSignal: AbortSignals
  /** Counts from the creation of the timers, or from the most recent `reset` of the clock. The clock's `set` does not affect the count. */
  readonly performance: { now(): number }
  /** Returns the number of pending timers. */
  count(): number
}

/**
 * Creates timers for the code under test, on the gateway's own clock. Each move of the clock fires them at their due times, interleaved
 * with the gateway's events. `clock.advanceAsync` also lets promises resolve between timers, and `clock.reset()` drops all timers. The
 * timers come from @sinonjs/fake-timers, and work in Node, Bun, Deno, and browsers, but not in workerd.
 *
 * @example
 * ```ts
 * import { manualClock } from 'fauxgate'
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { timersOn } from 'fauxgate/clock'
 * const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
 * const { setTimeout } = timersOn(gateway.clock)
 * let isOver = false
 * void new Promise<void>((resolve) => setTimeout(resolve, 3_600_000)).then(() => (isOver = true))
 * await gateway.clock.advanceAsync('1h')
 * isOver // true
 * ```
 */
export function timersOn(clock: ManualClock): Timers {
  if (!clock || typeof clock.attach !== 'function') {
    throw atCaller(
      new TypeError(`timersOn received ${quote(clock)}. Allowed: a manual clock, such as one from manualClock().`),
    )
  }
  const { fake, setInterval } = fakeTimersOn(clock)
  const { setTimeout, clearTimeout, clearInterval, setImmediate, clearImmediate } = fake
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate }
  return {
    // The types of fake-timers omit the platform's additions, such as Node's handles.
    ...(timers as unknown as Pick<Timers, keyof typeof timers>),
    Date: fake.Date,
    AbortSignal: abortSignalOn(setTimeout),
    performance: { now: () => fake.performance.now() },
    count: () => fake.countTimers(),
  }
}

/** Returns the platform's `AbortSignal` with a `timeout` that uses the given timers. */
function abortSignalOn(setTimeout: SetTimeout): AbortSignals {
  const timeout = (ms: number) => createTimeoutSignal(ms, setTimeout)
  return new Proxy(globalThis.AbortSignal, {
    get: (target, name) => (name === 'timeout' ? timeout : Reflect.get(target, name)),
  })
}
