import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecret } from '../../core/engine/random.ts'
import { UsageError } from '../errors.ts'
import { readText, writeError } from '../files.ts'
import { nodeSqlite, type OpenDatabase, SqliteFile, withDatabase } from '../sqlite/sqlite-file.ts'
import { lockFolder } from './folder-lock.ts'

/**
 * Creates the data folder (accessible only to its owner) unless it exists, and locks it. Removes the files of deleted sandboxes. Returns
 * their number, and a function that releases the lock.
 * @throws Error if the folder cannot be written, or another process uses it.
 */
export async function openDataFolder(folder: string): Promise<{ removed: number; unlock: () => void }> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw writeError(folder, error, 'folder')
  }
  const unlock = await lockFolder(folder)
  return { removed: removeLeftFiles(folder), unlock }
}

/** Removes the files of deleted sandboxes, and returns their number. */
function removeLeftFiles(folder: string): number {
  // workerd stores the objects of the class in this folder.
  const objects = join(folder, 'fauxgate-sandbox')
  // On older versions of Node, without SQLite, nothing is removed.
  const open = process.getBuiltinModule?.('node:sqlite') && nodeSqlite()
  const metadata = join(objects, 'metadata.sqlite')
  if (!open || !existsSync(metadata)) return 0
  // Throws if another process has opened the file, such as a running workerd.
  new SqliteFile(metadata, open).close()
  return removeEmptyDatabases(objects, open)
}

const PAGE_BYTES = 4096

/**
 * Removes the files of deleted sandboxes, and returns their number: workerd empties the database of a deleted object but leaves the file.
 * After a kill, some databases are empty only when read together with their log, as SQLite does.
 */
function removeEmptyDatabases(objects: string, open: OpenDatabase): number {
  const empty = readdirSync(objects)
    .filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
    .map((name) => join(objects, name))
    .filter((file) => statSync(file).size <= PAGE_BYTES || existsSync(`${file}-wal`))
    .filter((file) => hasNoTables(file, open))
  for (const file of empty) rmSync(file)
  return empty.length
}

/** Returns true if a database is empty, and false if it cannot be read. */
function hasNoTables(file: string, open: OpenDatabase): boolean {
  try {
    return withDatabase(
      open(file),
      (database) => database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').all().length === 0,
    )
  } catch {
    return false
  }
}

/** The account key, from the environment or the data folder. */
export interface AccountKey {
  readonly key: string
  /** A POSIX shell expression whose value is the key. */
  readonly shellExpression: string
  /** The file that this call created for the key. */
  readonly createdIn?: string
}

/** Returns the account key. If there is none, creates one in the folder, in a file that only its owner can read. */
export async function readOrCreateAccountKey(folder: string, { ACCOUNT_KEY }: NodeJS.ProcessEnv): Promise<AccountKey> {
  if (ACCOUNT_KEY === '') throw new UsageError('ACCOUNT_KEY is empty. Set a value, or unset it.')
  if (ACCOUNT_KEY !== undefined) return { key: ACCOUNT_KEY, shellExpression: '$ACCOUNT_KEY' }
  const file = join(folder, 'account-key')
  const shellExpression = `$(cat '${file.replaceAll("'", String.raw`'\''`)}')`
  if (!existsSync(file)) {
    const key = createSecret()
    writeFileSync(file, `${key}\n`, { flag: 'wx', mode: 0o600 })
    return { key, shellExpression, createdIn: file }
  }
  const key = (await readText(file)).trim()
  if (key === '') throw new Error(`${file} is empty. Write the account key into it, or remove it.`)
  return { key, shellExpression }
}
