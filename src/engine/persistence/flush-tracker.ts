import type { Store } from '../../operation/store.ts'

/** Tracks whether a store has flushed every appended commit. */
export class FlushTracker {
  #flushing: Promise<void> | undefined
  #losses = 0
  #isAwaited = false

  constructor(
    readonly store: Store,
    /** Called when everything is flushed. */
    readonly onFlushed: () => void,
    /** Called once per loss, before any caller that waits is rejected. */
    readonly onLost: () => void,
  ) {}

  /** A promise that settles when the store has flushed or lost all commits; undefined if all are flushed already. */
  get awaited(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  trackAppend(): void {
    const flushing = this.store.flushed?.()
    if (!flushing) this.onFlushed()
    if (!flushing || flushing === this.#flushing) return
    this.#flushing = flushing
    const losses = this.#losses
    flushing.then(
      () => this.#flushing === flushing && this.#end(this.onFlushed),
      (error) => {
        if (this.#losses !== losses) return
        this.#losses++
        // Direct calls have returned long ago, so nobody else would see the error.
        if (!this.#isAwaited) console.error('The store of the gateway lost what was not yet safe:', error)
        this.#end(this.onLost)
      },
    )
  }

  #end(then: () => void): void {
    this.#flushing = undefined
    this.#isAwaited = false
    then()
  }
}
