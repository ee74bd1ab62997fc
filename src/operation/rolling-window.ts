/** The most times that something may happen within a rolling window of so many ms. */
export interface RollingLimit {
  readonly max: number
  readonly window: number
}

/** Counts what happened within the last window. */
export class RollingWindow {
  /** In ascending order. */
  #times: number[]

  constructor(
    readonly limit: RollingLimit,
    times: readonly number[] = [],
  ) {
    this.#times = [...times].sort((a, b) => a - b)
  }

  /** Counts one more, or returns the seconds to wait for that. */
  take(now: number): number | undefined {
    const { max, window } = this.limit
    this.#forget(now)
    if (this.#times.length < max) {
      this.#times.push(now)
      return undefined
    }
    const [oldest = now] = this.#times
    return Math.ceil((oldest + window - now) / 1000)
  }

  /** Forgets what a window ago has passed and, of a clock that was moved back, what has not come yet. */
  #forget(now: number): void {
    const times = this.#times
    while ((times.at(-1) ?? now) > now) times.pop()
    let passed = 0
    while ((times[passed] ?? now) <= now - this.limit.window) passed++
    times.splice(0, passed)
  }

  /** The times that count. */
  get times(): readonly number[] {
    return [...this.#times]
  }
}
