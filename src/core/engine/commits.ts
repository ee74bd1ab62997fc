import type { Commit } from '../operation/collection.ts'
import { requireFunction } from '../schema/options.ts'
import { printError } from '../schema/print.ts'
import { redactRecord } from '../schema/secret-fields.ts'
import type { Redactor } from '../schema/secret-texts.ts'
import { timestamp } from '../schema/time.ts'
import { deepFreeze } from '../schema/values.ts'
import { exportChange, type RecordChange } from './records.ts'

/** A commit with its stored records, secrets included. Its public form is made when it is first read. */
export class RawCommit {
  #publicCommit: Commit | undefined

  constructor(
    readonly operation: string,
    readonly now: number,
    /** The changes, secrets included. */
    readonly changes: readonly RecordChange[],
    readonly redactor: Redactor,
  ) {}

  /** Returns the commit as it may leave the gateway. */
  toPublic(): Commit {
    this.#publicCommit ??= deepFreeze({
      operation: this.operation,
      at: timestamp(this.now),
      changes: this.changes.map((change) => redactRecord(exportChange(change), this.redactor)),
    })
    return this.#publicCommit
  }
}

interface Subscriber {
  readonly callback: (commit: Commit) => void
  /** The collection whose changes the subscriber receives; undefined for all commits. */
  readonly collection: string | undefined
}

/** Calls subscribers with commits, in order, at the end of the call that made the commits. */
export class Subscribers {
  readonly #all = new Set<Subscriber>()
  /** The commits of the present call. */
  #pending: RawCommit[] = []
  readonly #queue: RawCommit[] = []
  #isDelivering = false

  get size(): number {
    return this.#all.size
  }

  /** Adds a subscriber to all commits, or to those that change a collection. Returns a function that removes the subscriber. */
  add(callback: (commit: Commit) => void, collection?: string): () => void {
    requireFunction('subscriber', callback)
    // A new object each time, because the same function may subscribe twice.
    const subscriber = { callback, collection }
    this.#all.add(subscriber)
    return () => void this.#all.delete(subscriber)
  }

  /** Keeps a commit until the end of the call, if it has a subscriber. */
  enqueue(commit: RawCommit): void {
    for (const each of this.#all) {
      if (isSubscribed(each, commit)) {
        this.#pending.push(commit)
        return
      }
    }
  }

  /** Drops the commits of the present call, which were undone. */
  dropPending(): void {
    this.#pending = []
  }

  /** Delivers the pending commits. If a subscriber calls the gateway, the commits of that call join the queue. */
  deliver(): void {
    if (this.#pending.length === 0) return
    for (const commit of this.#pending) this.#queue.push(commit)
    this.#pending = []
    if (this.#isDelivering) return
    this.#isDelivering = true
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        for (const each of [...this.#all]) if (isSubscribed(each, next)) callSafely(each.callback, next)
      }
    } finally {
      this.#isDelivering = false
    }
  }
}

function isSubscribed({ collection }: Subscriber, { changes }: RawCommit): boolean {
  return collection === undefined || changes.some((each) => each.collection.name === collection)
}

/** Calls a subscriber. Its exception must not reach the caller that made the commit. */
function callSafely(callback: Subscriber['callback'], commit: RawCommit): void {
  try {
    callback(commit.toPublic())
  } catch (error) {
    printError('A subscriber of the gateway threw:', error)
  }
}
