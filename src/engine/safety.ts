import type { Store } from '../operation/store.ts'

/** Knows whether everything that was appended to a store is safe. */
export class Safety {
  readonly #store: Store
  readonly #lost: () => void
  #flushing: Promise<void> | undefined
  /** How often something was lost. */
  #losses = 0
  #isAwaited = false

  /** `lost` is called once where the store has lost what was not safe, before anyone who waits is told. */
  constructor(store: Store, lost: () => void) {
    this.#store = store
    this.#lost = lost
  }

  /** Settles when everything is safe, or lost; undefined where it is safe already. */
  get awaited(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  /** Takes it that something was appended. */
  appended(): void {
    const flushing = this.#store.flushed?.()
    if (!flushing || flushing === this.#flushing) return
    this.#flushing = flushing
    const losses = this.#losses
    flushing.then(
      () => this.#flushing === flushing && this.#done(),
      (error) => this.#losses === losses && this.#failed(error),
    )
  }

  #failed(error: unknown): void {
    this.#losses++
    // Whoever called directly had the answer at once.
    if (!this.#isAwaited) console.error('The store of the gateway lost what was not yet safe:', error)
    this.#done()
    this.#lost()
  }

  #done(): void {
    this.#flushing = undefined
    this.#isAwaited = false
  }
}
