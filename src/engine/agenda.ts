import type { Due } from '../operation/collection.ts'
import { itemAt } from '../schema/values.ts'

/** The event `due` of the record `key` in the table `table`. */
export interface AgendaEntry {
  readonly due: Due
  readonly table: string
  readonly key: string
}

/**
 * What is due, first due first, ties in scheduling order. A binary heap that forgets lazily: an entry whose record
 * has changed since is dropped when it comes up, so cancelling costs nothing and can never be forgotten.
 */
export class Agenda {
  #heap: AgendaEntry[] = []

  /** `isCurrent` tells whether the record still wants this event. */
  constructor(readonly isCurrent: (entry: AgendaEntry) => boolean) {}

  add(entry: AgendaEntry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      const above = itemAt(heap, parent)
      if (!isBefore(entry, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = entry
  }

  /** The first current entry, or undefined. Drops the outdated ones before it. */
  first(): AgendaEntry | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (this.isCurrent(top)) return top
      this.#dropFirst()
    }
    return undefined
  }

  /** Tells whether the first entry, current or not, is due at `now`. Cheap enough to call before every operation. */
  isDue(now: number): boolean {
    const top = this.#heap[0]
    return top !== undefined && top.due.at <= now
  }

  /** Drops outdated entries once they are more than the `current` ones. */
  tidy(current: number): void {
    if (this.#heap.length <= 2 * current + 64) return
    const entries = this.#heap.filter(this.isCurrent)
    this.#heap = []
    for (const entry of entries) this.add(entry)
  }

  #dropFirst(): void {
    const heap = this.#heap
    const moved = heap.pop()
    if (!moved || heap.length === 0) return
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(itemAt(heap, child + 1), itemAt(heap, child))) child++
      const below = itemAt(heap, child)
      if (!isBefore(below, moved)) break
      heap[at] = below
      at = child
    }
    heap[at] = moved
  }
}

function isBefore(a: AgendaEntry, b: AgendaEntry): boolean {
  return a.due.at < b.due.at || (a.due.at === b.due.at && a.due.order < b.due.order)
}
