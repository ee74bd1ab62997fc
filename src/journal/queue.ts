/** A queue that drops its oldest item in constant time: `shift` of a long array moves all the others. */
export class Queue<T> {
  /** The dropped items are at the beginning, as undefined, until they are half of all. */
  #items: (T | undefined)[] = []
  #dropped = 0

  get size(): number {
    return this.#items.length - this.#dropped
  }

  /** All items, the oldest first. */
  all(): T[] {
    return this.#items.slice(this.#dropped) as T[] // Only dropped items are undefined.
  }

  add(item: T): void {
    this.#items.push(item)
  }

  /** Drops the oldest item, and returns it. */
  drop(): T | undefined {
    const oldest = this.#items[this.#dropped]
    this.#items[this.#dropped++] = undefined
    if (this.#dropped >= this.#items.length / 2) this.replace(this.all())
    return oldest
  }

  replace(items: readonly T[]): void {
    this.#items = [...items]
    this.#dropped = 0
  }
}
