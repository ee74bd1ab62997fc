import { REMEMBERED } from '../control/saved-snapshots.ts'
import { stopwatch } from '../core/engine/clock.ts'
import { DUE } from '../core/operation/collection.ts'
import type { Store, StoredCommit } from '../core/operation/store.ts'
import { utf8Length } from '../core/schema/platform.ts'
import type { RunSql, SqlValue } from '../core/store/sql.ts'
import { FIELDS, steppedStore } from '../core/store/sql-store.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import type { Limits } from './environment.ts'
import type { ObjectStorage } from './objects.ts'
import type { Parts } from './parts.ts'
import { PLATFORM } from './platform-limits.ts'

interface Usage {
  readonly records: number
  readonly bytes: number
}

/**
 * The operations, apart from due events, whose commits may exceed a limit. Otherwise, jobs would stop and a new version could not load the
 * state.
 */
const AUTOMATIC: ReadonlySet<string> = new Set(['clock', 'operation_ids', 'migration'])

/** Every commit within this many bytes of the size limit is counted exactly. No single API call adds that many bytes. */
const NEAR_LIMIT_BYTES = 4 * 1024 * 1024

/** The maximum number of changes in a commit that is not counted exactly. */
const MAX_UNCOUNTED_CHANGES = 100

/** The time in ms after which a commit is no longer divided, because the platform ends an object whose transaction takes 30 s. */
const DIVIDED_MS = 10_000

/**
 * Returns the store of a sandbox in its object's storage. It throws if a call exceeds a limit (rules: sandboxes#limits). Counting reads all
 * records, so the store counts only near a limit. While `longMove` returns chunks, the transaction of a commit is split into chunks.
 */
export function limitedStore(
  storage: ObjectStorage,
  limits: Omit<Limits, 'requests'>,
  longMove: () => Parts | undefined = () => undefined,
): Store {
  /** Upper bounds on the stored records and bytes. */
  const upperBound = { records: 0, bytes: 0 }
  const run: RunSql = (statement, ...values) => {
    for (const value of values) upperBound.bytes += estimateBytes(value)
    return storage.sql.exec(statement, ...values)
  }
  const store = steppedStore(run, (work) => storage.transactionSync(work))
  let flushing: Promise<void> | undefined
  const append = (commit: StoredCommit) => {
    const parts = longMove()
    if (parts)
      flushing = storage
        .transaction(() => appendInParts(commit, parts))
        .finally(() => {
          flushing = undefined
        })
    else store.append(commit)
    upperBound.records += commit.changes.length
  }
  const appendInParts = async (commit: StoredCommit, parts: Parts) => {
    const elapsedMs = stopwatch()
    let isOver = parts.start()
    for (const _ of store.steps(commit)) {
      if (!isOver() || elapsedMs() > DIVIDED_MS) continue
      await parts.pauseInCommit()
      isOver = parts.start()
    }
  }
  const isNear = ({ replaces, changes }: StoredCommit) =>
    replaces !== undefined ||
    changes.length > MAX_UNCOUNTED_CHANGES ||
    upperBound.records + changes.length > limits.records ||
    upperBound.bytes + NEAR_LIMIT_BYTES > limits.bytes
  const appendCounted = (commit: StoredCommit) => {
    const before = measureUsage(storage)
    append(commit)
    const after = measureUsage(storage)
    requireWithin('records', 'MOST_RECORDS', limits.records, before.records, after.records)
    requireWithin('bytes of records', 'MOST_BYTES', limits.bytes, before.bytes, after.bytes)
    Object.assign(upperBound, after)
  }
  return {
    load() {
      const state = store.load()
      const records = [...(state?.records ?? [])]
      Object.assign(upperBound, { records: records.length, bytes: storage.sql.databaseSize })
      return state && { ...state, records }
    },
    append(commit) {
      // Counting would lengthen the commit of a move, and others on the same thread wait for it.
      if (!isAutomatic(commit) && isNear(commit)) storage.transactionSync(() => appendCounted(commit))
      else append(commit)
    },
    flushed: () => flushing,
  }
}

function isAutomatic({ operation }: StoredCommit): boolean {
  return AUTOMATIC.has(operation) || operation.endsWith(DUE)
}

/**
 * Returns an upper bound on the size of a value in bytes. Throws on every platform if a value is too large for a row on the hosted
 * platform.
 */
function estimateBytes(value: SqlValue): number {
  if (typeof value !== 'string') return 0
  const upperBound = value.length * 3
  if (upperBound <= PLATFORM.rowBytes) return upperBound
  const bytes = utf8Length(value)
  if (bytes <= PLATFORM.rowBytes) return bytes
  throw new Error(`a record would be ${bytes} bytes long; a row can be at most ${PLATFORM.rowBytes} bytes long`)
}

/**
 * Returns the number of records and their size as JSON in bytes. Timelines do not count, because due events extend them and the gateway
 * itself limits their length. The state that an undo restores does not count, because it is a copy of counted records.
 */
export function measureUsage({ sql }: ObjectStorage): Usage {
  const length = (json: string) => `COALESCE(LENGTH(CAST(${json} AS BLOB)), 0)`
  const timeline = `CASE collection WHEN ? THEN ${length("json_extract(record, '$.timeline')")} ELSE 0 END`
  const [usage] = sql.exec(
    `SELECT COUNT(*) AS records, COALESCE(SUM(${length('record')} - ${timeline}), 0) AS bytes
      FROM fauxgate_records WHERE collection NOT IN (?, ?)`,
    domains.name,
    FIELDS,
    REMEMBERED,
  )
  return { records: Number(usage?.records), bytes: Number(usage?.bytes) }
}

function requireWithin(unit: string, variable: string, most: number, before: number, after: number): void {
  if (after <= most || after <= before) return
  throw new Error(
    `this would bring the sandbox to ${after} ${unit}. The maximum is ${most} (${variable}). Delete something first.`,
  )
}
