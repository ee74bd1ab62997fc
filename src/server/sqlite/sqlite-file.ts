import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs'
import type { SqlValue } from '../../core/store/sql-store.ts'
import { asSystemError } from '../errors.ts'
import { fileProblem, realFile } from '../files.ts'

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
  // On a Node without SQLite, an import would also fail for users who never open a file.
  const module = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined
  if (!module) {
    throw new Error(
      `A SQLite file needs Node 22.13 or newer, which has SQLite built in. This is Node ${process.version}.`,
    )
  }
  const { DatabaseSync } = module
  // The constructor does not accept `undefined` as options.
  return (file, options) => (options ? new DatabaseSync(file, options) : new DatabaseSync(file))
}

/** A SQLite file with an exclusive lock and a write-ahead log, which is synced at every commit. */
export class SqliteFile {
  readonly #database: Database
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>()
  /** Inodes of the opened files, by name. */
  readonly #inodes: ReadonlyMap<string, number | undefined>

  /**
   * Opens a file, or creates it. Only the owner can read it.
   * @throws Error if it cannot be opened, is no SQLite file, is damaged, or is in use.
   */
  constructor(file: string, open: OpenDatabase) {
    try {
      const real = realFile(file)
      this.#database = openExclusively(real, open)
      this.#inodes = new Map([real, `${real}-wal`].map((name) => [name, inodeOf(name)]))
    } catch (error) {
      throw new Error(`The store ${file} cannot be opened: ${openProblem(error)}.`, { cause: error })
    }
  }

  run(sql: string, values: readonly SqlValue[]): object[] {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement.all(...values)
  }

  /** Runs work as one transaction, which is on disk when this returns. */
  atomically(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#requireSameFiles()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#requireSameFiles()
  }

  close(): void {
    this.#database.close()
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // After some failures, such as a full disk, SQLite has already rolled back.
    }
  }

  /** Throws if a file was deleted or replaced: later writes would be lost when this process ends. */
  #requireSameFiles(): void {
    for (const [name, inode] of this.#inodes) {
      if (inodeOf(name) !== inode) throw new Error(`the file ${name} was deleted or replaced`)
    }
  }
}

function openExclusively(file: string, open: OpenDatabase): Database {
  // Only SQLite may open an existing file: when this process closes any other handle, it loses all its locks on the file.
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) closeSync(openSync(file, 'wx', 0o600))
  else if (!found.isFile()) throw new Error('it is no file')
  else {
    // SQLite's own error would not say why the file cannot be opened.
    accessSync(file, constants.W_OK)
    if (existsSync(`${file}-journal`)) rollBackJournal(file, open)
    else if (found.size > 0) requireIntact(file, open)
  }
  // After the checks, so that the mode of any other file stays unchanged.
  chmodSync(file, 0o600)
  const database = open(file)
  try {
    for (const statement of [
      // The lock is held until the file is closed or the process ends.
      'PRAGMA locking_mode = EXCLUSIVE',
      'PRAGMA journal_mode = WAL',
      'PRAGMA synchronous = FULL',
      // A transaction takes the lock and creates the log.
      'BEGIN IMMEDIATE',
      'COMMIT',
    ]) {
      database.exec(statement)
    }
    // The check of an existing log creates this file. With an exclusive lock, nobody uses it.
    rmSync(`${file}-shm`, { force: true })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Runs work with a database, and closes the database. */
export function using<T>(database: Database, work: (database: Database) => T): T {
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Rolls back the journal of a process that was killed while it created the file. This needs write access. */
function rollBackJournal(file: string, open: OpenDatabase): void {
  using(open(file), (database) => database.prepare('PRAGMA user_version').all())
  if (statSync(file).size > 0) requireIntact(file, open)
}

/** Lets SQLite check the whole file, opened read-only so that a damaged file stays unchanged. */
function requireIntact(file: string, open: OpenDatabase): void {
  const found = using(open(file, { readOnly: true }), (database) => database.prepare('PRAGMA quick_check').all())
  // The result has one column, with this name.
  const findings = (found as { quick_check: string }[]).map(({ quick_check }) => quick_check)
  const problems = findings.filter((finding) => finding !== 'ok')
  if (problems.length > 0) throw new Error(`it is damaged: ${problems.join('; ')}`)
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

/** SQLite's result code for a file that another connection has locked. */
const SQLITE_BUSY = 5

function openProblem(error: unknown): string {
  const { errcode }: Error & { errcode?: number } = asSystemError(error)
  return errcode === SQLITE_BUSY ? 'another process, or another store, has it open' : fileProblem(error)
}
