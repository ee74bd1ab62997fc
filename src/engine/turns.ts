/** The rounds of the event loop in one turn. Streams and listeners pass on their work more than once. */
const ROUNDS = 4

/** The most promises in a row that run in one turn on a host with a promise queue alone. */
const STEPS = 4096

type Immediate = (work: () => void) => unknown

/**
 * Gives other code its turn: `next` resolves once all code has run that only waits for its turn. Uses no timer, so that
 * it works while a test has faked all timers.
 */
export class Turns {
  readonly #immediate: Immediate | undefined
  readonly #channel: MessageChannel | undefined
  #resolve: (() => void) | undefined

  /** Uses the `setImmediate` that it receives, or else messages, which are slower. */
  constructor(immediate: Immediate | undefined = realImmediate()) {
    this.#immediate = immediate
    if (immediate || typeof MessageChannel === 'undefined') return
    this.#channel = new MessageChannel()
    this.#channel.port1.onmessage = () => this.#resolve?.()
  }

  async next(): Promise<void> {
    const isLoop = this.#immediate ?? this.#channel
    for (let left = isLoop ? ROUNDS : STEPS; left > 0; left--) await this.round()
  }

  /** Resolves after one round of the event loop: enough where the caller notices that more is under way. */
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
function realImmediate(): Immediate | undefined {
  const { setImmediate: immediate } = globalThis
  const isReal = typeof immediate === 'function' && !('clock' in immediate) && !('_isMockFunction' in immediate)
  return isReal ? immediate : undefined
}
