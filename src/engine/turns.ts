/**
 * Turns for others: `next` resolves once everything has gone on that waits for nothing but its turn. Uses no timer, so
 * that it works while a test has faked them all.
 */
export class Turns {
  readonly #channel = typeof MessageChannel === 'undefined' ? undefined : new MessageChannel()
  #resolve: (() => void) | undefined

  constructor() {
    if (this.#channel) this.#channel.port1.onmessage = () => this.#resolve?.()
  }

  async next(): Promise<void> {
    for (let left = this.#channel ? HOPS : STEPS; left > 0; left--) await this.#hop()
  }

  /** Must be called, or the host waits for more. */
  end(): void {
    this.#channel?.port1.close()
  }

  #hop(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#channel) this.#channel.port2.postMessage(null)
      else resolve()
    })
  }
}

/** How often the host's own queue goes round in one turn: streams and listeners hand on their work more than once. */
const HOPS = 4

/** How many promises in a row can go on in one turn on a host that has no queue but that of promises. */
const STEPS = 256
