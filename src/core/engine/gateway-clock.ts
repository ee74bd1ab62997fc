import { abortable, type Clock, type ClockFollower, isManual, readClock } from './clock.ts'
import type { Guard } from './transactions.ts'

/** A step that a test can wait for. */
export interface WaitingStep {
  /** A delayed response, or the next attempt to deliver account events. */
  readonly event: 'response' | 'delivery'
  /** The operation ID of the request, or the ID of the event destination. */
  readonly key: string
}

/** A step that waits for a time in ms. */
type TimedStep = WaitingStep & { readonly until: number }

/** A caller that waits for a time in ms. */
interface Waiter {
  readonly at: number
  readonly resolve: () => void
}

/** The clock of one gateway, with all callers that are waiting for a time. */
export class GatewayClock {
  readonly #follower: ClockFollower
  readonly #waiters = new Set<Waiter>()
  readonly #waitingSteps = new Set<TimedStep>()
  /** The modules that are being loaded. */
  readonly #loading = new Set<Promise<unknown>>()
  /** False once the gateway has been attached or detached. */
  #mayAttach = true
  /** The function that detaches the follower, if the clock returned one. */
  #detach: unknown
  /** The time of the most recent read. */
  lastNow = 0

  constructor(
    /** The clock that the gateway was created with. */
    readonly source: Clock,
    readonly guard: Guard,
    gateway: Omit<ClockFollower, 'nextStopAt'>,
  ) {
    const nextDueAt = () => findEarlier(gateway.nextDueAt(), this.waiting[0]?.until)
    const nextStopAt = () => {
      const times = [...this.#waiters].map(({ at }) => at)
      return times.reduce(findEarlier, gateway.nextDueAt())
    }
    const inProgress = () => this.#loading.values().next().value
    this.#follower = { ...gateway, nextDueAt, nextStopAt, inProgress }
  }

  /** Now, in ms since the Unix epoch. */
  get now(): number {
    this.lastNow = this.guard.run('its clock', readClock, this.source)
    return this.lastNow
  }

  get isManual(): boolean {
    return isManual(this.source)
  }

  /** Sets the clock if it is manual, which also ends a move in progress. Any other clock is left unchanged. */
  set(ms: number): void {
    if (isManual(this.source)) this.source.set(ms)
  }

  /** Drops all waiting callers. Their promises never settle. */
  dropWaiting(): void {
    this.#waiters.clear()
    this.#waitingSteps.clear()
  }

  /** Wakes all callers whose time has come, earliest first. */
  wake(now: number): void {
    if (this.#waiters.size === 0) return
    const ready = [...this.#waiters].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const { resolve } of ready) resolve()
  }

  /** The delayed responses and the next attempts to deliver events, earliest first. */
  get waiting(): readonly TimedStep[] {
    if (this.#waitingSteps.size === 0) return []
    const now = this.lastNow
    return [...this.#waitingSteps].filter(({ until }) => until > now).sort((a, b) => a.until - b.until)
  }

  /**
   * Resolves when the clock reaches a time. `step` describes what happens then. Rejects if the signal is aborted. Waiting for a delivery
   * doesn't keep the process alive.
   */
  async waitUntil(at: number, signal?: AbortSignal, step?: WaitingStep): Promise<void> {
    if (!step || this.now >= at) return this.#waitForTime(at, signal)
    const timed = { ...step, until: at }
    this.#waitingSteps.add(timed)
    try {
      await this.#waitForTime(at, signal, step.event === 'delivery')
    } finally {
      this.#waitingSteps.delete(timed)
    }
  }

  async #waitForTime(at: number, signal?: AbortSignal, isBackground = false): Promise<void> {
    const { source } = this
    if (source.waitUntil && !isManual(source)) return waitOnClock(source, at, signal, isBackground)
    if (this.now >= at) return
    this.attach()
    await abortable(signal, (resolve) => {
      const waiter = { at, resolve }
      this.#waiters.add(waiter)
      return () => void this.#waiters.delete(waiter)
    })
  }

  /** Loads a module on first use. An asynchronous move of the clock waits for it, because loading takes only real time. */
  async load<T>(load: () => Promise<T>): Promise<T> {
    this.attach()
    const loading = load()
    const settled = loading.catch(() => undefined)
    this.#loading.add(settled)
    try {
      return await loading
    } finally {
      this.#loading.delete(settled)
    }
  }

  /** Makes the clock call this gateway on every move until `detach` is called. */
  attach(): void {
    if (!this.#mayAttach) return
    this.#mayAttach = false
    this.#detach = this.source.attach?.(this.#follower)
  }

  /** Permanently detaches the gateway from its clock. */
  detach(): void {
    this.#mayAttach = false
    if (typeof this.#detach === 'function') this.#detach()
    this.#detach = undefined
  }
}

/** Returns the earlier of two times. Either time may be missing. */
function findEarlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

/** Waits on a clock that may not support signals. */
function waitOnClock(clock: Clock, at: number, signal: AbortSignal | undefined, isBackground: boolean): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    Promise.resolve(clock.waitUntil?.(at, signal, isBackground)).then(resolve, reject)
    return () => undefined
  })
}
