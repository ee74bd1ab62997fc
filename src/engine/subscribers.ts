import type { Commit } from '../operation/collection.ts'
import type { MadeCommit } from './made-commit.ts'

interface Subscriber {
  readonly tell: (commit: Commit) => void
  /** The collection whose changes it is told of; undefined for all. */
  readonly collection: string | undefined
}

/** Who is told of commits, in order. */
export class Subscribers {
  readonly #all = new Set<Subscriber>()
  /** Made by the call that is under way. */
  #made: MadeCommit[] = []
  readonly #untold: { readonly made: MadeCommit; readonly shown: Commit }[] = []

  get size(): number {
    return this.#all.size
  }

  /** Adds one, of all commits or of those that change a collection. Answers what ends that. */
  add(tell: (commit: Commit) => void, collection?: string): () => void {
    // One of its own per call, so that one function can subscribe twice.
    const own = { tell, collection }
    this.#all.add(own)
    return () => void this.#all.delete(own)
  }

  /** Takes a commit that is to be told once the call is over. */
  made(commit: MadeCommit): void {
    // To show one costs as much as making it, so those that nobody is told of stay as they are.
    for (const each of this.#all) {
      if (!isOf(commit, each)) continue
      this.#made.push(commit)
      return
    }
  }

  /** Forgets what was made since the last call: it was taken back. */
  forget(): void {
    this.#made = []
  }

  /** Tells what was made. A subscriber that calls the gateway makes further commits; they wait for their turn. */
  tell(): void {
    if (this.#made.length === 0) return
    const isTelling = this.#untold.length > 0
    for (const made of this.#made) this.#untold.push({ made, shown: made.shown() })
    this.#made = []
    if (isTelling) return
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      for (const each of [...this.#all]) if (isOf(next.made, each)) deliver(each.tell, next.shown)
      this.#untold.shift()
    }
  }
}

function isOf({ changes }: MadeCommit, { collection }: Subscriber): boolean {
  return collection === undefined || changes.some((each) => each.collection.name === collection)
}

/** An exception in a subscriber must not reach whoever made the commit. */
function deliver(subscriber: (commit: Commit) => void, commit: Commit): void {
  try {
    subscriber(commit)
  } catch (error) {
    console.error('A subscriber of the gateway threw:', error)
  }
}
