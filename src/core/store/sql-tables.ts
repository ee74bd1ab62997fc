import { quote } from '../schema/text.ts'
import { damagedError, type RunSql, selectRows } from './sql.ts'

/** The current version of the tables. */
export const TABLES_VERSION = 3

export const TABLES = ['fauxgate_facts', 'fauxgate_records'] as const

export const CREATE_SCHEMA = 'CREATE TABLE fauxgate_schema (version INTEGER NOT NULL)'

/** Returns the statements that create the tables of a version, by table. SQLite adds new columns after the last column. */
export function createStatements(version: number): ReadonlyMap<string, string> {
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

/** A row of SQLite's own table. Its columns may be damaged, so they are compared as strings only. */
interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  /** The statement that created it, or null for the index of a primary key. */
  readonly sql: string | null
}

/** Returns everything in the database that was created by its own statement. */
function readSchema(run: RunSql): SchemaRow[] {
  const all = selectRows<SchemaRow>(run, 'SELECT type, name, tbl_name, sql FROM sqlite_master')
  return all.filter(({ sql }) => sql !== null)
}

const isOwn = (name: string) => /^fauxgate_/i.test(name)

/**
 * Returns the version of a store's tables, or 0 if there are none. Checks all table schemas before it reads a row, because a view with the
 * same name could run forever.
 * @throws Error if a table is missing, has a newer version, or differs from the one that a store creates.
 */
export function requireOwnTables(run: RunSql): number {
  const found = readSchema(run).filter(({ name, tbl_name }) => isOwn(name) || isOwn(tbl_name))
  if (found.length === 0) return 0
  const copies = TABLES.map((table) => `${table}_before`)
  for (const { type, name } of found) {
    const isKnown = type === 'table' && ['fauxgate_schema', ...TABLES, ...copies].includes(name)
    if (!isKnown) throw damagedError(`it contains the ${type} ${quote(name)}, which is not part of a store`)
  }
  requireTable(found, 'fauxgate_schema', CREATE_SCHEMA)
  const rows = selectRows<{ readonly version: unknown }>(run, 'SELECT version FROM fauxgate_schema LIMIT 2')
  const version = Number(rows[0]?.version)
  if (rows.length !== 1 || !Number.isSafeInteger(version) || version < 1)
    throw damagedError('the version of its tables is missing or not a whole number')
  if (version > TABLES_VERSION) {
    throw new Error(`its tables have version ${version}. Allowed: up to ${TABLES_VERSION}. Use a newer fauxgate.`)
  }
  for (const [table, statement] of createStatements(version)) requireTable(found, table, statement)
  requireFacts(run)
  return version
}

function requireTable(found: readonly SchemaRow[], table: string, statement: string): void {
  const sql = found.find(({ name }) => name === table)?.sql
  if (!sql) throw damagedError(`the table ${table} is missing`)
  if (withoutSpaces(sql) !== withoutSpaces(statement)) {
    throw damagedError(`the table ${table} does not have the columns of a store`)
  }
}

/** Returns a statement without the spaces and quotes that tools add when they copy a table. */
function withoutSpaces(statement: string): string {
  return statement.replace(/[\s"]/g, '').toLowerCase()
}

/** Throws if there are records but no facts row. Starting an empty store would delete the records. */
function requireFacts(run: RunSql): void {
  const [first] = selectRows(run, 'SELECT id FROM fauxgate_facts LIMIT 1')
  const [orphan] = selectRows(run, 'SELECT key FROM fauxgate_records LIMIT 1')
  if (!first && orphan) throw damagedError('it contains records, but its row of facts is missing')
}

/**
 * Throws an error unless the database is empty or contains only a store. Otherwise, the store's tables would be added to another program's
 * file. Changes nothing.
 */
export function requireStoreOnly(run: RunSql): void {
  const foreign = readSchema(run).filter(({ name, tbl_name }) => !isOwn(name) && !isOwn(tbl_name))
  const [first, ...rest] = foreign
  if (first) {
    const more = rest.length > 0 ? ` and ${rest.length} more` : ''
    throw new Error(`it contains the ${first.type} ${quote(first.name)}${more}, so it belongs to another program`)
  }
  requireOwnTables(run)
}
