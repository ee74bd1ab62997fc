import type { Store, StoredCommit, StoredRecord, StoredState } from '../operation/store.ts'
import { requireFunction, requireSync } from '../schema/options.ts'
import { quote, toError } from '../schema/text.ts'

/** A value of a statement. */
export type SqlValue = string | number | null

/**
 * Runs one SQL statement with its values, and returns its rows, each an object by the names of its columns. Synchronous:
 * when it returns, the statement has been carried out.
 */
export type RunSql = (sql: string, ...values: SqlValue[]) => Iterable<object>

/** Runs work as one transaction. If the work throws, none of its statements has an effect. */
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
 * @throws TypeError for an argument that is not a function. `load` and `append` throw if one returns a promise, or does not run the work.
 */
export function sqlStore(run: RunSql, atomically: Atomically): Store {
  requireFunction('run', run)
  requireFunction('atomically', atomically)
  let hasCopy = false
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
      let isMigration = false
      runAtomically(atomically, () => {
        isMigration = startsNewVersion(run, commit)
        if (hasCopy || isMigration) for (const table of TABLES) run(`DROP TABLE IF EXISTS ${table}_before`)
        if (isMigration) for (const table of TABLES) run(`CREATE TABLE ${table}_before AS SELECT * FROM ${table}`)
        append(run, commit)
      })
      hasCopy = isMigration
    },
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

const TABLES = ['fauxgate_facts', 'fauxgate_records'] as const

const CREATE_SCHEMA = 'CREATE TABLE fauxgate_schema (version INTEGER NOT NULL)'

/** Returns the statements that create the tables of a version, by table. SQLite writes added columns after the last one. */
function createStatements(version: number): ReadonlyMap<string, string> {
  const added = (columns: string) => (version > 1 ? `, ${columns}` : '')
  return new Map([
    [
      'fauxgate_facts',
      `CREATE TABLE fauxgate_facts (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        version INTEGER NOT NULL,
        seed TEXT NOT NULL,
        now REAL NOT NULL,
        sequence INTEGER NOT NULL,
        operations INTEGER NOT NULL${added('records INTEGER NOT NULL DEFAULT 0, checksum INTEGER NOT NULL DEFAULT 0')}
      )`,
    ],
    [
      'fauxgate_records',
      `CREATE TABLE fauxgate_records (
        collection TEXT NOT NULL,
        key TEXT NOT NULL,
        record TEXT NOT NULL${added('checksum INTEGER NOT NULL DEFAULT 0')},
        PRIMARY KEY (collection, key)
      ) WITHOUT ROWID`,
    ],
  ])
}

/** A row of SQLite's own table. Its columns may be damaged, so they are compared as texts only. */
interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  /** The statement that created it; null for the index of a primary key. */
  readonly sql: string | null
}

/** Returns everything in the database that has its own statement. */
function readSchema(run: RunSql): SchemaRow[] {
  const all = selectRows<SchemaRow>(run, 'SELECT type, name, tbl_name, sql FROM sqlite_master')
  return all.filter(({ sql }) => sql !== null)
}

const isOwn = (name: string) => /^fauxgate_/i.test(name)

/**
 * Returns the version of a store's tables, or 0 if there are none. Reads no row of a table before the schema of all is
 * known: a view of the same name could run forever.
 * @throws Error if a table is missing, is of a newer version, or differs from the one that a store creates.
 */
