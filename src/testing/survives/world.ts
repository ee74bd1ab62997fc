import { manualClock } from '../../core/engine/manual-clock.ts'
import { createRandomSource } from '../../core/engine/random.ts'
import { type Fetch, isRequest } from '../../gateway/http/fetch.ts'
import { AGENT_URLS } from '../../gateway/http/install.ts'
import { isBelow } from '../../gateway/http/url.ts'
import { fakeTimersOn } from '../fake-timers.ts'
import { START } from '../fixture.ts'
import { ReplacedGlobals } from '../replaced-globals.ts'
import { keepsProcessAlive, replaceTimers } from '../replaced-timers.ts'
import type { Surroundings } from './arrivals.ts'
import { type Copy, Pasts } from './copy.ts'
import { ELSEWHERE_MS } from './gateway-source.ts'
import { readHost } from './host.ts'
import { OutsideWork } from './outside.ts'
import type { Life } from './types.ts'

type Handle = ReturnType<ReturnType<typeof fakeTimersOn>['fake']['setTimeout']>

type Work = (...args: unknown[]) => void

type SetTimer = (work: Work, ms?: number, ...args: unknown[]) => Handle

/** The duration of each response in a slow run elsewhere, so that durations differ. */
const SLOW_MS = 1237

/** Marks the `setTimeout` of a run. */
const MARK = 'isOfSurvives'

/**
 * @throws Error if timers are already faked, by a runner or by another call to `survives`, because the host's timers would be unreachable.
 */
export function requireHostTimers(): void {
  const { setTimeout } = globalThis
  if (MARK in setTimeout) {
    throw new Error(
      'Another call to survives or schedules is running. Await it first, because each call replaces timers, dates, and fetch for the ' +
        "whole process. Concurrent tests can't both call survives, and a call continues after its test has timed out.",
    )
  }
  if ('clock' in setTimeout || '_isMockFunction' in setTimeout) {
    throw new Error(
      'survives needs real timers, but found fake ones. Call survives without fake timers, for example after ' +
        'vi.useRealTimers() or jest.useRealTimers(): survives replaces timers and dates itself.',
    )
  }
}

/**
 * The environment of the code under test: timers, dates, random numbers, and the global `fetch`, all on one clock that the explorer moves.
 * The same objects are used for all runs, so code can keep references to them.
 */
export class World implements Surroundings {
  readonly clock = manualClock(START)
  readonly timers = fakeTimersOn(this.clock)
  readonly host = readHost()
  readonly outside = new OutsideWork(this.host)
  /** Tracks the running copy, if there are several. */
  #context: ReturnType<World['host']['createContext']> | undefined
  readonly pasts = new Pasts()
  activity = 0
  /** The unhandled errors. */
  unhandled: unknown[] = []
  /** The gateway that handles the global `fetch`. */
  target: Pick<Life, 'url' | 'fetch'> | undefined
  /** The last request in the run to a URL other than the gateway's. */
  #otherRequest: { readonly origin: string; isRefused: boolean } | undefined
  readonly #randomSource = createRandomSource('survives')
  /** The number of random numbers in this run so far, by copy. */
  #randomCounts = new Map<string, number>()
  /** Set in a run at another time and with other random numbers. */
  #elsewhere: 'fast' | 'slow' | undefined
  /** The number of the run. */
  #run = 0
  #handles = new Map<number, Handle>()
  /** The copy that set each timer. */
  #owners = new Map<number, Copy | undefined>()
  readonly #globals = new ReplacedGlobals('survives')

  constructor(copies: number) {
    if (copies > 1) this.#context = this.host.createContext()
  }

  /**
   * Starts a run, with the clock, timers, and random numbers in their initial state.
   * @param elsewhere for another time and other random numbers, with slow responses or without
   */
  begin(elsewhere?: 'fast' | 'slow'): void {
    this.#run++
    this.timers.setAhead(0)
    this.clock.reset()
    this.#elsewhere = elsewhere
    if (elsewhere) this.clock.advance(ELSEWHERE_MS)
    this.#handles = new Map()
    this.#owners = new Map()
    this.#randomCounts = new Map()
    this.unhandled = []
    this.#otherRequest = undefined
    this.outside.begin()
  }

  get latency(): number {
    return this.#elsewhere === 'slow' ? SLOW_MS : 0
  }

  setAhead(ms: number): void {
    this.timers.setAhead(ms)
  }

