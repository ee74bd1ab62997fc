import { itemAt } from '../schema/values.ts'

/**
 * A set of texts in sorted order: adding at the end is constant, adding and deleting elsewhere costs a search and a
 * move within one chunk, and a walk can start anywhere, also at a key that is not in the set.
 */
export class SortedKeys {
  /** Never empty inside; every key of a chunk is smaller than every key of the next. */
  #chunks: string[][] = []

  /** `most` is how many keys a chunk may have, an even number. */
  constructor(readonly most = 512) {}

  add(key: string): void {
    const last = this.#chunks.at(-1)
    if (!last) {
      this.#chunks.push([key])
    } else if (key > itemAt(last, last.length - 1)) {
      if (last.length < this.most) last.push(key)
      else this.#chunks.push([key])
    } else {
      this.#insert(key)
    }
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