function requireOwnTables(run: RunSql): number {
  const found = readSchema(run).filter(({ name, tbl_name }) => isOwn(name) || isOwn(tbl_name))
  if (found.length === 0) return 0
  const copies = TABLES.map((table) => `${table}_before`)
  for (const { type, name } of found) {
    const isKnown = type === 'table' && ['fauxgate_schema', ...TABLES, ...copies].includes(name)
    if (!isKnown) throw damagedError(`it has the ${type} ${quote(name)}, which no store has`)
  }
  requireTable(found, 'fauxgate_schema', CREATE_SCHEMA)
  const rows = selectRows<{ readonly version: unknown }>(run, 'SELECT version FROM fauxgate_schema LIMIT 2')
  const version = Number(rows[0]?.version)
  if (rows.length !== 1 || !Number.isSafeInteger(version) || version < 1)
    throw damagedError('the version of its tables is missing or no whole number')
  if (version > MIGRATIONS.length) {
    throw new Error(
      `its tables have the version ${version}. Allowed: up to ${MIGRATIONS.length}. Use a newer fauxgate.`,
    )
  }
  for (const [table, statement] of createStatements(version)) requireTable(found, table, statement)
  requireFacts(run)
  return version
}

function requireTable(found: readonly SchemaRow[], table: string, statement: string): void {
  const sql = found.find(({ name }) => name === table)?.sql
  if (!sql) throw damagedError(`the table ${table} is missing`)
  if (withoutSpaces(sql) !== withoutSpaces(statement)) {
    throw damagedError(`the table ${table} has other columns than a store gives it`)
  }
}

/** Returns a statement without the spaces and quotes that tools add when they copy a table. */
function withoutSpaces(statement: string): string {
  return statement.replace(/[\s"]/g, '').toLowerCase()
}

/** Throws if there are records without the row of facts: an empty store would delete them. */
function requireFacts(run: RunSql): void {
  const [first] = selectRows(run, 'SELECT id FROM fauxgate_facts LIMIT 1')
  const [orphan] = selectRows(run, 'SELECT key FROM fauxgate_records LIMIT 1')
  if (!first && orphan) throw damagedError('it has records, and its row of facts is missing')
}

/**
 * Throws unless a whole database is a store, or empty. A file by another program would otherwise get tables of a store.
 * Changes nothing.
 */
export function requireStoreOnly(run: RunSql): void {
  const foreign = readSchema(run).filter(({ name, tbl_name }) => !isOwn(name) && !isOwn(tbl_name))
  const [first, ...rest] = foreign
  if (first) {
    const more = rest.length > 0 ? ` and ${rest.length} more` : ''
    throw new Error(`it has the ${first.type} ${quote(first.name)}${more}, so it is of another program`)
  }
  requireOwnTables(run)
}

/** Removes the tables of a store, damaged ones too. */
export function dropTables(run: RunSql): void {
  for (const table of ['fauxgate_schema', ...TABLES, ...TABLES.map((name) => `${name}_before`)]) {
    run(`DROP TABLE IF EXISTS ${table}`)
  }
}

/** Returns whether a commit writes records of a newer version. If so, a copy of the tables stays until the next commit. */
function startsNewVersion(run: RunSql, { replaces }: StoredCommit): boolean {
  if (!replaces) return false
  const [facts] = selectRows<FactsRow>(run, READ_FACTS)
  return facts !== undefined && facts.version < replaces.version
}

function findsCopy(run: RunSql): boolean {
  return [...run("SELECT name FROM sqlite_master WHERE name = 'fauxgate_facts_before'")].length > 0
}

/** The steps that lead to each version of the tables from the one before. A released step never changes again. */
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
]

/** The versions of the tables, and of the records in them. */
export interface StoredVersions {
  readonly tables: number
  readonly records: number
}

/**
 * Returns the present versions of a store; undefined if there is nothing yet.
 * @throws Error if its tables are not those of a store.
 */
export function readVersions(run: RunSql): StoredVersions | undefined {
  try {
    const tables = requireOwnTables(run)
    const [facts] = tables === 0 ? [] : selectRows<FactsRow>(run, 'SELECT version FROM fauxgate_facts')
    return facts && { tables, records: facts.version }
  } catch (error) {
    throw readError(error)
  }
}

/** Makes the tables, or brings older ones to the present version. @throws Error if they are of a newer version. */
function migrate(run: RunSql): void {
  const present = MIGRATIONS.length
  const found = requireOwnTables(run)
  if (found === present) return
  if (found === 0) run(CREATE_SCHEMA)
  for (const step of MIGRATIONS.slice(found)) step(run)
  run('DELETE FROM fauxgate_schema')
  run('INSERT INTO fauxgate_schema (version) VALUES (?)', present)
}

/** A row of `fauxgate_facts`. */
interface FactsRow extends Pick<StoredState, 'version' | 'now' | 'sequence' | 'operations'> {
  /** The seed as JSON. */
  readonly seed: string
  /** The combined checksum of all records, which shows that a record is missing. */
  readonly records: number
  readonly checksum: number
}

/** A row of `fauxgate_records`. Keys and records are JSON, since a text of SQLite ends at its first NUL. */
interface RecordRow {
  readonly collection: string
  readonly key: string
  readonly record: string
  readonly checksum: number
}

const READ_FACTS = 'SELECT version, seed, now, sequence, operations, records, checksum FROM fauxgate_facts'
const READ_RECORDS = 'SELECT collection, key, record, checksum FROM fauxgate_records'

function selectRows<R>(run: RunSql, statement: string, ...values: SqlValue[]): R[] {
  const rows: Iterable<object> | undefined = requireSync('`run`', run(statement, ...values))
  if (!rows?.[Symbol.iterator]) throw new TypeError(`\`run\` returned ${quote(rows)}. Allowed: an iterable of rows`)
  return [...rows] as R[] // R has the columns of the statement. Checksums find other values.
}

/** Returns the stored state; undefined if the store is empty. @throws Error if a row is damaged. */
function loadState(run: RunSql): StoredState | undefined {
  const [facts] = selectRows<FactsRow>(run, READ_FACTS)
  if (!facts) return undefined
  if (facts.checksum !== computeChecksum(facts)) throw damagedError('the row of facts')
  const { version, now, sequence, operations } = facts
  const seed = parseJson(facts.seed, 'the seed')
  return { version, seed, now, sequence, operations, records: loadRecords(run, facts.records) }
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
  if (all !== wanted) throw damagedError('a record is missing, or one too many')
  return records
}

/** Reads JSON. The error of `JSON.parse` would show a part of the text, which may be a secret. */
function parseJson(text: string, what: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw damagedError(`${what} is no JSON`)
  }
}

