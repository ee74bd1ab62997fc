import { type Clock, isManual, stopwatch } from '../engine/clock.ts'
import { counted } from '../schema/text.ts'

/** Shorter than the intervals at which code polls, and longer than a test usually needs from one request to the next. */
const LEAST_MS = 10

/**
 * The pauses of a test between the answer to a request and the next request, in which time passed for the host and not for
 * the gateway. They show that code waits on timers of the host, of whichever module, and no global must be replaced.
 */
export class Pauses {
  readonly #clock: Clock
  readonly #start: Clock['now']
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
    this.#sinceAnswer = stopwatch()
  }

  /** Says how often the host's time passed between requests; nothing if a manual clock has moved, or there is none. */
  get text(): string | undefined {
    if (this.#count < 2 || !isManual(this.#clock) || this.#clock.now !== this.#start) return undefined
    return (
      `The host's time passed ${counted(this.#count, 'time')} between an answer and the next request, and the gateway's ` +
      'manual clock has not moved. Code that waits on timers of the host waits in vain for the gateway: use the timers of ' +
      '`timersOn(gateway.clock)` and `gateway.clock.advanceAsync`, or give the gateway the system clock.'
    )
  }
}
