import type { Collection, Index, Indexed } from '../operation/collection.ts'
import { quote } from '../schema/text.ts'
import { SortedList } from './sorted-list.ts'

/** The keys of the records of each value of an index, in creation order. Most values have one key, which needs no list. */
type Entries = Map<string, string | string[]>

/** The records of one collection, by key, in creation order, and by each index. */
export class Table<R extends object = object> {
  readonly #rows = new Map<string, R>()
  readonly #order = new SortedList(isBefore)
  readonly #indexes = new Map<string, readonly [entries: Entries, valuesOf: Index<R>]>()

  constructor(readonly collection: Collection<R>) {}

  get size(): number {
    return this.#rows.size
  }

  get(key: string): R | undefined {
    return this.#rows.get(key)
  }

  /** The oldest record whose index has this value. */
  find(index: string, value: string): R | undefined {
    const keys = this.#entries(index).get(value)
    const key = typeof keys === 'string' ? keys : keys?.[0]
    return key === undefined ? undefined : this.#rows.get(key)
  }

  /** The records whose index has this value, oldest first. */
  findAll(index: string, value: string): R[] {
    return asList(this.#entries(index).get(value)).map((key) => this.#row(key))
  }

  /** Records from the one before `cursor` on; the cursor need not exist. */
  *newestFirst(cursor?: string): Generator<R> {
    for (const key of this.#order.descending(cursor)) yield this.#row(key)
  }

  /** Puts a record under its key, or removes the one there. Returns the record before. */
  replace(key: string, after: R | undefined): R | undefined {
    const before = this.#rows.get(key)
    if (after) this.#rows.set(key, after)
    else this.#rows.delete(key)
    if (after && !before) this.#order.add(key)
    if (before && !after) this.#order.delete(key)
    for (const [entries, valuesOf] of this.#indexes.values()) {
      reindex(entries, key, before ? valuesOf(before) : null, after ? valuesOf(after) : null)
    }
    return before
  }

  /** Returns the entries of an index. Makes the index when it is first used, which halves the time to load many records. */
  #entries(index: string): Entries {
    const known = this.#indexes.get(index)
    if (known) return known[0]
    const valuesOf = this.collection.indexes[index]
    if (!valuesOf) throw new TypeError(unknownIndexMessage(this.collection, index))
    const entries: Entries = new Map()
    for (const [key, row] of this.#rows) reindex(entries, key, null, valuesOf(row))
    this.#indexes.set(index, [entries, valuesOf])
    return entries
  }

  #row(key: string): R {
    return this.#rows.get(key) as R // Every key of the order and of an index has one.
  }
}

function unknownIndexMessage({ name, indexes }: Pick<Collection<object>, 'name' | 'indexes'>, index: string): string {
  const known = Object.keys(indexes).join(', ') || 'none'
  return `The collection "${name}" has no index ${quote(index)}. Its indexes: ${known}.`
}

function isBefore(a: string, b: string): boolean {
  return a < b
}

/** Moves a key from the entries of some values to those of others. */
function reindex(entries: Entries, key: string, before: Indexed, after: Indexed): void {
  if (before === after) return
  for (const value of asList(before)) {
    const keys = entries.get(value)
    if (typeof keys === 'object' && keys.length > 1) keys.splice(keys.indexOf(key), 1)
    else entries.delete(value)
  }
  for (const value of asList(after)) {
    const keys = entries.get(value)
    if (keys === undefined) entries.set(value, key)
    else if (typeof keys === 'string') entries.set(value, [keys, key].sort())
    else keys.splice(keys.findLastIndex((other) => other < key) + 1, 0, key)
  }
}

function asList(indexed: Indexed | undefined): readonly string[] {
  if (indexed === null || indexed === undefined) return []
  return typeof indexed === 'string' ? [indexed] : indexed
}
