import { itemAt } from '../schema/values.ts'

/**
 * A sorted list without duplicates. Adding an item at the end takes constant time. Adding or deleting any other item requires a search, and
 * shifts items within one chunk.
 */
export class SortedList<T> {
  /** The items in order, in chunks that are never empty. */
  readonly #chunks: T[][] = []

  /** `maxChunkSize` is the maximum number of items in a chunk. It must be even. */
  constructor(
    readonly isBefore: (a: T, b: T) => boolean,
    readonly maxChunkSize = 512,
  ) {}

  get first(): T | undefined {
    return this.#chunks[0]?.[0]
  }

  /** Adds an item, unless the list already contains an equal item. */
  add(item: T): void {
    const lastChunk = this.#chunks.at(-1)
    if (lastChunk && !this.isBefore(itemAt(lastChunk, lastChunk.length - 1), item)) this.#insert(item)
    else if (lastChunk && lastChunk.length < this.maxChunkSize) lastChunk.push(item)
    else this.#chunks.push([item])
  }

  has(item: T): boolean {
    const chunk = this.#chunks[this.#findChunkIndex(item)]
    return chunk !== undefined && this.#isAt(chunk, this.#lowerBound(chunk, item), item)
  }

  delete(item: T): void {
    const chunkIndex = this.#findChunkIndex(item)
    const chunk = this.#chunks[chunkIndex]
    const index = chunk ? this.#lowerBound(chunk, item) : 0
    if (!chunk || !this.#isAt(chunk, index, item)) return
    if (chunk.length === 1) this.#chunks.splice(chunkIndex, 1)
    else if (index === 0) chunk.shift()
    else chunk.splice(index, 1)
  }

  /** Yields all items, or those before `bound` (which need not be in the list), last item first. */
  *descending(bound?: T): Generator<T> {
    let chunkIndex = bound === undefined ? this.#chunks.length - 1 : this.#findChunkIndex(bound)
    let chunk = this.#chunks[chunkIndex]
    if (!chunk) return
    let index = (bound === undefined ? chunk.length : this.#lowerBound(chunk, bound)) - 1
    while (chunk) {
      for (; index >= 0; index--) yield itemAt(chunk, index)
      chunk = this.#chunks[--chunkIndex]
      index = (chunk?.length ?? 0) - 1
    }
  }

  #insert(item: T): void {
    const chunkIndex = this.#findChunkIndex(item)
    const chunk = itemAt(this.#chunks, chunkIndex)
    const index = this.#lowerBound(chunk, item)
    if (this.#isAt(chunk, index, item)) return
    chunk.splice(index, 0, item)
    if (chunk.length > this.maxChunkSize) this.#chunks.splice(chunkIndex + 1, 0, chunk.splice(this.maxChunkSize / 2))
  }

  #isAt(chunk: readonly T[], index: number, item: T): boolean {
    return index < chunk.length && !this.isBefore(item, itemAt(chunk, index))
  }

  /** Returns the index of the last chunk whose first item is not after `item`, or else the index of the first chunk. */
  #findChunkIndex(item: T): number {
    const { first } = this
    // Most searches of the agenda are for its first item.
    if (first !== undefined && !this.isBefore(first, item)) return 0
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.isBefore(item, itemAt(itemAt(this.#chunks, middle), 0))) high = middle - 1
      else low = middle
    }
    return low
  }

  /** Returns the index of the first item that is not before `item`. */
  #lowerBound(chunk: readonly T[], item: T): number {
    if (!this.isBefore(itemAt(chunk, 0), item)) return 0
    let low = 1
    let high = chunk.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.isBefore(itemAt(chunk, middle), item)) low = middle + 1
      else high = middle
    }
    return low
  }
}
