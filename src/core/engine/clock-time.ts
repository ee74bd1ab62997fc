import { timestamp } from '../schema/time.ts'
import type { ClockFollower } from './clock.ts'
import { EventLoop } from './event-loop.ts'

/** The maximum number of stops that a move can make at the same time. Events that keep scheduling each other exceed this number. */
const MAX_STOPS_AT_ONE_TIME = 10_000

/** The maximum number of stops for a move that waits for the code under test at each stop. */
const MAX_STOPS = 1_000_000

/** The maximum number of waits for work in progress at one stop. Code that sends requests endlessly must not hang a move. */
const MAX_WAITS = 500

/** The time of a manual clock. It moves from one stop to the next. */
export class ClockTime {
  readonly followers = new ClockFollowers()
  /** The number of calls that set the clock. */
  #setCount = 0

  /** `now` is in ms since the Unix epoch. */
  constructor(public now: number) {}

  /**
   * Returns the time, in ms, at which the next event is due, or the current time if the event is overdue. Returns undefined if nothing is
   * due.
   */
  nextDueAt(): number | undefined {
    const next = this.followers.earliest((each) => each.nextDueAt())
    return next === undefined ? undefined : Math.max(next, this.now)
  }

  moveTo(to: number): void {
    const ends: (() => void)[] = []
    this.followers.each((follower) => follower.moves && ends.push(follower.moves()))
    try {
      for (const _ of this.#stops(to));
    } finally {
      forEach(ends, (end) => end())
    }
  }

  /**
   * Moves to the time that `target` returns. Yields to other code before it calls `target`, and at each stop. Returns false without moving
   * if `target` returns no time, or if other code has set the time.
   */
  async moveToAsync(target: () => number | undefined): Promise<boolean> {
    const eventLoop = new EventLoop()
    const setCount = this.#setCount
    try {
      await this.#runOtherCode(eventLoop)
      const to = target()
      if (to === undefined || this.#setCount !== setCount) return false
      let stops = 0
      for (const _ of this.#stops(to)) {
        if (++stops > MAX_STOPS) throw new Error(describeEndlessMove(this.now, MAX_STOPS, 'during one advance'))
        await this.#runOtherCode(eventLoop)
      }
      return true
    } finally {
      eventLoop.close()
    }
  }

  /** Sets the time, and ends any move in progress. */
  setTo(ms: number): void {
    this.followers.each((follower) => follower.timers?.timeSet(ms))
    this.now = ms
    this.#setCount++
  }

  /** Moves to a time, and yields at each stop. At the end, throws the first error of a follower. */
  *#stops(to: number): Generator<void, void, void> {
    const setCount = this.#setCount
    let thrown: { readonly error: unknown } | undefined
    let stopsHere = 0
    for (let stop = this.#nextStopAt(); stop <= to || this.now < to; stop = this.#nextStopAt()) {
      stopsHere = stop > this.now ? 1 : stopsHere + 1
      if (stopsHere > MAX_STOPS_AT_ONE_TIME) {
        // Something is still due because a follower threw an error.
        throw thrown ? thrown.error : new Error(describeEndlessMove(this.now, MAX_STOPS_AT_ONE_TIME, 'at that time'))
      }
      // Code that was called at a stop may have moved the time further.
      this.now = Math.max(this.now, Math.min(stop, to))
      try {
        this.#settle()
      } catch (error) {
        thrown ??= { error }
      }
      yield
      if (this.#setCount !== setCount) break
    }
    if (thrown) throw thrown.error
  }

  /** Lets other code run as far as it can, including code that waits for a follower's work in progress. */
  async #runOtherCode(eventLoop: EventLoop): Promise<void> {
    await eventLoop.runOtherCode()
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const work = this.followers.inProgress()
      if (!work) return
      await work
      await eventLoop.runOtherCode()
    }
  }

  /** Makes all followers handle their due events: gateways first, then timers. */
  #settle(): void {
    this.followers.settleGateways()
    this.followers.each((follower) => follower.timers && follower.settle())
  }

  #nextStopAt(): number {
    return Math.max(this.now, this.followers.earliest((each) => each.nextStopAt()) ?? Number.POSITIVE_INFINITY)
  }
}

function describeEndlessMove(now: number, stops: number, where: string): string {
  return (
    `The clock is at ${timestamp(now)}: it stopped ${stops} times ${where}, and more events are due. ` +
    'Set timers less often, or advance the clock in smaller steps.'
  )
}

/** The gateways and timers that follow a clock. */
class ClockFollowers {
  readonly #all = new Set<ClockFollower>()

  add(follower: ClockFollower): () => void {
    this.#all.add(follower)
    return () => void this.#all.delete(follower)
  }

  /** Makes all gateways handle their due events. */
  settleGateways(): void {
    this.each((follower) => follower.timers || follower.settle())
  }

  /** Returns the earliest time of any follower, or undefined if there is none. */
  earliest(timeOf: (follower: ClockFollower) => number | undefined): number | undefined {
    let earliest: number | undefined
    for (const follower of this.#all) {
      const at = timeOf(follower)
      if (at !== undefined) earliest = Math.min(at, earliest ?? at)
    }
    return earliest
  }

  /** Returns a promise if any follower has work in progress. */
  inProgress(): Promise<unknown> | undefined {
    for (const follower of this.#all) {
      const work = follower.inProgress?.()
      if (work) return work
    }
    return undefined
  }

  /** Calls `work` with each follower, even if an earlier call has thrown. Throws the first error at the end. */
  each(work: (follower: ClockFollower) => unknown): void {
    forEach(this.#all, work)
  }
}

/** Calls `work` with each value, even if an earlier call has thrown. Throws the first error at the end. */
function forEach<T>(all: Iterable<T>, work: (each: T) => void): void {
  let thrown: { readonly error: unknown } | undefined
  for (const each of all) {
    try {
      work(each)
    } catch (error) {
      thrown ??= { error }
    }
  }
  if (thrown) throw thrown.error
}
