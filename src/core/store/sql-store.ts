import type { Store, StoredCommit, StoredFields, StoredRecord, StoredState } from '../operation/store.ts'
import { requireFunction, requireSync } from '../schema/arguments.ts'
import { toError } from '../schema/text.ts'
import { damagedError, type RunSql, selectRows } from './sql.ts'
import { CREATE_SCHEMA, createStatements, requireOwnTables, TABLES, TABLES_VERSION } from './sql-tables.ts'

/** The name of the row that lists the fields of all records. Other rows have the name of a collection instead. */
export const FIELDS = 'fauxgate_fields'

/** Runs work as one transaction. If the work throws, none of its statements take effect. */
export type Atomically = (work: () => void) => void

/**
 * A store in any database with SQLite's SQL and a synchronous API. It stores each record in a row, and the facts in another. The names of
 * its tables begin with `fauxgate_`; it doesn't touch other tables.
 *
 * @example
 * ```ts
 * import { createGateway, sqlStore } from 'fauxgate'
 * // In a Durable Object:
 * const { sql } = ctx.storage
 * const store = sqlStore((text, ...values) => sql.exec(text, ...values), (work) => ctx.storage.transactionSync(work))
 * const gateway = createGateway({ store })
 * ```
 * @throws TypeError for an argument that is not a function. `load` and `append` throw if one of these functions returns a promise, or if
 * the transaction function does not run the work.
 */
export function sqlStore(run: RunSql, atomically: Atomically): Store {
  const { load, append } = steppedStore(run, atomically)
  return { load, append }
}

/** A store whose host can do other work while the store writes a large commit. */
export interface SteppedStore extends Store {
  /**
   * Writes a commit, and yields after each record. The host runs all steps in one transaction. If the transaction fails, the state must be
   * loaded before the next commit.
   */
  steps(commit: StoredCommit): Iterable<void>
}

/** Returns a store like {@link sqlStore}. */
export function steppedStore(run: RunSql, atomically: Atomically): SteppedStore {
  requireFunction('run', run)
  requireFunction('atomically', atomically)
  let hasCopy = false
  function* steps(commit: StoredCommit): Iterable<void> {
    const isMigration = startsNewVersion(run, commit)
    if (hasCopy || isMigration) for (const table of TABLES) run(`DROP TABLE IF EXISTS ${table}_before`)
    if (isMigration) for (const table of TABLES) run(`CREATE TABLE ${table}_before AS SELECT * FROM ${table}`)
    yield* writeCommit(run, commit)
    hasCopy = isMigration
  }
  return {
    load() {
      let state: StoredState | undefined
      try {
        runAtomically(atomically, () => {
          migrate(run)
          state = loadState(run)
          hasCopy = findsCopy(run)
        })
      } catch (error) {
        throw readError(error)
      }
      return state
    },
    append(commit) {
      const before = hasCopy
      try {
        runAtomically(atomically, () => {
          for (const _ of steps(commit));
        })
      } catch (error) {
        hasCopy = before
        throw error
      }
    },
    steps,
  }
}

function readError(error: unknown): Error {
  return new Error(`The store cannot be read: ${toError(error).message}`, { cause: error })
}

/** Runs work as one transaction. @throws Error if the caller's function has not run the work when it returns. */
function runAtomically(atomically: Atomically, work: () => void): void {
  let hasRun = false
  const result = atomically(() => {
    work()
    hasRun = true
  })
  requireSync('`atomically`', result)
  if (!hasRun) throw new Error('`atomically` did not run the work. With better-sqlite3, write db.transaction(work)()')
}

/** Removes the tables of a store, even if they are damaged. */
export function dropTables(run: RunSql): void {
  for (const table of ['fauxgate_schema', ...TABLES, ...TABLES.map((name) => `${name}_before`)]) {
    run(`DROP TABLE IF EXISTS ${table}`)
  }
}

/**
 * Returns whether a commit writes records in a newer version or with different fields. If so, a copy of the tables is kept until the next
 * such commit.
 */
