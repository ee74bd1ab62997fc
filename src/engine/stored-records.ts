import type { Collection } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import type { StoredChange, StoredState } from '../operation/store.ts'
import { deepFreeze } from '../schema/values.ts'
import { Records } from './records.ts'

/** Records that are stored beside those of the families. They change only where the whole state is replaced. */
export interface SideRecords {
  /** Returns all of them, by key. */
  rows(): ReadonlyMap<string, object>
  /** Takes over those that a store has. */
  load(rows: ReadonlyMap<string, object>): void
}

/** Side records, by the name of their collection in the store. */
export type SideRecordsByName = ReadonlyMap<string, SideRecords>

/** Returns the change of one record as a store gets it. A record without an exported form, such as a fault with a predicate, is none. */
export function storedChange(collection: Collection<object>, key: string, record: object | undefined): StoredChange {
  const { name, exported } = collection
  const isData = record !== undefined && exported?.(record, true) !== null
  return { collection: name, key, after: isData ? deepFreeze(record) : null }
}

/** Returns all records as a store gets them. */
export function allStored(records: Records, sideRecords: SideRecordsByName): StoredChange[] {
  const changes: StoredChange[] = []
  for (const { collection, oldestFirst } of records.all()) {
    for (const row of oldestFirst) changes.push(storedChange(collection, collection.key(row), row))
  }
  for (const [collection, side] of sideRecords) {
    for (const [key, row] of side.rows()) changes.push({ collection, key, after: row })
  }
  return changes.filter(({ after }) => after !== null)
}

/**
 * Returns the records of a store, which nobody else has references to, and passes side records to their owners. `missing`
 * are side records that the store does not have.
 * @throws TypeError where no family keeps their collection.
 */
export function loadedRecords(
  families: readonly Family[],
  { sequence, records: rows }: StoredState,
  sideRecords: SideRecordsByName,
): { readonly records: Records; readonly missing: StoredChange[] } {
  const records = new Records(families)
  const side = new Map([...sideRecords.keys()].map((name) => [name, new Map<string, object>()]))
  for (const { collection: name, key, record } of rows) {
    const known = side.get(name)
    if (known) {
      known.set(key, record)
      continue
    }
    const { collection } = records.tableNamed(name)
    records.change(collection, key, record)
  }
  records.sequence = sequence
  const missing: StoredChange[] = []
  for (const [collection, owner] of sideRecords) {
    const known = side.get(collection) ?? new Map<string, object>()
    owner.load(known)
    for (const [key, after] of owner.rows()) if (!known.has(key)) missing.push({ collection, key, after })
  }
  return { records, missing }
}
