import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'

/** What of somebody else's may be running inside a gateway. */
type Inside = 'a transaction' | 'its clock' | 'its store'

/** Keeps code that a gateway runs from calling the gateway meanwhile (rules: transactions#no-calls-from-inside). */
export class Guard {
  #inside: Inside | undefined

  /** Whether the code that runs now was called by the gateway. */
  get isInside(): boolean {
    return this.#inside !== undefined
  }

  /** Refuses a call that comes from code which the gateway itself is running. */
  requireOutside(): void {
    if (this.#inside) refuse(general.gateway_busy, { inside: this.#inside })
  }

  /** Runs code from which no call is allowed. */
  run<T>(inside: Inside, work: () => T): T {
    this.requireOutside()
    this.#inside = inside
    try {
      return work()
    } finally {
      this.#inside = undefined
    }
  }
}
