import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshSecret } from '../../engine/random.ts'
import { UsageError } from '../errors.ts'
import { notWritten, textOf } from '../files.ts'
import { nodeSqlite, type OpenDatabase, SqliteFile, using } from '../sqlite/sqlite-file.ts'

/**
 * Makes the folder for the data, for its owner only, unless it exists. Returns the number of files that it removed, which
 * are those of sandboxes that are gone.
 * @throws Error if it cannot be written, or another process has it open.
 */
export function openDataFolder(folder: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw notWritten(folder, error, 'folder')
  }
  // The folder that workerd has for the objects of the class.
  const objects = join(folder, 'fauxgate-sandbox')
  // An older Node has no SQLite. There, nothing is checked and nothing is removed.
  const open = process.getBuiltinModule?.('node:sqlite') && nodeSqlite()
  const metadata = join(objects, 'metadata.sqlite')
  if (!open || !existsSync(metadata)) return 0
  // It throws where another process has the file open, which workerd does as long as it runs.
  new SqliteFile(metadata, open).close()
  return removeEmptied(objects, open)
}

const PAGE_BYTES = 4096

/**
 * Removes the files of sandboxes that are gone, and returns how many: workerd empties the database of a removed object, and
 * leaves the file. After a kill, some databases are empty only together with their log, which SQLite reads too.
 */
function removeEmptied(objects: string, open: OpenDatabase): number {
  const emptied = readdirSync(objects)
    .filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
    .map((name) => join(objects, name))
    .filter((file) => statSync(file).size <= PAGE_BYTES || existsSync(`${file}-wal`))
    .filter((file) => hasNoTables(file, open))
  for (const file of emptied) rmSync(file)
  return emptied.length
}

/** Tests whether a database is empty. One that cannot be read is not. */
function hasNoTables(file: string, open: OpenDatabase): boolean {
  try {
    return using(open(file), (database) => database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').all().length === 0)
  } catch {
    return false
  }
}

/** The key of the account: that of the environment, or that of the data folder. */
export interface AccountKey {
  readonly key: string
  /** The path as a POSIX shell writes it. */
  readonly inShell: string
  /** The file that this call made for it. */
  readonly madeIn?: string
}

/** Returns the account key. Without one, makes it, and keeps it in the folder for its owner only. */
export async function accountKeyOf(folder: string, { ACCOUNT_KEY }: NodeJS.ProcessEnv): Promise<AccountKey> {
  if (ACCOUNT_KEY === '') throw new UsageError('ACCOUNT_KEY is empty. Give it a value, or do not set it.')
  if (ACCOUNT_KEY !== undefined) return { key: ACCOUNT_KEY, inShell: '$ACCOUNT_KEY' }
  const file = join(folder, 'account-key')
  const inShell = `$(cat '${file}')`
  if (!existsSync(file)) {
    const key = freshSecret()
    writeFileSync(file, `${key}\n`, { flag: 'wx', mode: 0o600 })
    return { key, inShell, madeIn: file }
  }
  const key = (await textOf(file)).trim()
  if (key === '') throw new Error(`${file} is empty. Write the account key into it, or remove it.`)
  return { key, inShell }
}
