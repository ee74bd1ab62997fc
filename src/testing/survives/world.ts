import { abortable } from '../../core/engine/clock.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import { createRandomSource } from '../../core/engine/random.ts'
import { type Fetch, isRequest } from '../../gateway/http/fetch.ts'
import { isBelow } from '../../gateway/http/url.ts'
import { fakeTimersOn } from '../fake-timers.ts'
import { promisify } from '../fake-timers-util.ts'
import { START } from '../fixture.ts'
import { readHost } from './host.ts'
import { OutsideWork } from './outside.ts'
import type { Life } from './types.ts'

type Handle = ReturnType<ReturnType<typeof fakeTimersOn>['fake']['setTimeout']>

type Work = (...args: unknown[]) => void

type SetTimer = (work: Work, ms?: number, ...args: unknown[]) => Handle

interface SleepOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

const keepsProcessAlive = (handle: Handle | undefined) =>
  typeof handle !== 'object' || !('hasRef' in handle) || handle.hasRef()

/**
 * The surroundings of the code under test: timers, dates, random numbers and the global `fetch`, all on one clock that the
 * explorer moves. They stay the same for all runs, so that code may keep them.
 */
export class World {
  readonly clock = manualClock(START)
  readonly timers = fakeTimersOn(this.clock)
  readonly host = readHost()
  readonly outside = new OutsideWork(this.host)
  /** Counts the actions of the code that can have consequences. */
  activity = 0
  /** The errors that nobody has handled. */
  unhandled: unknown[] = []
  /** The gateway that the global `fetch` reaches. */
  target: Pick<Life, 'url' | 'fetch'> | undefined
  readonly #randomSource = createRandomSource('survives')
  /** The number of random numbers in this run so far. */
  #randomCount = 0
  /** The number of the run. */
  #run = 0
  #handles = new Map<number, Handle>()
  #undo: (() => void)[] = []

  /** @throws Error if timers are faked already: the real timers of the host could not be reached. */
  constructor() {
    const { setTimeout } = globalThis
    if ('clock' in setTimeout || '_isMockFunction' in setTimeout) {
      throw new Error(
        'survives needs the timers of the host, and finds fake ones. Call it without fake timers, for example after ' +
          'vi.useRealTimers() or jest.useRealTimers(): it replaces timers and dates itself.',
      )
    }
  }

  /** Starts a run, with the clock, timers and random numbers in their initial state. */
  begin(): void {
    this.#run++
    this.timers.setAhead(0)
    this.clock.reset()
    this.#handles = new Map()
    this.#randomCount = 0
    this.unhandled = []
    this.outside.begin()
  }

  /** Returns the delays, in ms, of the timers that keep a process alive. */
  remainingDelays(): readonly number[] {
    const timers = [...(this.timers.fake.timers ?? [])]
    return timers.flatMap(([id, { delay }]) => (keepsProcessAlive(this.#handles.get(id)) ? [delay ?? 0] : []))
  }

  /** Advances to a time. What a timer throws is unhandled. */
  advanceTo(at: number): void {
    this.activity++
    try {
      this.clock.advanceTo(Math.max(at, this.clock.now))
    } catch (error) {
      this.unhandled.push(error)
    }
  }

  /** Replaces the functions of the host, until `restoreGlobals`. */
  replaceGlobals(): void {
    const { fake, setInterval } = this.timers
    const { timers, promises, threads } = this.host
    const sleep = this.#sleep
    async function* sleepRepeatedly(...args: Parameters<typeof sleep>) {
      for (;;) yield await sleep(...args)
    }
    const replaced = {
      setTimeout: Object.assign(this.#countActivityOf(fake.setTimeout), { [promisify.custom]: sleep }),
      setInterval: this.#countActivityOf(setInterval),
      clearTimeout: fake.clearTimeout,
      clearInterval: fake.clearInterval,
    }
    threads.start()
    this.#undo.push(threads.stop)
    this.#replace(globalThis, { ...replaced, Date: fake.Date, fetch: this.#createFetch(globalThis.fetch) })
    if (globalThis.setImmediate) this.#endImmediatesWithRun(globalThis.setImmediate)
    this.#replace(timers, replaced)
    this.#replace(promises, { setTimeout: sleep, setInterval: sleepRepeatedly })
    this.#replace(promises?.scheduler, { wait: (ms: number) => sleep(ms) })
    this.#replace(performance, { now: () => fake.performance.now() })
    this.#replace(Math, { random: () => this.#nextRandom() })
    this.#replace(AbortSignal, { timeout: (ms: number) => this.#timeoutSignal(ms) })
    this.host.syncExports()
    this.#collectRejections()
  }

  /** Restores the functions of the host. */
  restoreGlobals(): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
    this.host.syncExports()
  }

  end(): void {
    this.#run++
    this.restoreGlobals()
    this.host.end()
  }

  #replace(object: object | undefined, members: Readonly<Record<string, unknown>>): void {
    if (!object) return
    for (const [name, value] of Object.entries(members)) {
      const before = Object.getOwnPropertyDescriptor(object, name)
      Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true })
      this.#undo.push(() => {
        if (before) Object.defineProperty(object, name, before)
        else Reflect.deleteProperty(object, name)
      })
    }
  }

  /** Makes an endless loop of `setImmediate` end with its run. */
  #endImmediatesWithRun(hostSetImmediate: typeof setImmediate): void {
    const setImmediate = (work: Work, ...args: unknown[]) => {
      const run = this.#run
      return hostSetImmediate(() => {
        if (run === this.#run) work(...args)
      })
    }
    this.#replace(globalThis, { setImmediate: Object.assign(setImmediate, hostSetImmediate) })
  }

  /** Returns a function that sets a timer, counts that as activity, and notes the handle. */
  #countActivityOf(set: SetTimer): SetTimer {
    return (...args) => {
      this.activity++
      const handle = set(...args)
      this.#handles.set(Number(handle), handle)
      return handle
    }
  }

  /** Waits like `setTimeout` of Node's timers/promises. */
  readonly #sleep = async (ms?: number, value?: unknown, { signal, ref = true }: SleepOptions = {}) => {
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

  #timeoutSignal(ms: number): AbortSignal {
    const controller = new AbortController()
    const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    globalThis.setTimeout(abort, ms).unref?.()
    return controller.signal
  }

  #createFetch(otherFetch: Fetch): Fetch {
    return (input, init) => {
      const url = isRequest(input) ? input.url : String(input)
      const { target } = this
      return target && isBelow(url, target.url) ? target.fetch(input, init) : otherFetch(input, init)
    }
  }

  /** Returns the same numbers in each run. */
  #nextRandom(): number {
    const bytes = this.#randomSource.draw('Math.random', this.#randomCount++)(4)
    return new DataView(bytes.buffer).getUint32(0) / 2 ** 32
  }

  /** Replaces the listeners of unhandled rejections, such as the runner's. */
  #collectRejections(): void {
    const { process } = globalThis
    if (!process?.listeners) return
    const before = process.listeners('unhandledRejection')
    const collect = (reason: unknown) => void this.unhandled.push(reason)
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', collect)
    this.#undo.push(() => {
      process.off('unhandledRejection', collect)
      for (const listener of before) process.on('unhandledRejection', listener)
    })
  }
}
