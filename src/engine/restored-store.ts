import type { Collection } from '../contract/collection.ts'
import { problem } from '../contract/errors.ts'
import { general } from '../contract/general-errors.ts'
import { Problems } from '../contract/problems.ts'
import { quote } from '../contract/quote.ts'
import type { Family } from '../contract/resource.ts'
import { Store } from './store.ts'

/** Records by collection, and the number that the next id comes from. */
export interface KeptState {
  readonly sequence: number
  readonly records: Readonly<Record<string, readonly object[]>>
}

/** A store with nothing in it. */
export function emptyStore(families: readonly Family<object>[]): Store {
  return new Store(families.flatMap((family) => family.collections))
}

/**
 * A store with the records of a state. `isOwn` says that a gateway made it, so that nothing in it needs to be checked.
 * @throws Refusal where two records have one key, or records do not fit together.
 */
export function restoredStore(
  families: readonly Family<object>[],
  { sequence, records }: KeptState,
  isOwn: boolean,
): Store {
  const store = emptyStore(families)
  const problems = new Problems()
  for (const [name, rows] of Object.entries(records)) keepAll(store, name, rows, problems)
  store.sequence = sequence
  if (!isOwn) for (const family of families) checkRelations(store, family, records, problems)
  problems.refuse()
  return store
}

function keepAll(store: Store, name: string, rows: readonly object[], problems: Problems): void {
  const { collection } = store.tableNamed(name)
  rows.forEach((row, index) => {
    const key = collection.key(row)
    if (!store.change(collection, key, row).before) return
    const received = `a second record with the key ${quote(key)}`
    const field = `records.${name}.${index}`
    problems.add(() => problem(general.field_invalid, { field, received, allowed: 'each key once' }))
  })
}

function checkRelations(store: Store, family: Family<object>, records: KeptState['records'], problems: Problems): void {
  const { collections, relations } = family
  if (!relations) return
  const others = {
    get: <R extends object>(collection: Collection<R>, key: string) => store.table(collection).get(key),
    find: <R extends object>(collection: Collection<R>, index: string, value: string) =>
      store.table(collection).find(index, value),
  }
  for (const { name } of collections) {
    records[name]?.forEach((record, index) => {
      relations(record, others, (path, received, allowed) => {
        const field = () => ['records', name, index, ...path].join('.')
        problems.add(() => problem(general.field_invalid, { field: field(), received: quote(received), allowed }))
      })
    })
  }
}
