import { abortable } from './abortable.ts'
import { type Clock, type ClockFollower, readClock } from './clock.ts'
import type { Guard } from './guard.ts'
import { isManual } from './movable-clock.ts'
import { Waiters } from './waiters.ts'

/** What the clock asks a gateway. */
export type Events = Pick<ClockFollower, 'nextDueAt' | 'settle' | 'moves'>

/** The time of one gateway: its clock, what that knows of the gateway, and who waits for it. */
export class GatewayTime {
  readonly #clock: Clock
  readonly #guard: Guard
  readonly #events: Events
  readonly #waiters = new Waiters()
  /** Made once, not for each of the times that a request reads. */
  readonly #read = () => readClock(this.#clock)
  /** What the clock knows of the gateway; undefined until it must know. */
  #follower: ClockFollower | undefined
  /** Ends the clock's hold on the gateway, if it has one. */
  #letGo: (() => void) | undefined
  #lastNow = 0
  #listeners = 0

  constructor(clock: Clock, guard: Guard, events: Events) {
    this.#clock = clock
    this.#guard = guard
    this.#events = events
  }

  /** Now, in ms since 1970. */
  get now(): number {
    this.#lastNow = this.#guard.run('its clock', this.#read)
    return this.#lastNow
  }

  /** Now or, for who asks from inside a transaction or the clock, the time that was read last. */
  get lastNow(): number {
    return this.#guard.isInside ? this.#lastNow : this.now
  }

  /** The time that was read last. */
  get last(): number {
    return this.#lastNow
  }

  /** Whether it stands until somebody moves it. */
  get isManual(): boolean {
    return isManual(this.#clock)
  }

  /** Puts a manual clock to a time; any other goes on as it does. */
  set(ms: number): void {
    if (isManual(this.#clock)) this.#clock.set(ms)
  }

  /** Wakes those whose time has come. */
  wake(now: number): void {
    this.#waiters.wake(now)
  }

  /** Resolves when a time has come, whoever moves the clock. Rejects when the signal is aborted. */
  async reached(at: number, signal?: AbortSignal): Promise<void> {
    const clock = this.#clock
    if (clock.waitUntil && !isManual(clock)) return waitedFor(clock, at, signal)
    if (this.now >= at) return
    const waiting = this.#waiters.until(at, signal)
    this.#heldAsNeeded()
    try {
      await waiting
    } finally {
      this.#heldAsNeeded()
    }
  }

  /** Has the clock tell the gateway of every move from now on. */
  follow(): void {
    this.#attached()
  }

  /** Has the clock keep the gateway alive as long as there are listeners, or somebody waits for it. */
  hasListeners(count: number): void {
    this.#listeners = count
    this.#heldAsNeeded()
  }

  #attached(): ClockFollower {
    if (!this.#follower) {
      const { nextDueAt, settle, moves } = this.#events
      const nextStopAt = () => earlier(nextDueAt(), this.#waiters.earliest)
      this.#follower = { nextDueAt, nextStopAt, settle, ...(moves ? { moves } : {}) }
      this.#clock.attach?.(this.#follower)
    }
    return this.#follower
  }

  #heldAsNeeded(): void {
    if (this.#waiters.size + this.#listeners > 0) {
      this.#letGo ??= this.#clock.hold?.(this.#attached())
    } else {
      this.#letGo?.()
      this.#letGo = undefined
    }
  }
}

/** The earlier of two times, either of which may be missing. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

/** Waits for a clock that need not know of signals. */
function waitedFor(clock: Clock, at: number, signal: AbortSignal | undefined): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    Promise.resolve(clock.waitUntil?.(at, signal)).then(resolve, reject)
    return () => undefined
  })
}
