import type { Due } from '../operation/collection.ts'
import { SortedList } from './sorted-list.ts'
import type { Table } from './table.ts'

/** The event `due` of the record `key` of a table. */
export interface AgendaEntry {
  readonly due: Due
  readonly table: Table
  readonly key: string
}

/** The events of all records, first due first, ties in scheduling order. */
export class Agenda extends SortedList<AgendaEntry> {
  constructor() {
    super(isBefore)
  }
}

/** Compares by time, then by scheduling order. A damaged snapshot may have equal orders; then the name and the key decide. */
function isBefore(a: AgendaEntry, b: AgendaEntry): boolean {
  if (a.due.at !== b.due.at) return a.due.at < b.due.at
  if (a.due.order !== b.due.order) return a.due.order < b.due.order
  const [one, other] = [a.table.collection.name, b.table.collection.name]
  return one < other || (one === other && a.key < b.key)
}
