import type { Host } from './host.ts'

/** Handles that stay open while nothing happens. Code that waits only for an idle handle waits forever. */
const IDLE_HANDLE =
  /^(TCP(Server|Socket)Wrap|PipeWrap|UDPWrap|TTYWrap|MessagePort|Worker|ProcessWrap|Timeout|FSEventWrap)$/

/** The number of turns before the first pause, because connections within this process progress without pauses. */
const MAX_TURNS = 50

/** The number of pauses, of about 1 ms each, after which open handles count as idle. */
const MAX_PAUSES = 500

/** Detects pending work outside the code: sockets, files, name lookups, threads, and host timers. */
export class OutsideWork {
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

  /**
   * Waits for pending work. Returns false if there is none. `waitingSockets` is the number of sockets that are waiting for a response that
   * is not due yet.
   */
  async wait(waitingSockets: number): Promise<boolean> {
    const handles = this.#newHandles()
    const isWorking = this.#host.threads.count() > 0 || handles.some((type) => !IDLE_HANDLE.test(type))
    const isIdle = !isWorking && this.#waits >= MAX_TURNS + MAX_PAUSES
    if (isIdle) this.begin()
    if (isIdle || (!isWorking && handles.length <= waitingSockets)) {
      this.#waits = 0
      return false
    }
    this.#waits++
    if (handles.includes('Immediate') || this.#waits < MAX_TURNS) await this.#host.turn()
    else await this.#host.pause()
    return true
  }

  /** Returns the open handles that are not in the baseline. */
  #newHandles(): readonly string[] {
    const unmatched = [...this.#baseline]
    return this.#host.resources().filter((type) => {
      const place = unmatched.indexOf(type)
      if (place !== -1) unmatched.splice(place, 1)
      return place === -1
    })
  }
}
