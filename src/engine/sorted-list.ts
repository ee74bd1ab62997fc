import { itemAt } from '../schema/values.ts'

/**
 * A sorted list without equal items. Adding at the end takes constant time. Adding and deleting elsewhere takes a search and a
 * move within one chunk. An iteration can start at any item, even at one that is not in the list.
 */
export class SortedList<T> {
  /** The items in order, in chunks that are never empty. */
  readonly #chunks: T[][] = []

  /** `maxChunkSize` is the maximum number of items of a chunk. It must be even. */
  constructor(
    readonly isBefore: (a: T, b: T) => boolean,
    readonly maxChunkSize = 512,
  ) {}

  get first(): T | undefined {
    return this.#chunks[0]?.[0]
  }

  add(item: T): void {
    const last = this.#chunks.at(-1)
    const isLast = !last || this.isBefore(itemAt(last, last.length - 1), item)
    if (!isLast) this.#insert(item)
    else if (last && last.length < this.maxChunkSize) last.push(item)
    else this.#chunks.push([item])
  }

  has(item: T): boolean {
    const chunk = this.#chunks[this.#findChunk(item)]
    return chunk !== undefined && this.#isAt(chunk, this.#lowerBound(chunk, item), item)
  }

  delete(item: T): void {
    const position = this.#findChunk(item)
    const chunk = this.#chunks[position]
    const at = chunk ? this.#lowerBound(chunk, item) : 0
    if (!chunk || !this.#isAt(chunk, at, item)) return
    if (chunk.length === 1) this.#chunks.splice(position, 1)
    else chunk.splice(at, 1)
  }

  /** Yields the items before `bound`, or all items, the last one first. */
  *descending(bound?: T): Generator<T> {
    let position = bound === undefined ? this.#chunks.length - 1 : this.#findChunk(bound)
    let chunk = this.#chunks[position]
    if (!chunk) return
    let at = (bound === undefined ? chunk.length : this.#lowerBound(chunk, bound)) - 1
    while (chunk) {
      for (; at >= 0; at--) yield itemAt(chunk, at)
      chunk = this.#chunks[--position]
      at = (chunk?.length ?? 0) - 1
    }
  }

  #insert(item: T): void {
    const position = this.#findChunk(item)
    const chunk = itemAt(this.#chunks, position)
    const at = this.#lowerBound(chunk, item)
    if (this.#isAt(chunk, at, item)) return
    chunk.splice(at, 0, item)
    if (chunk.length > this.maxChunkSize) this.#chunks.splice(position + 1, 0, chunk.splice(this.maxChunkSize / 2))
  }

  #isAt(chunk: readonly T[], at: number, item: T): boolean {
    return at < chunk.length && !this.isBefore(item, itemAt(chunk, at))
  }

  /** Returns the position of the last chunk whose first item is not after `item`, or else that of the first chunk. */
  #findChunk(item: T): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.isBefore(item, itemAt(itemAt(this.#chunks, middle), 0))) high = middle - 1
      else low = middle
    }
    return low
  }

  /** Returns the first position whose item is not before `item`. */
  #lowerBound(chunk: readonly T[], item: T): number {
    let low = 0
    let high = chunk.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.isBefore(itemAt(chunk, middle), item)) low = middle + 1
      else high = middle
    }
    return low
  }
}
