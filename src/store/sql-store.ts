import type { Store, StoredCommit, StoredRecord, StoredState } from '../operation/store.ts'

/** A value of a statement. */
export type SqlValue = string | number | null

/**
 * Runs one SQL statement with its values, and returns its rows, each an object by the names of its columns. Synchronous:
 * when it returns, the statement has been carried out.
 */
export type RunSql = (sql: string, ...values: SqlValue[]) => Iterable<object>

/** Runs work as one transaction: all of its statements, or none where it throws. */
export type Atomically = (work: () => void) => void

/**
 * A store on any database that speaks SQLite's SQL, synchronously: a row for each record, and one for the facts. It has
 * tables of its own, whose names begin with `fauxgate_`, and leaves all others alone.
 *
 * @example
 * ```ts
 * import { createGateway, sqlStore } from 'fauxgate'
 * // In a Durable Object:
 * const { sql } = ctx.storage
 * const store = sqlStore((text, ...values) => sql.exec(text, ...values), (work) => ctx.storage.transactionSync(work))
 * const gateway = createGateway({ store })
 * ```
 */
export function sqlStore(run: RunSql, atomically: Atomically): Store {
  return {
    load() {
      atomically(() => migrate(run))
      return loaded(run)
    },
    append(commit) {
      atomically(() => append(run, commit))
    },
  }
}

/** The statements that lead to each version of the tables from the one before. A released version never changes again. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE fauxgate_facts (
      id INTEGER PRIMARY KEY CHECK (id = 0),
      version INTEGER NOT NULL,
      seed TEXT NOT NULL,
      now REAL NOT NULL,
      sequence INTEGER NOT NULL,
      operations INTEGER NOT NULL
    )`,
    `CREATE TABLE fauxgate_records (
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (collection, key)
    ) WITHOUT ROWID`,
  ],
]

/** Makes the tables, or brings older ones to the present version. @throws Error where they are of a newer version. */
function migrate(run: RunSql): void {
  const present = MIGRATIONS.length
  run('CREATE TABLE IF NOT EXISTS fauxgate_schema (version INTEGER NOT NULL)')
  const [row] = [...run('SELECT version FROM fauxgate_schema')]
  const found = row ? Number((row as { version: unknown }).version) : 0 // The column of the statement.
  if (found > present) {
    throw new Error(
      `The tables of the store have the version ${found}. Allowed: up to ${present}. Use a newer fauxgate.`,
    )
  }
  if (found === present) return
  for (const statements of MIGRATIONS.slice(found)) for (const statement of statements) run(statement)
  run('DELETE FROM fauxgate_schema')
  run('INSERT INTO fauxgate_schema (version) VALUES (?)', present)
}

function loaded(run: RunSql): StoredState | undefined {
  const [facts] = [...run('SELECT version, seed, now, sequence, operations FROM fauxgate_facts')]
  if (!facts) return undefined
  // The columns are those of the statement, with the types that `append` has given them.
  const { seed, ...numbers } = facts as Omit<StoredState, 'records'>
  return { ...numbers, seed: JSON.parse(seed), records: records(run) }
}

/** How many records are read at a time, as one text: one row per record costs more than the records. */
const PAGE = 250

/** How many bytes a record may have that is read with others: a text of a Durable Object has at most 2 MB. */
const LARGEST = 7000

const OF_COLLECTION = 'FROM fauxgate_records WHERE collection = ?'
const NEXT_COLLECTION = 'SELECT MIN(collection) AS collection FROM fauxgate_records WHERE collection > ?'
const NEXT_PAGE = `SELECT COALESCE((SELECT key ${OF_COLLECTION} AND key > ? ORDER BY key LIMIT 1 OFFSET ${PAGE - 1}),
  (SELECT MAX(key) ${OF_COLLECTION})) AS last`
const READ = `SELECT group_concat(key) AS keys,
  group_concat(CASE WHEN LENGTH(CAST(record AS BLOB)) > ${LARGEST} THEN 'null' ELSE record END) AS records
  ${OF_COLLECTION} AND key > ? AND key <= ?`
const READ_LARGE = `SELECT record ${OF_COLLECTION} AND key = ?`

/** Keys and seeds are JSON, since a text of SQLite ends at its first NUL. Keys sort in creation order. */
function* records(run: RunSql): Generator<StoredRecord> {
  // The columns are those of the statements, all texts; MIN and MAX of nothing are null.
  const one = (statement: string, ...values: string[]) => [...run(statement, ...values)][0] as Record<string, string>
  for (let { collection } = one(NEXT_COLLECTION, ''); collection; { collection } = one(NEXT_COLLECTION, collection)) {
    let after = ''
    for (;;) {
      const { last = '' } = one(NEXT_PAGE, collection, after, collection)
      if (last === after) break
      const { keys, records } = one(READ, collection, after, last)
      const page = JSON.parse(`[${records}]`)
      for (const [index, key] of JSON.parse(`[${keys}]`).entries()) {
        const record = page[index] ?? JSON.parse(one(READ_LARGE, collection, JSON.stringify(key)).record ?? 'null')
        yield { collection, key, record }
      }
      after = last
    }
  }
}

const REPLACE_FACTS = `INSERT OR REPLACE INTO fauxgate_facts (id, version, seed, now, sequence, operations)
  VALUES (0, ?, ?, ?, ?, ?)`
const UPDATE_FACTS = 'UPDATE fauxgate_facts SET now = ?, sequence = ?, operations = ?'
const PUT = 'INSERT OR REPLACE INTO fauxgate_records (collection, key, record) VALUES (?, ?, ?)'
const REMOVE = 'DELETE FROM fauxgate_records WHERE collection = ? AND key = ?'

function append(run: RunSql, { now, sequence, operations, replaces, changes }: StoredCommit): void {
  if (replaces) {
    run('DELETE FROM fauxgate_records')
    run(REPLACE_FACTS, replaces.version, JSON.stringify(replaces.seed), now, sequence, operations)
  } else {
    run(UPDATE_FACTS, now, sequence, operations)
  }
  for (const { collection, key, after } of changes) {
    if (after) run(PUT, collection, JSON.stringify(key), JSON.stringify(after))
    else run(REMOVE, collection, JSON.stringify(key))
  }
}
