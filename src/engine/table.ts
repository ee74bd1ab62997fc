import type { Collection, Index, Indexed } from '../operation/collection.ts'
import { SortedKeys } from './sorted-keys.ts'

/** The records of one collection, by key, in creation order, and by each index. */
export class Table<R extends object = object> {
  readonly #rows = new Map<string, R>()
  readonly #order = new SortedKeys()
  /** Per index that was asked for, the keys of each value in creation order. */
  readonly #indexes = new Map<string, readonly [entries: Map<string, Keys>, indexed: Index<R>]>()

  constructor(readonly collection: Collection<R>) {}

  get size(): number {
    return this.#rows.size
  }

  get(key: string): R | undefined {
    return this.#rows.get(key)
  }

  /** The oldest record whose index has this value. */
  find(index: string, value: string): R | undefined {
    const keys = this.#entries(index)?.get(value)
    const key = typeof keys === 'object' ? keys[0] : keys
    return key === undefined ? undefined : this.#rows.get(key)
  }

  /** The records whose index has this value, oldest first. */
  findAll(index: string, value: string): R[] {
    const keys = this.#entries(index)?.get(value)
    return keys === undefined ? [] : listOf(keys).map((key) => this.#row(key))
  }

  /** The entries of an index, which is made when it is first asked for: to begin with many records takes half as long. */
  #entries(index: string): Map<string, Keys> | undefined {
    const known = this.#indexes.get(index)
    if (known) return known[0]
    const indexed = this.collection.indexes[index]
    if (!indexed) return undefined
    const entries = new Map<string, Keys>()
    for (const [key, row] of this.#rows) reindex(entries, key, null, indexed(row))
    this.#indexes.set(index, [entries, indexed])
    return entries
  }

  /** Records from the one before `cursor` on; the cursor need not exist. */
  *newestFirst(cursor?: string): Generator<R> {
    for (const key of this.#order.descending(cursor)) yield this.#row(key)
  }

  #row(key: string): R {
    return this.#rows.get(key) as R // Every key of the order and of an index has one.
  }

  /** What is made of all records, oldest first, and the same records as they are kept; without those of which nothing is. */
  exported(made: (record: R, collection: Collection<R>) => object | null): Exported {
    const shown: object[] = []
    const kept: object[] = []
    for (const record of this.newestFirst()) {
      const exported = made(record, this.collection)
      if (!exported) continue
      shown.push(exported)
      kept.push(record)
    }
    return { shown: shown.reverse(), kept: kept.reverse() }
  }

  /** Puts a record in the place of the one with its key, or takes that one out. Answers what was there before. */
  replace(key: string, after: R | undefined): R | undefined {
    const before = this.#rows.get(key)
    if (after) this.#rows.set(key, after)
    else this.#rows.delete(key)
    if (after && !before) this.#order.add(key)
    if (before && !after) this.#order.delete(key)
    for (const [entries, indexed] of this.#indexes.values()) {
      reindex(entries, key, before ? indexed(before) : null, after ? indexed(after) : null)
    }
    return before
  }
}

/** What may leave the gateway of some records, and the same records as they are kept. */
export interface Exported {
  readonly shown: object[]
  readonly kept: object[]
}

/** The keys of one value: nearly always one, which stands without a list around it. */
type Keys = string | string[]

function listOf(keys: Keys): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys
}

/** Moves a key from the entries of some values to those of others. */
function reindex(entries: Map<string, Keys>, key: string, before: Indexed, after: Indexed): void {
  if (before === after) return
  for (const value of valuesOf(before)) {
    const keys = entries.get(value)
    if (typeof keys === 'object' && keys.length > 1) keys.splice(keys.indexOf(key), 1)
    else entries.delete(value)
  }
  for (const value of valuesOf(after)) {
    const keys = entries.get(value)
    if (typeof keys === 'object') keys.splice(keys.findLastIndex((other) => other < key) + 1, 0, key)
    else entries.set(value, keys === undefined ? key : [keys, key].sort())
  }
}

const NO_VALUES: readonly string[] = []

function valuesOf(indexed: Indexed): readonly string[] {
  if (indexed === null) return NO_VALUES
  return typeof indexed === 'string' ? [indexed] : indexed
}