  /** Returns the delays, in ms, of the timers that keep a process alive. */
  remainingDelays(): readonly number[] {
    const timers = [...(this.timers.fake.timers ?? [])]
    return timers.flatMap(([id, { delay }]) => (keepsProcessAlive(this.#handles.get(id)) ? [delay ?? 0] : []))
  }

  /** Undefined without copies and outside the code under test. */
  get copy(): Copy | undefined {
    return this.#context?.storage.getStore()
  }

  /** Runs work for a copy, and everything that results from it. */
  runAs<T>(copy: Copy, work: () => T): T {
    return this.#context ? this.#context.storage.run(copy, work) : work()
  }

  /** Drops the timers of a crashed copy. */
  dropTimers(copy: Copy): void {
    if (!this.#context) this.timers.drop()
    for (const [id, owner] of this.#owners) if (owner === copy) this.timers.fake.clearTimeout(this.#handles.get(id))
  }

  /** Advances to a time. Exceptions from timers count as unhandled. */
  advanceTo(at: number): void {
    this.activity++
    try {
      this.clock.advanceTo(Math.max(at, this.clock.now))
    } catch (error) {
      this.unhandled.push(error)
    }
  }

  /**
   * Replaces the host's functions until `restoreGlobals` is called.
   * @throws Error if another call to `survives` has replaced these functions, or if one cannot be replaced.
   */
  replaceGlobals(): void {
    requireHostTimers()
    const { fake, setInterval } = this.timers
    const { threads } = this.host
    threads.start()
    this.#globals.addUndo(() => void threads.stop())
    const setTimeout = Object.assign(this.#countActivityOf(fake.setTimeout), { [MARK]: true })
    replaceTimers(this.#globals, {
      fake,
      setTimeout,
      setInterval: this.#countActivityOf(setInterval),
      setSignalTimer: setTimeout,
      dates: fake.Date,
    })
    this.#globals.replace(globalThis, { fetch: this.#createFetch(globalThis.fetch) })
    if (globalThis.setImmediate) this.#endImmediatesWithRun(globalThis.setImmediate)
    this.#globals.replace(Math, { random: () => this.#nextRandom() }, 'Math.')
    this.#collectRejections()
  }

  /** Restores the host's functions. @throws Error that names the functions that the code made unchangeable, after restoring all others. */
  restoreGlobals(): void {
    this.#globals.restore()
  }

  end(): void {
    this.#run++
    try {
      this.restoreGlobals()
    } finally {
      // Until the storage is disabled, Node 20 and 22 copy it into each new promise in the process.
      this.#context?.storage.disable()
      this.#context = undefined
      this.host.end()
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
    this.#globals.replace(globalThis, { setImmediate: Object.assign(setImmediate, hostSetImmediate) })
  }

  /** Returns a function that sets a timer, counts it as activity, and records the handle. */
  #countActivityOf(set: SetTimer): SetTimer {
    return (...args) => {
      this.activity++
      const [work, ...rest] = args
      const handle = set(this.#context && typeof work === 'function' ? this.#context.bind(work) : work, ...rest)
      this.#handles.set(Number(handle), handle)
      if (this.#context) this.#owners.set(Number(handle), this.copy)
      return handle
    }
  }

  #createFetch(otherFetch: Fetch): Fetch {
    return (input, init) => {
      const url = isRequest(input) ? input.url : String(input)
      const { target } = this
      if (target && isBelow(url, target.url)) return target.fetch(input, init)
      const request = { origin: /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? url, isRefused: false }
      this.#otherRequest = request
      const response = otherFetch(input, init)
      response.catch((error: unknown) => {
        request.isRefused = Object(Object(error).cause).code === 'ECONNREFUSED'
      })
      return response
    }
  }

  /** Returns a sentence about the last request to another URL, or an empty string. */
  describeOtherRequest(): string {
    const { origin, isRefused = false } = this.#otherRequest ?? {}
    if (origin === undefined) return ''
    if (AGENT_URLS.includes(origin)) return `The code called the agent's API at ${origin}. `
    const closed = isRefused ? ', where nothing is listening. Was that server closed?' : ' instead.'
    return `The code called ${origin}${closed} `
  }

  /** Returns the same numbers in each run. */
  #nextRandom(): number {
    // Each copy has its own numbers, so the numbers do not depend on the order of the copies.
    const name = `Math.random ${this.#elsewhere ? 'elsewhere' : 'here'} ${this.copy?.name}`
    const count = this.#randomCounts.get(name) ?? 0
    this.#randomCounts.set(name, count + 1)
    const bytes = this.#randomSource.draw(name, count)(4)
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
    this.#globals.addUndo(() => {
      process.off('unhandledRejection', collect)
      for (const listener of before) process.on('unhandledRejection', listener)
      return undefined
    })
  }
}
