import type { Store, StoredCommit } from '../contract/store.ts'
import { utf8Length } from '../contract/utf8.ts'
import { type RunSql, type SqlValue, sqlStore } from '../store/sql-store.ts'
import type { Limits } from './environment.ts'
import type { ObjectStorage } from './platform.ts'

/** What a sandbox keeps. */
export interface Usage {
  readonly records: number
  readonly bytes: number
}

/** The most bytes that the platform keeps in one row, with room for its key. */
const LARGEST_ROW = 2_000_000

/** What happens without anybody's asking for more: it goes on where a limit is reached, so that no job stops. */
const BY_ITSELF: ReadonlySet<string> = new Set(['provisioning', 'clock', 'operation_ids'])

/** The store of a sandbox in its object's storage. It keeps no commit by which somebody's call goes over a limit. */
export function limitedStore(storage: ObjectStorage, { records, bytes }: Omit<Limits, 'requests'>): Store {
  const run: RunSql = (statement, ...values) => {
    for (const value of values) requireRow(value)
    return storage.sql.exec(statement, ...values)
  }
  const store = sqlStore(run, (work) => storage.transactionSync(work))
  /** Not fewer records than there are; exact when they were last counted. */
  let atMost = 0
  const isNear = (commit: StoredCommit) => atMost + commit.changes.length > records || storage.sql.databaseSize > bytes
  const appendCounted = (commit: StoredCommit) => {
    const before = usageOf(storage)
    store.append(commit)
    const after = usageOf(storage)
    if (!BY_ITSELF.has(commit.operation)) {
      requireWithin('records', 'MOST_RECORDS', records, before.records, after.records)
      requireWithin('bytes of records', 'MOST_BYTES', bytes, before.bytes, after.bytes)
    }
    atMost = after.records
  }
  return {
    load() {
      const state = store.load()
      atMost = recordsIn(storage)
      return state
    },
    append(commit) {
      if (isNear(commit)) storage.transactionSync(() => appendCounted(commit))
      else {
        store.append(commit)
        atMost += commit.changes.length
      }
    },
  }
}

/** Refuses what is larger than a row can be, on one's own machine too. */
function requireRow(value: SqlValue): void {
  if (typeof value !== 'string' || value.length * 3 <= LARGEST_ROW || utf8Length(value) <= LARGEST_ROW) return
  throw new Error(`a record would have ${utf8Length(value)} bytes; allowed are ${LARGEST_ROW}, the most of one row`)
}

/** Counted without reading them. */
function recordsIn({ sql }: ObjectStorage): number {
  const [counted] = sql.exec('SELECT COUNT(*) AS records FROM fauxgate_records')
  return Number(counted?.records)
}

/** What a sandbox keeps at the moment. */
export function usageOf({ sql }: ObjectStorage): Usage {
  const counted =
    'SELECT COUNT(*) AS records, COALESCE(SUM(LENGTH(CAST(record AS BLOB))), 0) AS bytes FROM fauxgate_records'
  const [usage] = sql.exec(counted)
  return { records: Number(usage?.records), bytes: Number(usage?.bytes) }
}

function requireWithin(what: string, variable: string, most: number, before: number, after: number): void {
  if (after <= most || after <= before) return
  throw new Error(
    `this sandbox would keep ${after} ${what}; allowed are ${most} (${variable}). Delete something first.`,
  )
}
