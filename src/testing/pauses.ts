import { type Clock, isManual, stopwatch } from '../engine/clock.ts'
import { counted } from '../schema/text.ts'

/** Shorter than the intervals at which code polls, and longer than a test usually needs from one request to the next. */
const LEAST_MS = 10

/** Code that polls sends few requests between two pauses. */
const LEAST_SHARE = 5

/**
 * The pauses of a test between the answer to a request and the next request, in which time passed for the host and not for
 * the gateway. They show that code waits on timers of the host, of whichever module, and no global must be replaced.
 */
export class Pauses {
  readonly #clock: Clock
  readonly #start: Clock['now']
  #answers = 0
  #count = 0
  #sinceAnswer: (() => number) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#start = clock.now
  }

  requestSent(): void {
    if ((this.#sinceAnswer?.() ?? 0) >= LEAST_MS) this.#count++
    this.#sinceAnswer = undefined
  }

  requestAnswered(): void {
    this.#answers++
    this.#sinceAnswer = stopwatch()
  }

  /** Says how often code paused between requests; nothing if a manual clock has moved, or there is none. */
  get text(): string | undefined {
    if (!this.#isPolling || !isManual(this.#clock) || this.#clock.now !== this.#start) return undefined
    return (
      `Your code paused ${counted(this.#count, 'time')} between a response and its next request, but the gateway's manual ` +
      'clock has not moved. If your code waits on real timers, pass it the timers of `timersOn(gateway.clock)` and call ' +
      '`gateway.clock.advanceAsync`, or give the gateway the system clock.'
    )
  }

  /** A busy machine makes some pauses too, among many requests. */
  get #isPolling(): boolean {
    return this.#count >= 2 && this.#count * LEAST_SHARE >= this.#answers
  }
}