function damagedError(what: string): Error {
  return new Error(`it is damaged: ${what}. Use a copy of it, or start with an empty one.`)
}

const REPLACE_FACTS = `INSERT OR REPLACE INTO fauxgate_facts
  (id, version, seed, now, sequence, operations, records, checksum) VALUES (0, ?, ?, ?, ?, ?, ?, ?)`
const READ_CHECKSUM = 'SELECT checksum FROM fauxgate_records WHERE collection = ? AND key = ?'
const PUT = 'INSERT OR REPLACE INTO fauxgate_records (collection, key, record, checksum) VALUES (?, ?, ?, ?)'
const REMOVE = 'DELETE FROM fauxgate_records WHERE collection = ? AND key = ?'

function append(run: RunSql, { now, sequence, operations, replaces, changes }: StoredCommit): void {
  if (replaces) run('DELETE FROM fauxgate_records')
  const [before] = selectRows<FactsRow>(run, READ_FACTS)
  let records = replaces || !before ? 0 : before.records
  for (const change of changes) {
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
  }
  const version = replaces?.version ?? before?.version
  const seed = replaces ? JSON.stringify(replaces.seed) : before?.seed
  if (version === undefined || seed === undefined) throw new Error('the first commit must replace everything')
  const facts = { version, seed, now, sequence, operations, records }
  run(REPLACE_FACTS, version, seed, now, sequence, operations, records, computeChecksum(facts))
}

/** Returns a checksum of a row: FNV-1a over its values, as a signed integer of 32 bits. */
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