function startsNewVersion(run: RunSql, { replaces }: StoredCommit): boolean {
  if (!replaces) return false
  const [facts] = selectRows<FactsRow>(run, READ_FACTS)
  return (
    facts !== undefined &&
    (facts.version < replaces.version || readFields(run) !== JSON.stringify(replaces.fields ?? {}))
  )
}

/** Returns the stored fields as JSON; "{}" for tables older than version 3. */
function readFields(run: RunSql): string {
  const [row] = selectRows<RecordRow>(run, 'SELECT record FROM fauxgate_records WHERE collection = ?', FIELDS)
  return row?.record ?? '{}'
}

function findsCopy(run: RunSql): boolean {
  return [...run("SELECT name FROM sqlite_master WHERE name = 'fauxgate_facts_before'")].length > 0
}

/** The steps from each version of the tables to the next. Never change a released step. */
const MIGRATIONS: readonly ((run: RunSql) => void)[] = [
  (run) => {
    for (const statement of createStatements(1).values()) run(statement)
  },
  (run) => {
    run('ALTER TABLE fauxgate_facts ADD COLUMN records INTEGER NOT NULL DEFAULT 0')
    run('ALTER TABLE fauxgate_facts ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0')
    run('ALTER TABLE fauxgate_records ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0')
    let all = 0
    for (const row of selectRows<RecordRow>(run, 'SELECT collection, key, record FROM fauxgate_records')) {
      all ^= computeChecksum(row)
      run(
        'UPDATE fauxgate_records SET checksum = ? WHERE collection = ? AND key = ?',
        computeChecksum(row),
        row.collection,
        row.key,
      )
    }
    const [facts] = selectRows<FactsRow>(run, 'SELECT version, seed, now, sequence, operations FROM fauxgate_facts')
    if (facts)
      run('UPDATE fauxgate_facts SET records = ?, checksum = ?', all, computeChecksum({ ...facts, records: all }))
  },
  // Since version 3, a row lists the fields of all records. An older fauxgate would treat the row as a record of an unknown family.
  () => undefined,
]

/** The version of the tables, the version of their records, and the collections of those records. */
export interface StoredVersions {
  readonly tables: number
  readonly records: number
  readonly collections: readonly string[]
}

/**
 * Returns the current versions of a store, or undefined if it is empty.
 * @throws Error if its tables do not belong to a store.
 */
export function readVersions(run: RunSql): StoredVersions | undefined {
  try {
    const tables = requireOwnTables(run)
    const [facts] = tables === 0 ? [] : selectRows<FactsRow>(run, 'SELECT version FROM fauxgate_facts')
    const rows = tables === 0 ? [] : selectRows<RecordRow>(run, 'SELECT DISTINCT collection FROM fauxgate_records')
    const fields = tables === 0 ? {} : parseJson(readFields(run), 'the row of fields')
    const collections = [...rows.map(({ collection }) => String(collection)), ...Object.keys(fields)]
    return facts && { tables, records: facts.version, collections }
  } catch (error) {
    throw readError(error)
  }
}

/** Creates the tables, or upgrades older ones to the current version. @throws Error if their version is newer. */
function migrate(run: RunSql): void {
  const found = requireOwnTables(run)
  if (found === TABLES_VERSION) return
  if (found === 0) run(CREATE_SCHEMA)
  for (const step of MIGRATIONS.slice(found)) step(run)
  run('DELETE FROM fauxgate_schema')
  run('INSERT INTO fauxgate_schema (version) VALUES (?)', TABLES_VERSION)
}

/** A row of `fauxgate_facts`. */
interface FactsRow extends Pick<StoredState, 'version' | 'now' | 'sequence' | 'operations'> {
  /** The seed as JSON. */
  readonly seed: string
  /** The combined checksum of all records, which reveals a missing record. */
  readonly records: number
  readonly checksum: number
}

/** A row of `fauxgate_records`. Keys and records are JSON, because a SQLite string ends at its first NUL. */
interface RecordRow {
  readonly collection: string
  readonly key: string
  readonly record: string
  readonly checksum: number
}

const READ_FACTS = 'SELECT version, seed, now, sequence, operations, records, checksum FROM fauxgate_facts'
const READ_RECORDS = 'SELECT collection, key, record, checksum FROM fauxgate_records'

