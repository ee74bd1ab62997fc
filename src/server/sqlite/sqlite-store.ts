// Fake timers may replace the global `setImmediate`, but the disk must not wait for a test's clock.
import { setImmediate as atNextTurn } from 'node:timers'
import type { Store, StoredCommit, StoredState } from '../../core/operation/store.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { quote } from '../../core/schema/text.ts'
import type { RunSql } from '../../core/store/sql.ts'
import { readVersions, type StoredVersions, sqlStore } from '../../core/store/sql-store.ts'
import { requireStoreOnly } from '../../core/store/sql-tables.ts'
import { nodeSqlite, SqliteFile } from './sqlite-file.ts'

/** A store in a file that stays open until you close it. */
export interface SqliteStore extends Store {
  flushed(): Promise<void>
  /** Writes the pending commits, and closes the file. After this, the store throws. */
  close(): void
}

/**
 * A store in one SQLite file, for a served gateway: `gateway.db`, and `gateway.db-wal` while it is open. The commits of requests that
 * arrive together share one transaction and one sync to disk, and their responses wait for it. While the store is open, no other process or
 * store can open the file. Only the file's owner can read it, because it contains secrets.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * import { serve, sqliteStore } from 'fauxgate/node'
 * const store = sqliteStore('gateway.db')
 * const server = await serve(createGateway({ store, authorityKeys: 'fresh' }))
 * await server.close()
 * store.close()
 * ```
 * @throws Error if the file cannot be opened, is damaged or in use, or if Node is older than 22.13 and has no SQLite. TypeError
 * for a value that is not a path.
 */
export function sqliteStore(file: string): SqliteStore {
  if (typeof file !== 'string' || file === '') {
    throw new TypeError(`file is ${describeReceived(quote(file))}. Allowed: the path of a file.`)
  }
  return openStore(file)
}

/** Opens a file for a command. The store's `versions()` shows what a migration changed. */
export function openStore(file: string): GroupedStore {
  return new GroupedStore(new SqliteFile(file, nodeSqlite(), requireStoreOnly))
}

/** A store in an open SQLite file. Its methods are bound, so the copy `{ ...store }` is also a store. */
export class GroupedStore implements SqliteStore {
  readonly #file: SqliteFile
  readonly #store: Store
  #group: ReturnType<typeof createGroup> | undefined
  /** The error of the most recent failed flush. Until the next load, the store throws it, because commits were lost. */
  #failure: unknown
  #isClosed = false

  readonly #run: RunSql = (sql, ...values) => this.#file.run(sql, values)

  constructor(file: SqliteFile) {
    this.#file = file
    // The whole group is written in one transaction.
    this.#store = sqlStore(this.#run, (work) => work())
    process.once('exit', this.close)
    allowExitListeners(1)
  }

  readonly load = (): StoredState | undefined => {
    this.#requireOpen()
    this.#flush()
    let state: StoredState | undefined
    this.#file.atomically(() => {
      state = this.#store.load()
    })
    this.#failure = undefined
    return state
  }

  /** Returns the versions of the file's tables and records, or undefined if the file is empty. */
  readonly versions = (): StoredVersions | undefined => readVersions(this.#run)

  readonly append = (commit: StoredCommit): void => {
    this.#requireOpen()
    if (this.#failure) throw this.#failure
    if (!this.#group) {
      this.#group = createGroup()
      // All requests that have already arrived are handled before this, so they join the group.
      atNextTurn(() => this.#flush())
    }
    this.#group.commits.push(commit)
  }

  readonly flushed = (): Promise<void> => {
    return this.#group?.safe ?? Promise.resolve()
  }

  readonly close = (): void => {
    if (this.#isClosed) return
    process.off('exit', this.close)
    allowExitListeners(-1)
    this.#flush()
    this.#isClosed = true
    this.#file.close()
  }

  #flush(): void {
    const group = this.#group
    if (!group) return
    this.#group = undefined
    try {
      this.#file.markAsOpen()
      this.#file.atomically(() => {
        for (const commit of group.commits) this.#store.append(commit)
      })
      group.resolve()
    } catch (error) {
      this.#failure = this.#file.name(error)
      group.reject(this.#failure)
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the store is closed')
  }
}

/** Raises or lowers the listener limit, so many open stores do not trigger Node's leak warning. */
function allowExitListeners(more: number): void {
  const limit = process.getMaxListeners()
  if (limit > 0) process.setMaxListeners(limit + more)
}

/** Returns an empty group, for commits that are written together. */
function createGroup() {
  const commits: StoredCommit[] = []
  let resolve = () => {}
  let reject: (error: unknown) => void = () => {}
  const safe = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Callers of `flushed` handle the rejection. Direct calls do not wait for the disk.
  safe.catch(() => undefined)
  return { commits, safe, resolve, reject }
}
