import type { Commit } from '../operation/collection.ts'
import { requireFunction } from '../schema/options.ts'
import { withoutSecretTexts } from '../schema/secret-fields.ts'
import type { SecretTexts } from '../schema/secret-texts.ts'
import { timestamp } from '../schema/time.ts'
import { deepFreeze } from '../schema/values.ts'
import { exportChange, type RecordChange } from './records.ts'

/** A commit with its stored records. Its public form is made only if a subscriber reads it. */
export class RawCommit {
  #redacted: Commit | undefined

  constructor(
    readonly operation: string,
    readonly now: number,
    /** The changes, secrets included. */
    readonly changes: readonly RecordChange[],
    readonly hidden: SecretTexts,
  ) {}

  /** Returns the commit as it may leave the gateway. */
  redacted(): Commit {
    this.#redacted ??= deepFreeze({
      operation: this.operation,
      at: timestamp(this.now),
      changes: this.changes.map((change) => withoutSecretTexts(exportChange(change), this.hidden)),
    })
    return this.#redacted
  }
}

interface Subscriber {
  readonly call: (commit: Commit) => void
  /** The collection whose changes it subscribes to; undefined for all. */
  readonly collection: string | undefined
}

/** Calls subscribers with commits, in order, once the call that made them is over. */
export class Subscribers {
  readonly #all = new Set<Subscriber>()
  /** The commits of the present call. */
  #pending: RawCommit[] = []
  readonly #queue: RawCommit[] = []

  get size(): number {
    return this.#all.size
  }

  /** Adds a subscriber, of all commits or of those that change a collection. Returns a function that removes it. */
  add(call: (commit: Commit) => void, collection?: string): () => void {
    requireFunction('subscriber', call)
    // An object per call, so that one function can subscribe twice.
    const subscriber = { call, collection }
    this.#all.add(subscriber)
    return () => void this.#all.delete(subscriber)
  }

  enqueue(raw: RawCommit): void {
    // The public form costs as much as the commit itself, so a commit without a subscriber gets none.
    for (const each of this.#all) {
      if (!isSubscribed(each, raw)) continue
      this.#pending.push(raw)
      return
    }
  }

  /** Drops the commits of the present call, which were undone. */
  dropPending(): void {
    this.#pending = []
  }

  /** Delivers what is pending. A subscriber that calls the gateway makes further commits; they queue up. */
  deliver(): void {
    if (this.#pending.length === 0) return
    const isDelivering = this.#queue.length > 0
    for (const raw of this.#pending) this.#queue.push(raw)
    this.#pending = []
    if (isDelivering) return
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      for (const each of [...this.#all]) if (isSubscribed(each, next)) callSafely(each.call, next.redacted())
      this.#queue.shift()
    }
  }
}

function isSubscribed({ collection }: Subscriber, { changes }: RawCommit): boolean {
  return collection === undefined || changes.some((each) => each.collection.name === collection)
}

/** An exception in a subscriber must not reach whoever made the commit. */
function callSafely(subscriber: (commit: Commit) => void, commit: Commit): void {
  try {
    subscriber(commit)
  } catch (error) {
    console.error('A subscriber of the gateway threw:', error)
  }
}
