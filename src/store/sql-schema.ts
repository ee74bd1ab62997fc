import type { RunSql } from './run-sql.ts'

/** What makes each version of the tables from the one before. A version that was released never changes again. */
const VERSIONS: readonly (readonly string[])[] = [
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

/** The version of the tables that this fauxgate reads and writes. */
export const SCHEMA_VERSION = VERSIONS.length

/**
 * Makes the tables, or brings older ones to the present version.
 * @throws Error where they are of a newer version.
 */
export function requireSchema(run: RunSql): void {
  const found = versionOf(run)
  if (found > SCHEMA_VERSION) {
    const allowed = `up to ${SCHEMA_VERSION}`
    throw new Error(`The tables of the store have the version ${found}. Allowed: ${allowed}. Use a newer fauxgate.`)
  }
  if (found === SCHEMA_VERSION) return
  for (const statements of VERSIONS.slice(found)) for (const statement of statements) run(statement)
  run('DELETE FROM fauxgate_schema')
  run('INSERT INTO fauxgate_schema (version) VALUES (?)', SCHEMA_VERSION)
}

/** The version of the tables; 0 where there are none. */
function versionOf(run: RunSql): number {
  run('CREATE TABLE IF NOT EXISTS fauxgate_schema (version INTEGER NOT NULL)')
  const [row] = [...run('SELECT version FROM fauxgate_schema')]
  return row ? Number((row as { version: unknown }).version) : 0 // The column of the statement.
}
