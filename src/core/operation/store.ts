/**
 * Stores commits, so that a gateway's state outlives its process. Only `flushed` is asynchronous, and only stores that flush several
 * commits together need it.
 *
 * Commits contain secrets, such as private keys and webhook secrets, so store them where nobody else can read them.
 *
 * @example
 * ```ts
 * import { createGateway, type Store, type StoredCommit } from 'fauxgate'
 * const commits: StoredCommit[] = []
 * const store: Store = { load: () => undefined, append: (commit) => void commits.push(commit) }
 * createGateway({ store }).reservedAddrs.create()
 * console.log(commits.at(-1)?.operation) // reserved_addrs.create
 * ```
 */
export interface Store {
  /**
   * Returns the state after the last stored commit, or undefined if no commit is stored yet. The gateway calls it once at startup, and
   * again after `flushed` has rejected. If it throws, `createGateway` throws the same error.
   */
  load(): StoredState | undefined
  /**
   * Stores one commit atomically. The gateway calls it once per API call, with everything that the call changed. If it
   * throws, the call is undone and fails with `store_failed`.
   */
  append(commit: StoredCommit): void
  /**
   * Resolves when all appended commits are flushed; HTTP responses wait for it. Returns undefined if all are already flushed. If it
   * rejects, all commits since the last flushed commit are lost. The gateway then undoes these commits, waiting requests fail with
   * `store_failed`, and the gateway calls `load` before it appends another commit. In a store without this method, a commit is flushed when
   * `append` returns.
   */
  flushed?(): Promise<void> | undefined
}

/** Everything that one call changed, including the due events that it ran. */
export interface StoredCommit {
  /** The operation, such as `reserved_domains.create`, or `reserved_domains.due`, `clock`, `reset`, `restore`, `control`. */
  readonly operation: string
  /** The gateway's time in ms since the Unix epoch. */
  readonly now: number
  /** The sequence number of the next ID. */
  readonly sequence: number
  /** The number for the first request ID after a restart. Smaller numbers may be in use. */
  readonly operations: number
  /** Set on the first commit, and on `reset` and `restore`. The store must then delete all earlier records. */
  readonly replaces?: StoredFacts
  /** The new record for each key, including secrets, or null for a removed record. Each key occurs once. */
  readonly changes: readonly StoredChange[]
}

/** The fields of records with their value types, in alphabetical order, by collection. */
export type StoredFields = Readonly<Record<string, readonly string[]>>

/** The facts that change only when the whole state is replaced. */
export interface StoredFacts {
  /** The version of the record format. A gateway reads its own version and older versions, and rejects newer versions. */
  readonly version: number
  /** The seed for IDs and, with the published test keys, for automatic certificates. */
  readonly seed: string
  /**
   * For each collection, the fields that the gateway's records may have, such as `size: number`. A gateway rejects a store with an unknown field.
   * Older stores don't include this list.
   */
  readonly fields?: StoredFields
}

/** The change to one stored record. */
export interface StoredChange {
  /** The collection, such as `reserved_domains`. */
  readonly collection: string
  /** The record's key in its collection. */
  readonly key: string
  /** The stored form of the record, frozen plain JSON, or null for a removed record. */
  readonly after: object | null
}

/** The state that a store returns: the facts of the last commit, and all records. */
export interface StoredState extends StoredFacts, Pick<StoredCommit, 'now' | 'sequence' | 'operations'> {
  /** All records, each key once, in any order. Loading is fastest if the oldest records come first. */
  readonly records: Iterable<StoredRecord>
}

/** A stored record. */
export interface StoredRecord extends Pick<StoredChange, 'collection' | 'key'> {
  /** The `after` of the record's last change, as parsed from JSON. */
  readonly record: object
}
