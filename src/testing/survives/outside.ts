import type { Host } from './host.ts'

/** Handles that stay open while nothing happens. What waits for them alone waits for nothing. */
const HANDLE = /^(TCP(Server|Socket)Wrap|PipeWrap|UDPWrap|TTYWrap|MessagePort|Worker|ProcessWrap|Timeout|FSEventWrap)$/

/** The turns before the first pause: connections within this process get on without time. */
const MOST_TURNS = 50

/** The pauses of about 1 ms after which open handles count as idle. */
const MOST_PAUSES = 500

/** Tells whether something is under way outside the code: sockets, files, name look-ups, threads, timers of the host. */
export class Outside {
  readonly #host: Host
  #baseline: readonly string[] = []
  #waits = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Takes what is open now for idle. */
  begin(): void {
    this.#baseline = this.#host.resources()
    this.#waits = 0
  }

  /** Lets what is under way get on. Returns false if nothing is; `held` sockets wait for an answer that is not due yet. */
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

  /** Returns what is open beyond the baseline. */
  #more(): readonly string[] {
    const left = [...this.#baseline]
    return this.#host.resources().filter((type) => {
      const place = left.indexOf(type)
      if (place !== -1) left.splice(place, 1)
      return place === -1
    })
  }
}
