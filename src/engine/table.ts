import type { Collection, Index, Indexed } from '../operation/collection.ts'
import { itemAt } from '../schema/values.ts'

/** The keys of the records of each value of an index, in creation order. */
type Entries = Map<string, string[]>

/** The records of one collection, by key, in creation order, and by each index. */
export class Table<R extends object = object> {
  readonly #rows = new Map<string, R>()
  readonly #order = new SortedKeys()
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
    const key = this.#entries(index)?.get(value)?.[0]
    return key === undefined ? undefined : this.#rows.get(key)
  }

  /** The records whose index has this value, oldest first. */
  findAll(index: string, value: string): R[] {
    return (this.#entries(index)?.get(value) ?? []).map((key) => this.#row(key))
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

  /** The entries of an index, which is made when it is first used: that halves the time to load many records. */
  #entries(index: string): Entries | undefined {
    const known = this.#indexes.get(index)
    if (known) return known[0]
    const valuesOf = this.collection.indexes[index]
    if (!valuesOf) return undefined
    const entries: Entries = new Map()
    for (const [key, row] of this.#rows) reindex(entries, key, null, valuesOf(row))
    this.#indexes.set(index, [entries, valuesOf])
    return entries
  }

  #row(key: string): R {
    return this.#rows.get(key) as R // Every key of the order and of an index has one.
  }
}

/** Moves a key from the entries of some values to those of others. */
function reindex(entries: Entries, key: string, before: Indexed, after: Indexed): void {
  if (before === after) return
  for (const value of listOf(before)) {
    const keys = entries.get(value)
    if (keys && keys.length > 1) keys.splice(keys.indexOf(key), 1)
    else entries.delete(value)
  }
  for (const value of listOf(after)) {
    const keys = entries.get(value)
    if (keys) keys.splice(keys.findLastIndex((other) => other < key) + 1, 0, key)
    else entries.set(value, [key])
  }
}

function listOf(indexed: Indexed): readonly string[] {
  if (indexed === null) return []
  return typeof indexed === 'string' ? [indexed] : indexed
}

/**
 * A set of strings in sorted order. Adding at the end is constant; adding and deleting elsewhere costs a search and a
 * move within one chunk. A walk can start anywhere, also at a key that is not in the set.
 */
export class SortedKeys {
  /** No chunk is empty; every key of a chunk is smaller than every key of the next. */
  #chunks: string[][] = []

  /** `most` is how many keys a chunk may have, an even number. */
  constructor(readonly most = 512) {}

  add(key: string): void {
    const last = this.#chunks.at(-1)
    const isLast = !last || key > itemAt(last, last.length - 1)
    if (!isLast) this.#insert(key)
    else if (last && last.length < this.most) last.push(key)
    else this.#chunks.push([key])
  }

  delete(key: string): void {
    const position = this.#chunkOf(key)
    const chunk = this.#chunks[position]
    const at = chunk ? lowerBound(chunk, key) : -1
    if (!chunk || chunk[at] !== key) return
    if (chunk.length === 1) this.#chunks.splice(position, 1)
    else chunk.splice(at, 1)
  }

  /** The keys smaller than `bound` (all where there is none), largest first. */
  *descending(bound?: string): Generator<string> {
    let position = bound === undefined ? this.#chunks.length - 1 : this.#chunkOf(bound)
    let chunk = this.#chunks[position]
    if (!chunk) return
    let at = (bound === undefined ? chunk.length : lowerBound(chunk, bound)) - 1
    while (chunk) {
      for (; at >= 0; at--) yield itemAt(chunk, at)
      chunk = this.#chunks[--position]
      at = (chunk?.length ?? 0) - 1
    }
  }

  #insert(key: string): void {
    const position = this.#chunkOf(key)
    const chunk = itemAt(this.#chunks, position)
    const at = lowerBound(chunk, key)
    if (chunk[at] === key) return
    chunk.splice(at, 0, key)
    if (chunk.length > this.most) this.#chunks.splice(position + 1, 0, chunk.splice(this.most / 2))
  }

  /** The last chunk whose first key is not larger than `key`; the first chunk where there is none. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (itemAt(itemAt(this.#chunks, middle), 0) <= key) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The first position whose key is not smaller than `key`. */
function lowerBound(chunk: readonly string[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (itemAt(chunk, middle) < key) low = middle + 1
    else high = middle
  }
  return low
}
