const MINUTE_MS = 60_000

/** Counts requests by the minute of the world, whatever the sandbox's own clock says. */
export class RequestRate {
  #minute = 0
  #count = 0

  constructor(readonly most: number) {}

  /** Counts one. Answers 0, or for how many seconds there are too many. */
  take(now: number): number {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#count = 0
    }
    if (++this.#count <= this.most) return 0
    return Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000)
  }
}
