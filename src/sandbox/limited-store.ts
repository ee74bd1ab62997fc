import type { Store, StoredCommit, StoredRecord } from '../operation/store.ts'
import { utf8Length } from '../schema/platform.ts'
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

/** How near to the limit of bytes every commit is counted exactly: no call of the API brings so many. */
const NEAR = 4 * 1024 * 1024

/** How many changes of one commit are written without counting them first. */
const FEW = 100

/**
 * The store of a sandbox in its object's storage. It keeps no commit by which somebody's call goes over a limit (rules:
 * sandboxes#limits).
 */
export function limitedStore(storage: ObjectStorage, limits: Omit<Limits, 'requests'>): Store {
  /** Not less than there is; exact when it was last counted. */
  const atMost = { records: 0, bytes: 0 }
  const run: RunSql = (statement, ...values) => {
    for (const value of values) atMost.bytes += mostBytesOf(value)
    return storage.sql.exec(statement, ...values)
  }
  let isOneChange = false
  // Of two statements, the first tells where ids and the time stand. Alone it loses nothing, and no third is needed.
  const store = sqlStore(run, (work) => (isOneChange ? work() : storage.transactionSync(work)))
  const append = (commit: StoredCommit) => {
    isOneChange = commit.changes.length === 1 && !commit.replaces
    store.append(commit)
    atMost.records += commit.changes.length
  }
  const isNear = ({ replaces, changes }: StoredCommit) =>
    replaces !== undefined ||
    changes.length > FEW ||
    atMost.records + changes.length > limits.records ||
    atMost.bytes + NEAR > limits.bytes
  const appendCounted = (commit: StoredCommit) => {
    const before = usageOf(storage)
    append(commit)
    const after = usageOf(storage)
    if (!BY_ITSELF.has(commit.operation)) {
      requireWithin('records', 'MOST_RECORDS', limits.records, before.records, after.records)
      requireWithin('bytes of records', 'MOST_BYTES', limits.bytes, before.bytes, after.bytes)
    }
    Object.assign(atMost, after)
  }
  function* counted(records: Iterable<StoredRecord>) {
    for (const each of records) {
      atMost.records++
      yield each
    }
  }
  return {
    load() {
      isOneChange = false
      const state = store.load()
      Object.assign(atMost, { records: 0, bytes: storage.sql.databaseSize })
      return state && { ...state, records: counted(state.records) }
    },
    append(commit) {
      if (isNear(commit)) storage.transactionSync(() => appendCounted(commit))
      else append(commit)
    },
  }
}

/** How many bytes a value has at the most. Refuses what is larger than a row can be, on one's own machine too. */
function mostBytesOf(value: SqlValue): number {
  if (typeof value !== 'string') return 0
  const most = value.length * 3
  if (most <= LARGEST_ROW) return most
  const bytes = utf8Length(value)
  if (bytes <= LARGEST_ROW) return bytes
  throw new Error(`a record would have ${bytes} bytes; allowed are ${LARGEST_ROW}, the most of one row`)
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
