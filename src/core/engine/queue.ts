/** A queue that drops its oldest item in constant time, unlike an array, whose `shift` moves all other items. */
export class Queue<T> {
  /**
   * All items, after the dropped ones, which are undefined. Once half of the list has been dropped, the list is copied without the dropped
   * items.
   */
  #items: (T | undefined)[] = []
  #dropped = 0

  get size(): number {
    return this.#items.length - this.#dropped
  }

  /** The oldest item. */
  get first(): T | undefined {
    return this.#items[this.#dropped]
  }

  /** The newest item. */
  get last(): T | undefined {
    return this.#items.at(-1)
  }

  /** Returns all items, oldest first. */
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

  /** Replaces all items. */
  replace(items: readonly T[]): void {
    this.#items = [...items]
    this.#dropped = 0
  }
}
