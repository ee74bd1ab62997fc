/** The rounds of the event loop in one turn. Streams and listeners need more than one to finish their work. */
const ROUNDS = 4

/** The number of microtasks in one turn, on a host without an event loop. */
const MICROTASKS = 4096

type Immediate = (work: () => void) => unknown

/**
 * Lets other code run. `next` resolves when the code that waits for promises only has run as far as it can. It uses no timer, so
 * it works while a test has faked all timers.
 */
export class Turns {
  readonly #immediate: Immediate | undefined
  readonly #channel: MessageChannel | undefined
  #resolve: (() => void) | undefined

  /** Uses the `setImmediate` that it receives, or else messages, which are slower. */
  constructor(immediate: Immediate | undefined = findRealImmediate()) {
    this.#immediate = immediate
    if (immediate || typeof MessageChannel === 'undefined') return
    this.#channel = new MessageChannel()
    this.#channel.port1.onmessage = () => this.#resolve?.()
  }

  async next(): Promise<void> {
    const hasEventLoop = this.#immediate ?? this.#channel
    for (let left = hasEventLoop ? ROUNDS : MICROTASKS; left > 0; left--) await this.round()
  }

  /** Resolves after one round of the event loop. That is enough if the caller itself checks whether more is to come. */
  round(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#immediate) this.#immediate(resolve)
      else if (this.#channel) this.#channel.port2.postMessage(null)
      else resolve()
    })
  }

  /** Must be called at the end: otherwise the process stays alive. */
  end(): void {
    this.#channel?.port1.close()
  }
}

/** Returns the `setImmediate` of the host; undefined if there is none, or a fake one. */
function findRealImmediate(): Immediate | undefined {
  const { setImmediate: immediate } = globalThis
  const isReal = typeof immediate === 'function' && !('clock' in immediate) && !('_isMockFunction' in immediate)
  return isReal ? immediate : undefined
}
