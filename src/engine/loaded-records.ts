import type { Family } from '../operation/family.ts'
import type { StoredChange, StoredState } from '../operation/store.ts'
import type { Beside } from './keeping.ts'
import type { Records } from './records.ts'
import { emptyRecords } from './restored-records.ts'

/**
 * The records that a store has kept, which nobody else has had in hands. What is kept beside them goes to its owner;
 * `missing` is what an owner has and the store does not.
 * @throws TypeError where no family keeps their collection.
 */
export function loadedRecords(
  families: readonly Family[],
  { sequence, records: rows }: StoredState,
  beside: Beside,
): { readonly records: Records; readonly missing: StoredChange[] } {
  const records = emptyRecords(families)
  const others = new Map([...beside.keys()].map((name) => [name, new Map<string, object>()]))
  for (const { collection: name, key, record } of rows) {
    const other = others.get(name)
    if (other) {
      other.set(key, record)
      continue
    }
    const { collection } = records.tableNamed(name)
    records.change(collection, key, collection.stored?.from(record) ?? record)
  }
  records.sequence = sequence
  const missing: StoredChange[] = []
  for (const [collection, owner] of beside) {
    const known = others.get(collection) ?? new Map<string, object>()
    owner.load(known)
    for (const [key, after] of owner.rows()) if (!known.has(key)) missing.push({ collection, key, after })
  }
  return { records, missing }
}
