import { type Clock, idleStopwatch, isManual } from '../core/engine/clock.ts'
import { formatCount } from '../core/schema/text.ts'

/** Shorter than polling intervals, and longer than a test usually needs between requests. */
const MIN_PAUSE_MS = 10

/** The maximum number of responses per pause in polling code, because such code sends few requests between pauses. */
const MAX_RESPONSES_PER_PAUSE = 5

/**
 * The pauses of a test between a response and the next request, in which the process was idle but the gateway's clock did not move. Such
 * pauses show that some code waits on real timers. A slow client or a busy machine does not cause such pauses. Counting pauses does not
 * replace any globals.
 */
export class Pauses {
  readonly #clock: Clock
  readonly #start: Clock['now']
  #responses = 0
  #count = 0
  #sinceResponse: (() => number) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#start = clock.now
  }

  requestSent(): void {
    if ((this.#sinceResponse?.() ?? 0) >= MIN_PAUSE_MS) this.#count++
    this.#sinceResponse = undefined
  }

  responseReceived(): void {
    this.#responses++
    this.#sinceResponse = idleStopwatch()
  }

  /** A hint that code pauses between requests, or undefined if the clock is not manual or has moved. */
  get text(): string | undefined {
    if (!this.#isPolling || !isManual(this.#clock) || this.#clock.now !== this.#start) return undefined
    return (
      `Your code paused ${formatCount(this.#count, 'time')} between a response and its next request, but the gateway's manual ` +
      'clock has not moved. If your code waits on real timers, pass it the timers from `timersOn(gateway.clock)` and call ' +
      '`gateway.clock.advanceAsync`, or give the gateway the system clock.'
    )
  }

  /** True if pauses are a large share of the responses. A few are not enough, because requests can also be late on a busy machine. */
  get #isPolling(): boolean {
    return this.#count >= 2 && this.#responses <= this.#count * MAX_RESPONSES_PER_PAUSE
  }
}
