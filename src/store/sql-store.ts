import type { Store, StoredCommit, StoredRecord, StoredState } from '../operation/store.ts'
import type { RunSql } from './run-sql.ts'
import { requireSchema } from './sql-schema.ts'

export type { RunSql, SqlValue } from './run-sql.ts'

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
      atomically(() => requireSchema(run))
      return loaded(run)
    },
    append(commit) {
      atomically(() => keep(run, commit))
    },
  }
}

function loaded(run: RunSql): StoredState | undefined {
  const [facts] = [...run('SELECT version, seed, now, sequence, operations FROM fauxgate_facts')]
  if (!facts) return undefined
  // The columns are those of the statement, with the types that `keep` has given them.
  const { seed, ...numbers } = facts as Omit<StoredState, 'records'>
  return { ...numbers, seed: JSON.parse(seed), records: records(run) }
}

/** How many records are read at a time, as one text: where an answer has a row for each, the rows cost more than the records. */
const PAGE = 250

/** How many bytes a record may have that is read with others. Of a text, Durable Objects have 2 MB at the most. */
const LARGEST = 7000

const OF_COLLECTION = 'FROM fauxgate_records WHERE collection = ?'
const NEXT_COLLECTION = 'SELECT MIN(collection) AS collection FROM fauxgate_records WHERE collection > ?'
const NEXT_PAGE = `SELECT COALESCE((SELECT key ${OF_COLLECTION} AND key > ? ORDER BY key LIMIT 1 OFFSET ${PAGE - 1}),
  (SELECT MAX(key) ${OF_COLLECTION})) AS last`
const READ = `SELECT group_concat(key) AS keys,
  group_concat(CASE WHEN LENGTH(CAST(record AS BLOB)) > ${LARGEST} THEN 'null' ELSE record END) AS records
  ${OF_COLLECTION} AND key > ? AND key <= ?`
const READ_LARGE = `SELECT record ${OF_COLLECTION} AND key = ?`

/** Seeds and keys are JSON texts, since a text of SQLite ends at its first NUL. Keys sort in the order that records were made in. */
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

const KEEP_FACTS = `INSERT INTO fauxgate_facts (id, version, seed, now, sequence, operations) VALUES (0, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, seed = excluded.seed, now = excluded.now,
  sequence = excluded.sequence, operations = excluded.operations`
const FOLLOW = 'UPDATE fauxgate_facts SET now = ?, sequence = ?, operations = ?'
const PUT = `INSERT INTO fauxgate_records (collection, key, record) VALUES (?, ?, ?)
  ON CONFLICT (collection, key) DO UPDATE SET record = excluded.record`
const REMOVE = 'DELETE FROM fauxgate_records WHERE collection = ? AND key = ?'

function keep(run: RunSql, { now, sequence, operations, replaces, changes }: StoredCommit): void {
  if (replaces) {
    run('DELETE FROM fauxgate_records')
    run(KEEP_FACTS, replaces.version, JSON.stringify(replaces.seed), now, sequence, operations)
  } else {
    run(FOLLOW, now, sequence, operations)
  }
  for (const { collection, key, after } of changes) {
    if (after) run(PUT, collection, JSON.stringify(key), JSON.stringify(after))
    else run(REMOVE, collection, JSON.stringify(key))
  }
}
