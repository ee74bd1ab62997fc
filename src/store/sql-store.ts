import type { Store, StoredCommit, StoredRecord, StoredState } from '../contract/store.ts'
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

/** How many records are read at a time: few enough that the texts of a page are gone before they cost anything. */
const PAGE = 200

const READ = `SELECT collection, key, record FROM fauxgate_records
  WHERE (collection, key) > (?, ?) ORDER BY collection, key LIMIT ${PAGE}`

/** Seeds and keys are JSON texts, since a text of SQLite ends at its first NUL. Keys sort in the order that records were made in. */
function* records(run: RunSql): Generator<StoredRecord> {
  let last = { collection: '', key: '' }
  for (;;) {
    // The columns are those of the statement, all texts.
    const page = [...run(READ, last.collection, last.key)] as Record<keyof StoredRecord, string>[]
    for (const { collection, key, record } of page) {
      yield { collection, key: JSON.parse(key), record: JSON.parse(record) }
    }
    if (page.length < PAGE) return
    last = page[PAGE - 1] as typeof last
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
