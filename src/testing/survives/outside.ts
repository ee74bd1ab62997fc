import type { Host } from './host.ts'

/** Handles that stay open while nothing happens. Code that waits for an idle handle alone waits forever. */
const HANDLE = /^(TCP(Server|Socket)Wrap|PipeWrap|UDPWrap|TTYWrap|MessagePort|Worker|ProcessWrap|Timeout|FSEventWrap)$/

/** The turns before the first pause: connections within this process progress without a pause. */
const MOST_TURNS = 50

/** The pauses of about 1 ms after which open handles count as idle. */
const MOST_PAUSES = 500

/** Detects work that is under way outside the code: sockets, files, name look-ups, threads, timers of the host. */
export class Outside {
  readonly #host: Host
  #baseline: readonly string[] = []
  #waits = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Treats all handles that are open now as idle. */
  begin(): void {
    this.#baseline = this.#host.resources()
    this.#waits = 0
  }

  /** Waits for work that is under way. Returns false if there is none; `held` sockets wait for a response that is not due yet. */
  async wait(held: number): Promise<boolean> {
    const more = this.#more()
    const isWorking = this.#host.threads.count() > 0 || more.some((type) => !HANDLE.test(type))
    const isIdle = !isWorking && this.#waits >= MOST_TURNS + MOST_PAUSES
    if (isIdle) this.begin()
    if (isIdle || (!isWorking && more.length <= held)) {
      this.#waits = 0
      return false
    }
    this.#waits++
    if (more.includes('Immediate') || this.#waits < MOST_TURNS) await this.#host.turn()
    else await this.#host.pause()
    return true
  }

  /** Returns the open handles that the baseline lacks. */
  #more(): readonly string[] {
    const unmatched = [...this.#baseline]
    return this.#host.resources().filter((type) => {
      const place = unmatched.indexOf(type)
      if (place !== -1) unmatched.splice(place, 1)
      return place === -1
    })
  }
}
