import type { Guard } from './guard.ts'
import type { Keeper } from './keeper.ts'
import type { Subscribers } from './subscribers.ts'

/** The calls of a gateway, one within the other: the outermost is one piece of work, kept and told as one. */
export class Calls {
  readonly #guard: Guard
  readonly #keeper: Keeper | undefined
  readonly #subscribers: Subscribers
  /** How many calls are under way. */
  #depth = 0

  constructor(guard: Guard, keeper: Keeper | undefined, subscribers: Subscribers) {
    this.#guard = guard
    this.#keeper = keeper
    this.#subscribers = subscribers
  }

  /** Does work as one call. What the outermost one changed is kept by the store when it ends, and told after that. */
  run<T>(work: () => T): T {
    this.#guard.requireOutside()
    this.#keeper?.requireState()
    this.#depth++
    try {
      return work()
    } finally {
      this.#depth--
      if (this.#depth === 0) this.#end()
    }
  }

  /** Has the store keep what is no change of a record, if there is anything. */
  end(): void {
    this.run(() => undefined)
  }

  /** Takes it that the clock begins a move, whose steps are kept as one. Answers what is to be called at its end. */
  moves(): () => void {
    const end = this.#keeper?.moves()
    return () => {
      end?.()
      if (this.#keeper?.isMoving === false) this.end()
    }
  }

  #end(): void {
    try {
      this.#keeper?.keep()
    } catch (error) {
      this.#subscribers.forget()
      throw error
    }
    this.#subscribers.tell()
  }
}
