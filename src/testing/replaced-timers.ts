import { abortable } from '../core/engine/clock.ts'
import { createTimeoutSignal, type fakeTimersOn } from './fake-timers.ts'
import { promisify } from './fake-timers-util.ts'
import type { ReplacedGlobals } from './replaced-globals.ts'

/** The timers of a test that are on the gateway's clock, until `restore`. */
export interface ReplacedTimers {
  restore(): void
  /** The number of timers that wait for the clock, or that waited when they were restored. */
  count(): number
  /** Returns true if the clock has moved since the timers were replaced. */
  hasMoved(): boolean
}

/** The timers that replace those of the host. */
interface Replacement extends Pick<ReturnType<typeof fakeTimersOn>, 'fake'> {
  readonly setTimeout: object
  readonly setInterval: object
}

interface SleepOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

/** Returns Node's modules with timers; undefined on other hosts. */
function readTimerModules() {
  const nodeModule = globalThis.process?.getBuiltinModule
  return {
    timers: nodeModule?.('node:timers'),
    promises: nodeModule?.('node:timers/promises'),
    /** Shows changed members of these modules to code that has imported the members by name. */
    syncExports: () => nodeModule?.('node:module')?.syncBuiltinESMExports?.(),
  }
}

/**
 * Replaces the timers and dates of the host: the globals, and the functions of Node's modules `timers` and `timers/promises`.
 * Returns a function that counts the pending timers of `AbortSignal.timeout`, which limit a wait and are none themselves.
 */
export function replaceTimers(globals: ReplacedGlobals, { fake, setTimeout, setInterval }: Replacement): () => number {
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
  globals.replace(globalThis, { ...replaced, Date: fake.Date })
  globals.replace(timers, replaced, 'timers.')
  globals.replace(promises, { setTimeout: sleep, setInterval: sleepRepeatedly }, 'timers.promises.')
  globals.replace(promises?.scheduler, { wait: (ms: number) => sleep(ms) }, 'timers.promises.scheduler.')
  globals.replace(performance, { now: () => fake.performance.now() }, 'performance.')
  const signals = new Set<AbortSignal>()
  const timeout = (ms: number) => {
    const signal = createTimeoutSignal(ms, globalThis.setTimeout)
    signals.add(signal)
    signal.addEventListener('abort', () => signals.delete(signal), { once: true })
    return signal
  }
  globals.replace(AbortSignal, { timeout }, 'AbortSignal.')
  syncExports()
  return () => signals.size
}

/** Waits like `setTimeout` of Node's timers/promises. */
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
