import { abortable } from '../core/engine/clock.ts'
import { createTimeoutSignal, type fakeTimersOn, type SetTimeout } from './fake-timers.ts'
import { promisify } from './fake-timers-util.ts'
import type { LocalTimes } from './local-times.ts'
import type { ReplacedGlobals } from './replaced-globals.ts'

/** A test's timers on the gateway's clock, until `restore` is called. */
export interface ReplacedTimers {
  restore(): void
  /** Makes `waiting` return the same result from now on. `restore` does this too. */
  freeze(): void
  /** The timers that code waits for, earliest first. */
  waiting(): readonly WaitingTimer[]
  /** The local times that the code has used. */
  readonly localTimes: LocalTimes
  /** Returns true if the clock has moved since the timers were replaced. */
  hasMoved(): boolean
}

/** A timer that is waiting for the clock. */
export interface WaitingTimer {
  /** The time at which it is due, in ms. */
  readonly at: number
  /** The request with the most recent response or failure before the timer was set, or undefined if there was none. */
  readonly setAfter: string | undefined
}

/** A timer's handle, which is a number in browsers. */
export type TimerHandle = number | object

/** Returns false for a timer that nothing waits for, such as the timers with which clients watch their connections. */
export const keepsProcessAlive = (handle: TimerHandle | undefined): boolean => Object(handle).hasRef?.() !== false

/** The timers and dates that replace the host's. */
interface Replacement extends Pick<ReturnType<typeof fakeTimersOn>, 'fake'> {
  readonly setTimeout: object
  readonly setInterval: object
  /** Replaces `Date`. */
  readonly dates: typeof Date
  /** Sets the timer of `AbortSignal.timeout`. It limits another wait, and does not count as a wait. */
  readonly setSignalTimer: SetTimeout
}

interface SleepOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

/** Returns Node's timer modules, or undefined on other hosts. */
function readTimerModules() {
  const nodeModule = globalThis.process?.getBuiltinModule
  return {
    timers: nodeModule?.('node:timers'),
    promises: nodeModule?.('node:timers/promises'),
    /** Makes changes to these modules visible to code that imported members by name. */
    syncExports: () => nodeModule?.('node:module')?.syncBuiltinESMExports?.(),
  }
}

/** Replaces the host's timers and dates: the globals, and the functions in Node's `timers` and `timers/promises` modules. */
export function replaceTimers(
  globals: ReplacedGlobals,
  { fake, setTimeout, setInterval, dates, setSignalTimer }: Replacement,
): void {
  const { timers, promises, syncExports } = readTimerModules()
  globals.addUndo(() => {
    syncExports()
    return undefined
  })
  async function* sleepRepeatedly(...args: Parameters<typeof sleep>) {
    for (;;) yield await sleep(...args)
  }
  const { clearTimeout, clearInterval } = fake
  const replaced = {
    setTimeout: Object.assign(setTimeout, { [promisify.custom]: sleep }),
    ...{ setInterval, clearTimeout, clearInterval },
  }
  globals.replace(globalThis, { ...replaced, Date: dates })
  globals.replace(timers, replaced, 'timers.')
  globals.replace(promises, { setTimeout: sleep, setInterval: sleepRepeatedly }, 'timers.promises.')
  globals.replace(promises?.scheduler, { wait: (ms: number) => sleep(ms) }, 'timers.promises.scheduler.')
  globals.replace(performance, { now: () => fake.performance.now() }, 'performance.')
  const timeout = (ms: number) => createTimeoutSignal(ms, setSignalTimer)
  globals.replace(AbortSignal, { timeout }, 'AbortSignal.')
  syncExports()
}

/** Waits like `setTimeout` from Node's `timers/promises`. */
async function sleep(ms?: number, value?: unknown, { signal, ref = true }: SleepOptions = {}) {
  const start = (resolve: () => void) => {
    const handle = globalThis.setTimeout(resolve, ms)
    if (!ref) handle.unref?.()
    return () => clearTimeout(handle)
  }
  try {
    await abortable(signal, start)
  } catch (cause) {
    throw Object.assign(new Error('The operation was aborted', { cause }), { name: 'AbortError', code: 'ABORT_ERR' })
  }
  return value
}
