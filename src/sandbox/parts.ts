import type { MoveParts } from '../control/control.ts'
import { readClock, stopwatch, systemClock } from '../core/engine/clock.ts'
import type { ObjectState } from './objects.ts'

/** The longest time in ms for which a sandbox handles due events before others run. */
const PART_MS = 20

/** The maximum number of events in that time. On the hosted platform, no time passes while code runs. */
const PART_EVENTS = 200

/** The time in ms between two parts, in which all other requests of the process run. */
const PAUSE_MS = 10

/** The time in ms of the commit at the end of a long move, for the largest sandbox. */
const COMMIT_MS = 1000

/** The turns of the sandboxes of one process. They share its thread, and so one object of this class. */
export class Turns {
  /** The end of the last part that a sandbox has reserved, in ms since 1970. */
  #reservedUntil = 0

  /** Reserves a part of `ms` after a pause, and returns its start. The parts of others come first, if they have waited longer. */
  reserve(ms: number): number {
    const start = Math.max(readClock(systemClock), this.#reservedUntil) + PAUSE_MS
    this.#reservedUntil = start + ms
    return start
  }
}

/**
 * Divides the long work of a sandbox. The sandboxes of a process share one thread, so all of them together get one part at a
 * time, in turn, with a pause after each part (rules: sandboxes#shared-threads).
 */
export class Parts implements MoveParts {
  readonly #state: Pick<ObjectState, 'blockConcurrencyWhile'>
  readonly #turns: Turns

  constructor(state: Pick<ObjectState, 'blockConcurrencyWhile'>, turns: Turns) {
    this.#state = state
    this.#turns = turns
  }

  async run(work: () => Promise<void>): Promise<void> {
    // The platform ends an object whose work fails while others wait for it.
    const failures: unknown[] = []
    await this.#state.blockConcurrencyWhile(() => work().catch((error) => void failures.push(error)))
    if (failures.length > 0) throw failures[0]
  }

  start(): () => boolean {
    const elapsedMs = stopwatch()
    let events = 0
    return () => ++events >= PART_EVENTS || elapsedMs() >= PART_MS
  }

  async pause(): Promise<void> {
    await systemClock.waitUntil?.(this.#turns.reserve(PART_MS))
  }

  async pauseBeforeCommit(): Promise<void> {
    await systemClock.waitUntil?.(this.#turns.reserve(COMMIT_MS))
  }
}
