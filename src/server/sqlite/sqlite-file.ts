import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs'
import type { SqlValue } from '../../store/sql-store.ts'
import { caught } from '../errors.ts'
import { realFile, reasonFor } from '../files.ts'

export interface Database {
  exec(sql: string): void
  prepare(sql: string): { all(...values: (string | number | null)[]): object[] }
  close(): void
}

export type OpenDatabase = (file: string, options?: { readonly readOnly: boolean }) => Database

type DatabaseClass = new (...args: Parameters<OpenDatabase>) => Database

/**
 * Returns Node's own SQLite.
 * @throws Error if this Node has none.
 */
export function nodeSqlite(): OpenDatabase {
  // An import would fail at once on a Node that has none, for those too who never use it.
  const module = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined
  if (!module) {
    throw new Error(
      `A SQLite file needs Node 22.13 or newer, which has SQLite built in. This is Node ${process.version}.`,
    )
  }
  const { DatabaseSync } = module
  // It takes no options, or some; undefined is neither.
  return (file, options) => (options ? new DatabaseSync(file, options) : new DatabaseSync(file))
}

/** A SQLite file that nobody else has open: with a write-ahead log, synced at every commit. */
export class SqliteFile {
  readonly #database: Database
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>()
  /** Inodes of the opened files, by name. */
  readonly #opened: ReadonlyMap<string, number | undefined>

  /**
   * Opens a file, or makes it, readable by its owner only.
   * @throws Error if it cannot be opened, is no SQLite file, is damaged, or is in use.
   */
  constructor(file: string, open: OpenDatabase) {
    try {
      const real = realFile(file)
      this.#database = opened(real, open)
      this.#opened = new Map([real, `${real}-wal`].map((name) => [name, inodeOf(name)]))
    } catch (error) {
      throw new Error(`The store ${file} cannot be opened: ${reasonOf(error)}.`, { cause: error })
    }
  }

  run(sql: string, values: readonly SqlValue[]): object[] {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement.all(...values)
  }

  /** Runs work as one transaction, which is on the disk when this returns. */
  atomically(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#requireThere()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#requireThere()
  }

  close(): void {
    this.#database.close()
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // After some failures, such as a full disk, SQLite has done it already.
    }
  }

  /** Throws if a file was deleted or replaced: writes to it would be gone with this process. */
  #requireThere(): void {
    for (const [name, inode] of this.#opened) {
      if (inodeOf(name) !== inode) throw new Error(`the file ${name} was deleted or replaced`)
    }
  }
}

function opened(file: string, open: OpenDatabase): Database {
  // One that is there is not opened but by SQLite: at the end of that, the locks of this whole process on it would go.
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) closeSync(openSync(file, 'wx', 0o600))
  else if (!found.isFile()) throw new Error('it is no file')
  else {
    // SQLite would only say that it cannot open it.
    accessSync(file, constants.W_OK)
    if (existsSync(`${file}-journal`)) rollBackJournal(file, open)
    else if (found.size > 0) requireSound(file, open)
  }
  // Not before: what is somebody else's keeps its rights.
  chmodSync(file, 0o600)
  const database = open(file)
  try {
    for (const statement of [
      // Held until the file is closed, or the process ends in whatever way.
      'PRAGMA locking_mode = EXCLUSIVE',
      'PRAGMA journal_mode = WAL',
      'PRAGMA synchronous = FULL',
      // Takes the lock, and makes the log.
      'BEGIN IMMEDIATE',
      'COMMIT',
    ]) {
      database.exec(statement)
    }
    // The look at a log makes one, which nobody uses who has the file alone.
    rmSync(`${file}-shm`, { force: true })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Lets work use a database, and closes it. */
export function using<T>(database: Database, work: (database: Database) => T): T {
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** A process that was killed while it made the file leaves a journal. Only who may write can roll it back. */
function rollBackJournal(file: string, open: OpenDatabase): void {
  using(open(file), (database) => database.prepare('PRAGMA user_version').all())
  if (statSync(file).size > 0) requireSound(file, open)
}

/** Lets SQLite check the whole file, without a right to change it: a damaged file stays unchanged. */
function requireSound(file: string, open: OpenDatabase): void {
  const found = using(open(file, { readOnly: true }), (database) => database.prepare('PRAGMA quick_check').all())
  // The column of the statement.
  const findings = (found as { quick_check: string }[]).map(({ quick_check }) => quick_check)
  const problems = findings.filter((finding) => finding !== 'ok')
  if (problems.length > 0) throw new Error(`it is damaged: ${problems.join('; ')}`)
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

/** SQLite's result code of a lock that somebody else has. */
const SQLITE_BUSY = 5

function reasonOf(error: unknown): string {
  const { errcode }: Error & { errcode?: number } = caught(error)
  return errcode === SQLITE_BUSY ? 'another process, or another store, has it open' : reasonFor(error)
}
