import type { Store } from '../operation/store.ts'

interface FlushListener {
  /** Called when everything that was appended is flushed. */
  flushed(): void
  /** Called once per loss, before any caller that waits is rejected. */
  lost(): void
}

/** Knows whether everything that was appended to a store is flushed. */
export class FlushTracker {
  readonly #store: Store
  readonly #listener: FlushListener
  #flushing: Promise<void> | undefined
  #losses = 0
  #isAwaited = false

  constructor(store: Store, listener: FlushListener) {
    this.#store = store
    this.#listener = listener
  }

  /** Settles when everything is flushed, or lost; undefined if it is flushed already. */
  get awaited(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  appended(): void {
    const flushing = this.#store.flushed?.()
    if (!flushing) this.#listener.flushed()
    if (!flushing || flushing === this.#flushing) return
    this.#flushing = flushing
    const losses = this.#losses
    flushing.then(
      () => this.#flushing === flushing && this.#done(),
      (error) => this.#losses === losses && this.#lost(error),
    )
  }

  #lost(error: unknown): void {
    this.#losses++
    // Direct calls have returned long ago, so nobody else would see the error.
    if (!this.#isAwaited) console.error('The store of the gateway lost what was not yet safe:', error)
    this.#forget()
    this.#listener.lost()
  }

  #done(): void {
    this.#forget()
    this.#listener.flushed()
  }

  #forget(): void {
    this.#flushing = undefined
    this.#isAwaited = false
  }
}
