import type { Change, Commit } from '../operation/collection.ts'
import { callSafely } from '../schema/print.ts'
import { timestamp } from '../schema/time.ts'
import { deepFreeze } from '../schema/values.ts'
import type { PublicRecords } from './public-records.ts'
import type { RecordChange } from './records.ts'

/** A commit with its stored records, including secrets. */
export class RawCommit {
  #publicCommit: Commit | undefined
  #publicChanges: readonly Change[] | undefined

  constructor(
    readonly operation: string,
    readonly now: number,
    /** The changes, including secrets. */
    readonly changes: readonly RecordChange[],
    readonly publicRecords: PublicRecords,
  ) {}

  /** Returns the commit in its public form. */
  toPublic(): Commit {
    this.#publicCommit ??= new PublicCommit(this)
    return this.#publicCommit
  }

  get publicChanges(): readonly Change[] {
    this.#publicChanges ??= deepFreeze(this.changes.map((change) => this.publicRecords.ofChange(change)))
    return this.#publicChanges
  }
}

/** Returns an object for a subclass to add its fields to. */
class PlainObject {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a commit must equal an object literal, so it has the prototype of one
    return object
  }
}

/** The function that Node's `console.log` calls to format an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/**
 * The public form of a commit. Its changes are created when they are first read: creating them for every commit takes ten times as long as
 * the commits themselves, and most subscribers read only a few. All commits share one getter. If each commit had its own closure, V8 would
 * create a hidden class for each one and keep the commit in memory for a long time.
 */
class PublicCommit extends PlainObject implements Commit {
  declare readonly operation: string
  declare readonly at: string
  declare readonly changes: readonly Change[]
  readonly #raw: RawCommit

  constructor(raw: RawCommit) {
    super({ operation: raw.operation })
    this.#raw = raw
    Object.freeze(Object.defineProperties(this, PublicCommit.#properties))
  }

  static readonly #properties = {
    at: {
      enumerable: true,
      get(this: PublicCommit) {
        return timestamp(this.#raw.now)
      },
    },
    changes: {
      enumerable: true,
      get(this: PublicCommit) {
        return this.#raw.publicChanges
      },
    },
    // Otherwise, the console would show `[Getter]` for the changes.
    [INSPECT]: {
      value(this: Commit) {
        return { ...this }
      },
    },
  }
}

/** The code that creates the events of an account. */
export interface EventWriter {
  /** Called with each commit, within the call that makes it. */
  add(commit: RawCommit): void
  /** Drops the events of the current call, whose commits were undone. */
  drop(): void
  /** Sends the events of the current call once it has ended. */
  send(): void
}

interface Subscriber {
  readonly callback: (commit: RawCommit) => void
  /** The collection whose changes the subscriber receives, or undefined if it receives all commits. */
  readonly collection: string | undefined
}

/** Calls subscribers with commits, in order, at the end of the call that made the commits. */
export class Subscribers {
  /** A number that increases with each commit, and each time the state is replaced. */
  revision = 0
  /** The revision at the end of the most recent call. */
  #lastRevision = 0
  readonly #all = new Set<Subscriber>()
  readonly #watchers = new Set<() => void>()
  /** The commits of the current call. */
  #pending: RawCommit[] = []
  readonly #queue: RawCommit[] = []
  #isDelivering = false
  /** Undefined for a gateway without events. */
  events: EventWriter | undefined

  get size(): number {
    return this.#all.size + this.#watchers.size
  }

  /** Adds a subscriber to all commits, or to those that change a collection. Returns a function that removes the subscriber. */
  add(callback: Subscriber['callback'], collection?: string): () => void {
    // A new object each time, because a function may subscribe twice.
    const subscriber = { callback, collection }
    this.#all.add(subscriber)
    return () => void this.#all.delete(subscriber)
  }

  /** Adds a function that is called at the end of each call that changed the state. Returns a function that removes it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Counts a commit. If the commit has a subscriber, keeps it until the end of the call. */
  enqueue(commit: RawCommit): void {
    this.revision++
    this.events?.add(commit)
    for (const each of this.#all) {
      if (isSubscribed(each, commit)) {
        this.#pending.push(commit)
        return
      }
    }
  }

  /** Drops the commits of the current call because they were undone. */
  dropPending(): void {
    this.#pending = []
    this.events?.drop()
  }

  /** Delivers the pending commits. If a subscriber calls the gateway, the commits of that call join the queue. */
  deliver(): void {
    if (this.revision !== this.#lastRevision) for (const each of this.#watchers) each()
    this.#lastRevision = this.revision
    this.events?.send()
    if (this.#pending.length === 0) return
    for (const commit of this.#pending) this.#queue.push(commit)
    this.#pending = []
    if (this.#isDelivering) return
    this.#isDelivering = true
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        for (const each of [...this.#all])
          if (isSubscribed(each, next)) callSafely('gateway', () => each.callback(next))
      }
    } finally {
      this.#isDelivering = false
    }
  }
}

function isSubscribed({ collection }: Subscriber, { changes }: RawCommit): boolean {
  return collection === undefined || changes.some((each) => each.collection.name === collection)
}
