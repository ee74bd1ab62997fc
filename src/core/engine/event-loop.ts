/** The number of event loop turns that streams and listeners need to finish their work. */
const TURNS = 4

/** The number of microtasks to wait for instead on a host without an event loop. */
const MICROTASKS = 4096

type SetImmediate = (callback: () => void) => unknown

/** Lets other code run. Works even if a test has faked all timers, because it uses no timer. */
export class EventLoop {
  readonly #setImmediate: SetImmediate | undefined
  readonly #channel: MessageChannel | undefined
  #resolve: (() => void) | undefined

  /** Uses the given `setImmediate`, or slower messages without it. */
  constructor(setImmediate: SetImmediate | undefined = findRealSetImmediate()) {
    this.#setImmediate = setImmediate
    if (setImmediate || typeof MessageChannel === 'undefined') return
    this.#channel = new MessageChannel()
    this.#channel.port1.onmessage = () => this.#resolve?.()
  }

  /** Resolves once all code that is waiting only for promises has run as far as it can. */
  async runOtherCode(): Promise<void> {
    const hasEventLoop = this.#setImmediate || this.#channel
    for (let left = hasEventLoop ? TURNS : MICROTASKS; left > 0; left--) await this.turn()
  }

  /** Resolves after one turn of the event loop. One turn is enough if the caller checks whether other code is still running. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#setImmediate) this.#setImmediate(resolve)
      else if (this.#channel) this.#channel.port2.postMessage(null)
      else resolve()
    })
  }

  /** Must be called at the end; otherwise, the process stays alive. */
  close(): void {
    this.#channel?.port1.close()
  }
}

/** Returns the host's `setImmediate`, or undefined if it is missing or fake. */
function findRealSetImmediate(): SetImmediate | undefined {
  const { setImmediate } = globalThis
  const isReal =
    typeof setImmediate === 'function' && !('clock' in setImmediate) && !('_isMockFunction' in setImmediate)
  return isReal ? setImmediate : undefined
}
