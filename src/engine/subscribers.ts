import type { Commit } from '../contract/commit.ts'
import type { MadeCommit } from './made-commit.ts'

/** Who is told of every commit, in order. */
export class Subscribers {
  readonly #all = new Set<(commit: Commit) => void>()
  /** Made by the call that is under way. */
  #made: MadeCommit[] = []
  readonly #untold: Commit[] = []

  get size(): number {
    return this.#all.size
  }

  /** Adds one. Answers what ends that. */
  add(subscriber: (commit: Commit) => void): () => void {
    // A subscriber of its own per call, so that one function can subscribe twice.
    const own = (commit: Commit) => subscriber(commit)
    this.#all.add(own)
    return () => void this.#all.delete(own)
  }

  /** Takes a commit that is to be told once the call is over. */
  made(commit: MadeCommit): void {
    if (this.#all.size > 0) this.#made.push(commit)
  }

  /** Forgets what was made since the last call: it was taken back. */
  forget(): void {
    this.#made = []
  }

  /** Tells what was made. A subscriber that calls the gateway makes further commits; they wait for their turn. */
  tell(): void {
    if (this.#made.length === 0) return
    const isTelling = this.#untold.length > 0
    for (const commit of this.#made) this.#untold.push(commit.shown())
    this.#made = []
    if (isTelling) return
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      for (const subscriber of [...this.#all]) deliver(subscriber, next)
      this.#untold.shift()
    }
  }
}

/** An exception in a subscriber must not reach whoever made the commit. */
function deliver(subscriber: (commit: Commit) => void, commit: Commit): void {
  try {
    subscriber(commit)
  } catch (error) {
    console.error('A subscriber of the gateway threw:', error)
  }
}
