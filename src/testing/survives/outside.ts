import type { Host } from './host.ts'

/** Handles that stay open while nothing happens. What waits for them alone waits for nothing. */
const HANDLE = /^(TCP(Server|Socket)Wrap|PipeWrap|UDPWrap|TTYWrap|MessagePort|Worker|ProcessWrap|Timeout|FSEventWrap)$/

/** The turns before the first pause: connections within this process get on without time. */
const MOST_TURNS = 50

/** The pauses of about 1 ms after which open handles count as idle. */
const MOST_PAUSES = 500

/** The pauses after which anything else counts as idle, such as the reading of a file. */
const MOST_PAUSES_IN_ALL = 30_000

/** Tells whether something is under way outside the code: sockets, files, name look-ups, threads, timers of the host. */
export class Outside {
  readonly #host: Host
  readonly #threads: ReturnType<Host['countThreads']>
  #baseline: readonly string[] = []
  #waits = 0

  constructor(host: Host) {
    this.#host = host
    this.#threads = host.countThreads()
  }

  /** How many pauses it takes to be sure that nothing comes any more: threads of WebAssembly, for one, show nowhere. */
  get lastPauses(): number {
    return this.#host.isBlind ? 500 : 20
  }

  /** Lets about 1 ms of real time pass. */
  pause(): Promise<void> {
    return this.#host.pause()
  }

  /** Takes what is open now for idle. */
  begin(): void {
    this.#baseline = this.#host.resources()
    this.#waits = 0
  }

  end(): void {
    this.#threads.end()
    this.#host.end()
  }

  /** Lets what is under way get on. Returns false if nothing is; `held` sockets wait for an answer that is not due yet. */
  async wait(held: number): Promise<boolean> {
    const more = this.#more()
    const isBusy = this.#threads.count() > 0 || more.length > held
    if (!isBusy || this.#isIdle(more)) {
      this.#waits = 0
      return false
    }
    this.#waits++
    if (more.includes('Immediate') || this.#waits < MOST_TURNS) await this.#host.turn()
    else await this.#host.pause()
    return true
  }

  #isIdle(more: readonly string[]): boolean {
    const isOpenOnly = this.#threads.count() === 0 && more.every((type) => HANDLE.test(type))
    if (this.#waits < MOST_TURNS + (isOpenOnly ? MOST_PAUSES : MOST_PAUSES_IN_ALL)) return false
    this.begin()
    return true
  }

  /** Returns what is open beyond the baseline. */
  #more(): readonly string[] {
    const now = this.#host.resources()
    const more: string[] = []
    const left = [...this.#baseline]
    for (const type of now) {
      const place = left.indexOf(type)
      if (place === -1) more.push(type)
      else left.splice(place, 1)
    }
    return more
  }
}
