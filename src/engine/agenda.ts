import type { Due } from '../operation/collection.ts'
import { itemAt } from '../schema/values.ts'
import type { Table } from './table.ts'

/** The event `due` of the record `key` of a table. */
export interface AgendaEntry {
  readonly due: Due
  readonly table: Table
  readonly key: string
}

/** An event with the record that waits for it. */
interface DueEvent {
  readonly entry: AgendaEntry
  readonly record: object
}

/**
 * The records that are due, first due first, ties in scheduling order. A binary heap that forgets lazily: an entry whose
 * record has changed since is dropped when it comes up, so cancelling costs nothing and can never be forgotten.
 */
export class Agenda {
  #heap: AgendaEntry[] = []

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

  /** The first current entry, with its record. Drops the outdated ones before it. */
  first(): DueEvent | undefined {
    for (let entry = this.#heap[0]; entry; entry = this.#heap[0]) {
      const record = waitingRecord(entry)
      if (record) return { entry, record }
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
    const entries = this.#heap.filter((entry) => waitingRecord(entry))
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

/** Returns the record of an entry; undefined where it no longer wants this event. */
function waitingRecord({ due, table, key }: AgendaEntry): object | undefined {
  const record = table.get(key)
  const current = record && table.collection.due?.(record)
  return current?.at === due.at && current.order === due.order ? record : undefined
}

function isBefore(a: AgendaEntry, b: AgendaEntry): boolean {
  return a.due.at < b.due.at || (a.due.at === b.due.at && a.due.order < b.due.order)
}
