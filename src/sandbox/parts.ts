import type { MoveParts } from '../control/control.ts'
import { readClock, stopwatch, systemClock } from '../core/engine/clock.ts'

/** The maximum time in ms for which a sandbox handles due events before others run. */
const PART_MS = 20

/** The maximum number of events in that time. On the hosted platform, no time passes while code runs. */
const PART_EVENTS = 1000

/** The maximum number of parts per move: 10 s of work. */
const MAX_PARTS = 500

/** The time in ms between two parts. All other requests in the process run during this time. */
const PAUSE_MS = 10

/** The maximum duration in ms of the commit at the end of a move, and its ratio to the duration of the move's parts. */
const COMMIT_MS = 1000
const COMMIT_FACTOR = 2

/** The turns of the sandboxes in one process. They share a thread, and therefore one instance of this class. */
export class Turns {
  /** The end of the last chunk of work reserved by a sandbox, in ms since the Unix epoch. */
  #reservedUntil = 0
  /** The total time, in ms, by which chunks exceeded their reservations. All later chunks are delayed by this time. */
  #delay = 0

  constructor(readonly maxParts = MAX_PARTS) {}

  /**
   * Waits, after a pause, for a chunk of `ms`, and returns the end of the chunk. Chunks of other sandboxes that have waited longer come
   * first.
   */
  async take(ms: number): Promise<number> {
    let start = Math.max(readClock(systemClock), this.#reservedUntil) + PAUSE_MS
    this.#reservedUntil = start + ms
    let known: number
    do {
      known = this.#delay
      await systemClock.waitUntil?.(start)
      start += this.#delay - known
    } while (known < this.#delay)
    return start + ms
  }

  /** Must be called at the end of a chunk. `end` is the end that it reserved. */
  finish(end: number): void {
    const late = Math.max(0, readClock(systemClock) - end)
    this.#delay += late
    this.#reservedUntil += late
  }
}

/**
 * Divides the long work of a sandbox into chunks. The sandboxes in a process share one thread, so they take turns, one chunk at a time,
 * with a pause after each chunk (rules: sandboxes#shared-threads).
 */
export class Parts implements MoveParts {
  readonly maxWorkMs: number
  /** True while the sandbox's clock is moving. */
  isMoving = false
  readonly #turns: Turns
  /** The reserved end of the current chunk, in ms since the Unix epoch. */
  #end: number | undefined

  constructor(turns: Turns) {
    this.#turns = turns
    this.maxWorkMs = turns.maxParts * PART_MS
  }

  async run(work: () => Promise<void>): Promise<void> {
    this.isMoving = true
    try {
      await work()
    } finally {
      this.isMoving = false
    }
  }

  start(): () => boolean {
    const elapsedMs = stopwatch()
    let events = 0
    return () => ++events >= PART_EVENTS || elapsedMs() >= PART_MS
  }

  isLast(parts: number): boolean {
    return parts >= this.#turns.maxParts
  }

  pause(): Promise<void> {
    return this.#takeTurn(PART_MS)
  }

  pauseBeforeCommit(parts: number): Promise<void> {
    return this.#takeTurn(Math.min(COMMIT_MS, COMMIT_FACTOR * parts * PART_MS))
  }

  /** Lets other sandboxes run for a moment in the middle of a commit. */
  async pauseInCommit(): Promise<void> {
    await systemClock.waitUntil?.(readClock(systemClock) + PAUSE_MS)
  }

  /** Must be called at the end of the last chunk. */
  finish(): void {
    if (this.#end !== undefined) this.#turns.finish(this.#end)
    this.#end = undefined
  }

  async #takeTurn(ms: number): Promise<void> {
    this.finish()
    this.#end = await this.#turns.take(ms)
  }
}
