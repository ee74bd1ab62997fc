import type { Collection, Index, Indexed } from '../operation/collection.ts'
import { quote } from '../schema/text.ts'
import { SortedList } from './sorted-list.ts'

/** The keys of the records with each index value, in creation order. A single key, the usual case, is stored without a list. */
type KeysByValue = Map<string, string | string[]>

/** The records of one collection, by key, in creation order, and by each index. */
export class Table<R extends object = object> {
  /** The number of changes so far, including undone ones. */
  revision = 0
  readonly #rows = new Map<string, R>()
  readonly #order = new SortedList(isBefore)
  readonly #indexes = new Map<string, readonly [keysByValue: KeysByValue, valuesOf: Index<R>]>()

  constructor(readonly collection: Collection<R>) {}

  get size(): number {
    return this.#rows.size
  }

  get(key: string): R | undefined {
    return this.#rows.get(key)
  }

  /** Returns the oldest record whose index has this value. */
  find(index: string, value: string): R | undefined {
    const keys = this.#readIndex(index).get(value)
    const key = typeof keys === 'string' ? keys : keys?.[0]
    return key === undefined ? undefined : this.#rows.get(key)
  }

  /** Returns the records whose index has this value, oldest first. */
  findAll(index: string, value: string): R[] {
    return asList(this.#readIndex(index).get(value)).map((key) => this.#readRow(key))
  }

  /** Yields the records, newest first, starting with the one before `cursor`, which need not exist. */
  *newestFirst(cursor?: string): Generator<R> {
    for (const key of this.#order.descending(cursor)) yield this.#readRow(key)
  }

  /** Stores a record under its key, or removes the record with that key. Returns the previous record. */
  replace(key: string, after: R | undefined): R | undefined {
    this.revision++
    const before = this.#rows.get(key)
    if (after) this.#rows.set(key, after)
    else this.#rows.delete(key)
    if (after && !before) this.#order.add(key)
    if (before && !after) this.#order.delete(key)
    for (const [keysByValue, valuesOf] of this.#indexes.values()) {
      reindex(keysByValue, key, before ? valuesOf(before) : null, after ? valuesOf(after) : null)
    }
    return before
  }

  /** Returns the keys by index value. Creates the index on first use, because this halves the time to load many records. */
  #readIndex(index: string): KeysByValue {
    const known = this.#indexes.get(index)
    if (known) return known[0]
    const valuesOf = this.collection.indexes[index]
    if (!valuesOf) throw new TypeError(describeUnknownIndex(this.collection, index))
    const keysByValue: KeysByValue = new Map()
    for (const [key, row] of this.#rows) reindex(keysByValue, key, null, valuesOf(row))
    this.#indexes.set(index, [keysByValue, valuesOf])
    return keysByValue
  }

  #readRow(key: string): R {
    return this.#rows.get(key) as R // Each key in the order and in an index has a row.
  }
}

function describeUnknownIndex({ name, indexes }: Pick<Collection<object>, 'name' | 'indexes'>, index: string): string {
  const known = Object.keys(indexes).join(', ') || 'none'
  return `The collection "${name}" has no index ${quote(index)}. Its indexes: ${known}.`
}

function isBefore(a: string, b: string): boolean {
  return a < b
}

/** Removes a key from the values that an index had for a record, and adds it to the current values. */
function reindex(keysByValue: KeysByValue, key: string, before: Indexed, after: Indexed): void {
  if (before === after) return
  for (const value of asList(before)) {
    const keys = keysByValue.get(value)
    if (typeof keys === 'object' && keys.length > 1) keys.splice(keys.indexOf(key), 1)
    else keysByValue.delete(value)
  }
  for (const value of asList(after)) {
    const keys = keysByValue.get(value)
    if (keys === undefined) keysByValue.set(value, key)
    else if (typeof keys === 'string') keysByValue.set(value, [keys, key].sort())
    else keys.splice(keys.findLastIndex((other) => other < key) + 1, 0, key)
  }
}

function asList(indexed: Indexed | undefined): readonly string[] {
  if (indexed === null || indexed === undefined) return []
  return typeof indexed === 'string' ? [indexed] : indexed
}
