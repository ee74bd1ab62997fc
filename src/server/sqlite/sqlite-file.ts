import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { RunSql, SqlValue } from '../../core/store/sql.ts'
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
 * @throws Error if this version of Node does not include SQLite.
 */
export function nodeSqlite(): OpenDatabase {
  // Without SQLite in Node, an import would fail even for users who never open a file.
  const module = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined
  if (!module) {
    throw new Error(
      `A SQLite file requires Node 22.13 or newer, which has SQLite built in. This is Node ${process.version}. ` +
        'On the command line, --state saves to a JSON file instead.',
    )
  }
  const { DatabaseSync } = module
  // The constructor does not accept `undefined` as options.
  return (file, options) => (options ? new DatabaseSync(file, options) : new DatabaseSync(file))
}

/** A SQLite file with an exclusive lock and a write-ahead log that is synced at every commit. */
export class SqliteFile {
  readonly #name: string
  readonly #database: Database
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>()
  /** Inodes of the opened files, by name. */
  readonly #inodes: ReadonlyMap<string, number | undefined>

  /** True if the file is marked as open. With this mark, a copy without the log can be detected and rejected. */
  #isMarked = false

  /**
   * Opens a file, or creates it. Only the owner can read it. With `check`, the file must be fauxgate's own: `check` throws before
   * any change if it belongs to another program.
   * @throws Error if the file cannot be opened, is not a SQLite file, is damaged, or is in use.
   */
  constructor(file: string, open: OpenDatabase, check?: (run: RunSql) => void) {
    this.#name = file
    try {
      const real = realFile(file)
      this.#database = openExclusively(real, open, check)
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

  /** Runs work as one transaction, which is on disk when this function returns. */
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

  /** Returns an error of SQLite with the name of the file, and any other error unchanged. */
  name(error: unknown): unknown {
    const { code, errcode, message } = asSqliteError(error)
    if (code !== 'ERR_SQLITE_ERROR') return error
    const problem = errcode === SQLITE_FULL ? 'the disk is full. Free some space on it' : message
    return new Error(`${this.#name} cannot be written: ${problem}.`, { cause: error })
  }

  /** Marks the file itself as open, before the first change. Its log already exists, so a killed process leaves both. */
  markAsOpen(): void {
    if (this.#isMarked) return
    this.#database.exec(`PRAGMA user_version = ${OPEN}`)
    this.#isMarked = true
    this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  }

  close(): void {
    if (this.#isMarked) this.#removeMark()
    this.#database.close()
  }

  /** SQLite writes the change into the file itself before removing the log. */
  #removeMark(): void {
    try {
      // On a full disk, a checkpoint makes room for the change.
      this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
      this.#database.exec('PRAGMA user_version = 0')
    } catch {
      // The disk failed. The log stays, as after a kill.
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // After some failures, such as a full disk, SQLite has already rolled back.
    }
  }

  /** Throws an error if a file was deleted or replaced, because later writes would be lost when this process ends. */
  #requireSameFiles(): void {
    for (const [name, inode] of this.#inodes) {
      if (inodeOf(name) !== inode)
        throw new Error(`the file ${name} was deleted or replaced. Put it back, or restart the server.`)
    }
  }
}

/** The `user_version` of a file whose newest changes are in its log. */
const OPEN = 1

function openExclusively(file: string, open: OpenDatabase, check: ((run: RunSql) => void) | undefined): Database {
  // Only SQLite may open an existing file: when this process closes any other handle, it loses all its locks on the file.
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) closeSync(openSync(file, 'wx', 0o600))
  else if (!found.isFile()) throw new Error('it is not a file')
  else {
    // SQLite's own error would not state why the file cannot be opened.
    accessSync(file, constants.W_OK)
    if (existsSync(`${file}-journal`)) rollBackJournal(file, open, check)
    else if (found.size > 0) requireIntact(file, open, check)
  }
  // After the checks, so the mode of any other file stays unchanged.
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
    // The check of an existing log creates this file. With an exclusive lock, it is not used.
    rmSync(`${file}-shm`, { force: true })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Runs work with a database, and closes the database. */
export function withDatabase<T>(database: Database, work: (database: Database) => T): T {
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Rolls back the journal of a process that was killed while creating the file. Requires write access. */
function rollBackJournal(file: string, open: OpenDatabase, check: ((run: RunSql) => void) | undefined): void {
  withDatabase(open(file), (database) => database.prepare('PRAGMA user_version').all())
  if (statSync(file).size > 0) requireIntact(file, open, check)
}

/** Checks the whole file with SQLite. The file is opened read-only so that a damaged file is not changed. */
function requireIntact(file: string, open: OpenDatabase, check: ((run: RunSql) => void) | undefined): void {
  // Reading the file may create a log.
  const hasLog = existsSync(`${file}-wal`)
  withDatabase(open(file, { readOnly: true }), (database) => {
    try {
      requireQuickCheck(database)
      if (!check) return
      const [mark] = database.prepare('PRAGMA user_version').all() as { user_version: number }[] // The column's name.
      if (mark?.user_version === OPEN && !hasLog) throw new Error(copiedProblem(file))
      check((sql, ...values) => database.prepare(sql).all(...values))
    } catch (error) {
      // This connection still holds its lock, so the log is its own. A later start must not mistake it for the file's log.
      if (!hasLog) for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
      throw error
    }
  })
}

function requireQuickCheck(database: Database): void {
  const [pages] = database.prepare('PRAGMA page_count').all() as { page_count: number }[] // The column's name.
  // SQLite treats a file of one byte as empty, and would overwrite it.
  if (pages?.page_count === 0) throw new Error('file is not a database')
  // The result has one column, with this name.
  const found = database.prepare('PRAGMA quick_check').all() as { quick_check: string }[]
  const problems = found.map(({ quick_check }) => quick_check).filter((finding) => finding !== 'ok')
  if (problems.length > 0) throw new Error(`it is damaged: ${problems.join('; ')}`)
}

function copiedProblem(file: string): string {
  return (
    `it was copied while a gateway had it open, and its log ${basename(file)}-wal, which contains the newest changes, is missing. ` +
    'Copy it after the server has stopped, or use "fauxgate state export"'
  )
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

/** SQLite's result code for a file locked by another connection. */
const SQLITE_BUSY = 5

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13

const asSqliteError = (error: unknown): NodeJS.ErrnoException & { errcode?: number } => asSystemError(error)

function openProblem(error: unknown): string {
  const { errcode } = asSqliteError(error)
  return errcode === SQLITE_BUSY ? 'another process or store has it open' : fileProblem(error)
}
