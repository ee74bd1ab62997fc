import type { Store } from '../../operation/store.ts'
import { printError } from '../../schema/print.ts'

/** Tracks whether a store has flushed all appended commits. */
export class FlushTracker {
  #flushing: Promise<void> | undefined
  /** The number of times that commits have been lost so far. */
  #losses = 0
  /** True if a caller is waiting for the flush and will receive its error. */
  #isAwaited = false

  constructor(
    readonly store: Store,
    /** Called when everything is flushed. */
    readonly onFlushed: () => void,
    /** Called once per loss, before any waiting caller is rejected. */
    readonly onLost: () => void,
  ) {}

  /** Returns a promise that settles when the store has flushed or lost all commits, or undefined if all commits are already flushed. */
  waitForFlush(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  /** Must be called after each append. */
  trackAppend(): void {
    const flushing = this.store.flushed?.()
    if (!flushing || flushing === this.#flushing) return
    this.#flushing = flushing
    const lossesBefore = this.#losses
    flushing.then(
      () => this.#flushing === flushing && this.#end(this.onFlushed),
      (error) => {
        if (this.#losses !== lossesBefore) return
        this.#losses++
        // Direct calls have already returned, so nobody else would see the error.
        if (!this.#isAwaited) printError("The gateway's store lost unflushed commits:", error)
        this.#end(this.onLost)
      },
    )
  }

  #end(callback: () => void): void {
    this.#flushing = undefined
    this.#isAwaited = false
    callback()
  }
}
