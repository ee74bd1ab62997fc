import { abortable, type Clock, type ClockFollower, isManual, readClock } from './clock.ts'
import type { Guard } from './transactions.ts'

/** A request whose response waits for a time. */
export interface WaitingRequest {
  readonly operationId: string
  /** The time in ms. */
  readonly until: number
}

/** The clock of one gateway, with everyone who waits for a time of it. */
export class GatewayClock {
  readonly #clock: Clock
  readonly #guard: Guard
  readonly #follower: ClockFollower
  #waiters = new Waiters()
  readonly #requests = new Set<WaitingRequest>()
  readonly #read = () => readClock(this.#clock)
  #wasAttached = false
  /** The clock's function that detaches the follower, where the clock has one. */
  #detach: unknown
  #lastNow = 0

  constructor(clock: Clock, guard: Guard, gateway: Omit<ClockFollower, 'nextStopAt'>) {
    this.#clock = clock
    this.#guard = guard
    const nextDueAt = () => earlier(gateway.nextDueAt(), this.waiting[0]?.until)
    this.#follower = { ...gateway, nextDueAt, nextStopAt: () => earlier(gateway.nextDueAt(), this.#waiters.earliest) }
  }

  /** Now, in ms since 1970. */
  get now(): number {
    this.#lastNow = this.#guard.run('its clock', this.#read)
    return this.#lastNow
  }

  /** The time that was read last. */
  get lastNow(): number {
    return this.#lastNow
  }

  get isManual(): boolean {
    return isManual(this.#clock)
  }

  /** Sets a manual clock, which also ends a move that is under way; any other continues. */
  set(ms: number): void {
    if (isManual(this.#clock)) this.#clock.set(ms)
  }

  /** Lets everyone who waits for a time wait forever. */
  forget(): void {
    this.#waiters = new Waiters()
    this.#requests.clear()
  }

  wake(now: number): void {
    this.#waiters.wake(now)
  }

  /** The requests whose responses wait, the earliest first. */
  get waiting(): readonly WaitingRequest[] {
    if (this.#requests.size === 0) return []
    const now = this.#lastNow
    return [...this.#requests].filter(({ until }) => until > now).sort((a, b) => a.until - b.until)
  }

  /**
   * Resolves when a time has come, whoever moves the clock; `operationId` names the request whose response waits. Rejects
   * when the signal is aborted.
   */
  async reached(at: number, signal?: AbortSignal, operationId?: string): Promise<void> {
    if (operationId === undefined || this.now >= at) return this.#reached(at, signal)
    const request = { operationId, until: at }
    this.#requests.add(request)
    try {
      await this.#reached(at, signal)
    } finally {
      this.#requests.delete(request)
    }
  }

  async #reached(at: number, signal?: AbortSignal): Promise<void> {
    const clock = this.#clock
    if (clock.waitUntil && !isManual(clock)) return waitedFor(clock, at, signal)
    if (this.now >= at) return
    this.attach()
    await this.#waiters.until(at, signal)
  }

  /** Has the clock call this gateway on every move from now on, until `detach`. */
  attach(): void {
    if (this.#wasAttached) return
    this.#wasAttached = true
    this.#detach = this.#clock.attach?.(this.#follower)
  }

  /** Detaches the gateway from its clock for good. */
  detach(): void {
    this.#wasAttached = true
    if (typeof this.#detach === 'function') this.#detach()
    this.#detach = undefined
  }
}

/** The earlier of two times, either of which may be missing. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

/** Waits on a clock that may not support signals. */
function waitedFor(clock: Clock, at: number, signal: AbortSignal | undefined): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    Promise.resolve(clock.waitUntil?.(at, signal)).then(resolve, reject)
    return () => undefined
  })
}

interface Waiter {
  readonly at: number
  readonly resolve: () => void
}

class Waiters {
  readonly #waiting = new Set<Waiter>()
  /** Nobody waits for an earlier time, so that `wake` is cheap before every operation. */
  #earliest = Number.POSITIVE_INFINITY

  get earliest(): number | undefined {
    return this.#waiting.size === 0 ? undefined : this.#earliest
  }

  until(at: number, signal?: AbortSignal): Promise<void> {
    return abortable(signal, (resolve) => {
      const waiter = { at, resolve }
      this.#waiting.add(waiter)
      this.#earliest = Math.min(this.#earliest, at)
      return () => void this.#waiting.delete(waiter)
    })
  }

  /** Resolves for everyone whose time has come, the earliest first. */
  wake(now: number): void {
    if (now < this.#earliest) return
    const all = [...this.#waiting].sort((a, b) => a.at - b.at)
    const next = all.findIndex(({ at }) => at > now)
    const ready = next === -1 ? all : all.slice(0, next)
    this.#earliest = all[next]?.at ?? Number.POSITIVE_INFINITY
    for (const { resolve } of ready) resolve()
  }
}
