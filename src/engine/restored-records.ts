import type { Collection } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import { Problems, problem } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { Records } from './records.ts'

/** Records by collection, and the number that the next id comes from. */
export interface KeptState {
  readonly sequence: number
  readonly records: Readonly<Record<string, readonly object[]>>
}

/** No records of any family. */
export function emptyRecords(families: readonly Family<object>[]): Records {
  return new Records(families.flatMap((family) => family.collections))
}

/**
 * The records of a state, to go on from. `isOwn` says that a gateway made it, so that nothing in it needs to be checked.
 * @throws Refusal where two records have one key, or records do not fit together.
 */
export function restoredRecords(
  families: readonly Family<object>[],
  { sequence, records: rows }: KeptState,
  isOwn: boolean,
): Records {
  const records = emptyRecords(families)
  const problems = new Problems()
  for (const [name, ofName] of Object.entries(rows)) keepAll(records, name, ofName, problems)
  records.sequence = sequence
  if (!isOwn) for (const family of families) checkRelations(records, family, rows, problems)
  problems.refuse()
  return records
}

function keepAll(records: Records, name: string, rows: readonly object[], problems: Problems): void {
  const { collection } = records.tableNamed(name)
  rows.forEach((row, index) => {
    const key = collection.key(row)
    if (!records.change(collection, key, row).before) return
    const received = `a second record with the key ${quote(key)}`
    const field = `records.${name}.${index}`
    problems.add(() => problem(general.field_invalid, { field, received, allowed: 'each key once' }))
  })
}

function checkRelations(
  records: Records,
  { collections, relations }: Family<object>,
  rows: KeptState['records'],
  problems: Problems,
): void {
  if (!relations) return
  const others = {
    get: <R extends object>(collection: Collection<R>, key: string) => records.table(collection).get(key),
    find: <R extends object>(collection: Collection<R>, index: string, value: string) =>
      records.table(collection).find(index, value),
  }
  for (const { name } of collections) {
    rows[name]?.forEach((record, index) => {
      relations(record, others, (path, received, allowed) => {
        const field = () => ['records', name, index, ...path].join('.')
        problems.add(() => problem(general.field_invalid, { field: field(), received: quote(received), allowed }))
      })
    })
  }
}