/** Returns the stored state, or undefined if the store is empty. @throws Error if a row is damaged. */
function loadState(run: RunSql): StoredState | undefined {
  const [facts] = selectRows<FactsRow>(run, READ_FACTS)
  if (!facts) return undefined
  if (facts.checksum !== computeChecksum(facts)) throw damagedError('the row of facts')
  const { version, now, sequence, operations } = facts
  const seed = parseJson(facts.seed, 'the seed')
  const all = loadRecords(run, facts.records)
  const isFields = ({ collection }: StoredRecord) => collection === FIELDS
  const fields = (all.find(isFields)?.record ?? {}) as StoredFields // The values come from a commit.
  return { version, seed, fields, now, sequence, operations, records: all.filter((each) => !isFields(each)) }
}

function loadRecords(run: RunSql, wanted: number): StoredRecord[] {
  const records: StoredRecord[] = []
  let all = 0
  for (const row of selectRows<RecordRow>(run, READ_RECORDS)) {
    const { collection, key, checksum } = row
    const name = `the record ${key} of ${collection}`
    if (checksum !== computeChecksum(row)) throw damagedError(name)
    all ^= checksum
    records.push({ collection, key: parseJson(key, name), record: parseJson(row.record, name) })
  }
  if (all !== wanted) throw damagedError('a record is missing or extra')
  return records
}

/** Reads JSON. The error from `JSON.parse` would show part of the text, which may be secret. */
function parseJson(text: string, what: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw damagedError(`${what} is not JSON`)
  }
}

const REPLACE_FACTS = `INSERT OR REPLACE INTO fauxgate_facts
  (id, version, seed, now, sequence, operations, records, checksum) VALUES (0, ?, ?, ?, ?, ?, ?, ?)`
const READ_CHECKSUM = 'SELECT checksum FROM fauxgate_records WHERE collection = ? AND key = ?'
const PUT = 'INSERT OR REPLACE INTO fauxgate_records (collection, key, record, checksum) VALUES (?, ?, ?, ?)'
const REMOVE = 'DELETE FROM fauxgate_records WHERE collection = ? AND key = ?'

/** Writes a commit, and yields after each record. */
function* writeCommit(run: RunSql, { now, sequence, operations, replaces, changes }: StoredCommit): Iterable<void> {
  if (replaces) run('DELETE FROM fauxgate_records')
  const [before] = selectRows<FactsRow>(run, READ_FACTS)
  let records = replaces || !before ? 0 : before.records
  const fields = replaces?.fields ? [{ collection: FIELDS, key: 'all', after: replaces.fields }] : []
  for (const change of [...changes, ...fields]) {
    const { collection } = change
    const key = JSON.stringify(change.key)
    const [old] = selectRows<Pick<RecordRow, 'checksum'>>(run, READ_CHECKSUM, collection, key)
    if (old) records ^= old.checksum
    if (change.after) {
      const record = JSON.stringify(change.after)
      const checksum = computeChecksum({ collection, key, record })
      records ^= checksum
      run(PUT, collection, key, record, checksum)
    } else if (old) run(REMOVE, collection, key)
    yield
  }
  const version = replaces?.version ?? before?.version
  const seed = replaces ? JSON.stringify(replaces.seed) : before?.seed
  if (version === undefined || seed === undefined) throw new Error('the first commit must replace everything')
  const facts = { version, seed, now, sequence, operations, records }
  run(REPLACE_FACTS, version, seed, now, sequence, operations, records, computeChecksum(facts))
}

/** Returns a checksum of a row: FNV-1a over its values, as a signed 32-bit integer. */
function computeChecksum(row: Omit<RecordRow, 'checksum'> | Omit<FactsRow, 'checksum'>): number {
  const texts =
    'record' in row
      ? [row.collection, row.key, row.record]
      : [`${row.version} ${row.now} ${row.sequence} ${row.operations} ${row.records}`, row.seed]
  let hash = 0x811c9dc5
  for (const value of texts) {
    // A damaged row may have a value of any type.
    const text = String(value)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ 0xffff, 0x01000193)
  }
  return hash | 0
}
