/** The functions of the platform that a run uses. */
export interface Host {
  /** Sends a request, as the global `fetch` does. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** The time in ms since 1970. */
  now(): number
  /** Waits for some ms. Resolves early if the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
  /** Returns a signal that is aborted after some ms. */
  deadline(ms: number): AbortSignal
}

/** Keeps requests apart in time. */
export class Pace {
  /** The number of requests so far. */
  count = 0
  #nextAt = 0

  constructor(
    readonly perMinute: number,
    readonly host: Host,
  ) {}

  /** Waits until the next request may be sent, or until the signal is aborted. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.host.now()
    if (this.#nextAt > now) await this.host.sleep(this.#nextAt - now, signal)
    this.count++
    this.#nextAt = Math.max(this.#nextAt, now) + 60_000 / this.perMinute
  }
}
