/**
 * A place for commits, so that a gateway outlives its process. Only `flushed` is asynchronous; a store needs it if it makes
 * several commits safe at once.
 *
 * Commits hold secrets: private keys, and those of webhooks. Keep them where nobody else reads them.
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
   * The state after the last stored commit; undefined if there is none yet. Read once at the start, and again
   * after `flushed` has rejected. Throws: `createGateway` throws the same.
   */
  load(): StoredState | undefined
  /**
   * Stores one commit, as a whole or not at all. Called once per call to the gateway, with everything that the call
   * changed. Throws: the call is undone, and refused with `store_failed`.
   */
  append(commit: StoredCommit): void
  /**
   * Resolves when all that was appended is safe; answers over HTTP wait for it. Rejects: all since the last safe commit is
   * gone, from the gateway too, whoever waits is refused with `store_failed`, and the store takes no commit before it was
   * loaded again. A store without it is safe when `append` returns.
   */
  flushed?(): Promise<void>
}

/** Everything that one call changed, due events that it settled included. */
export interface StoredCommit {
  /** The operation, such as `reserved_domains.create`, or `provisioning`, `clock`, `reset`, `restore`, `control`. */
  readonly operation: string
  /** The gateway's time in ms since 1970. */
  readonly now: number
  /** The number that the next id comes from. */
  readonly sequence: number
  /** The number that ids of requests come from after a restart; smaller ones may be in use. */
  readonly operations: number
  /** Set on the first commit, on `reset` and on `restore`: forget everything from before. */
  readonly replaces?: StoredFacts
  /** The new record under each key, secrets included; null for a record that was removed. Each key once. */
  readonly changes: readonly StoredChange[]
}

/** The facts that stay the same from one replacement of the whole state to the next. */
export interface StoredFacts {
  /** The version of the records' form. A gateway reads its own and refuses any other. */
  readonly version: number
  /** The seed of ids and, with the published test keys, of automatic certificates. */
  readonly seed: string
}

/** The change of one stored record. */
export interface StoredChange {
  /** The collection, such as `reserved_domains`. */
  readonly collection: string
  /** The record's key in its collection. */
  readonly key: string
  /** The stored form of the record, plain JSON and frozen; null for a record that was removed. */
  readonly after: object | null
}

/** The state that a store returns: the facts of the last commit, and all records. */
export interface StoredState extends StoredFacts, Pick<StoredCommit, 'now' | 'sequence' | 'operations'> {
  /** All records, each key once, in any order; oldest first is quickest. */
  readonly records: Iterable<StoredRecord>
}

/** A stored record. */
export interface StoredRecord extends Pick<StoredChange, 'collection' | 'key'> {
  /** The record that `after` was, as JSON has it. */
  readonly record: object
}
