import type { Collection, Due } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import { suggestion } from '../schema/nearest.ts'
import { quote } from '../schema/text.ts'
import { deepFreeze } from '../schema/values.ts'
import { SortedList } from './sorted-list.ts'
import { Table } from './table.ts'

/** A change to one record, including secrets. */
export interface RecordChange {
  readonly collection: Collection<object>
  readonly key: string
  readonly before: object | undefined
  readonly after: object | undefined
}

/** An event in the agenda: its due time, and the table and key of its record. */
export interface AgendaEntry {
  readonly due: Due
  readonly table: Table
  readonly key: string
}

/** All records of a gateway, the sequence number for IDs, and the agenda. */
export class Records {
  /** The next number for an ID, a label, or the scheduling order. */
  sequence = 0
  /** The number of changes so far, including undone ones. */
  revision = 0
  /** The events of all records, earliest first. Events at the same time are in scheduling order. */
  readonly agenda = new SortedList<AgendaEntry>(isDueBefore)
  readonly #tables = new Map<string, Table>()

  constructor(families: readonly Pick<Family<object>, 'collections'>[]) {
    for (const { collections } of families) {
      for (const each of collections) this.#tables.set(each.name, new Table(each))
    }
  }

  get collections(): readonly Collection<object>[] {
    return [...this.#tables.values()].map(({ collection }) => collection)
  }

  table<R extends object>(collection: Collection<R>): Table<R> {
    // The table under a collection's name contains only that collection's records.
    return this.tableNamed(collection.name) as Table<R>
  }

  get<R extends object>(collection: Collection<R>, key: string): R | undefined {
    return this.table(collection).get(key)
  }

  /** Returns the oldest record whose index has this value. */
  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined {
    return this.table(collection).find(index, value)
  }

  /** Returns the records whose index has this value, oldest first. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.table(collection).findAll(index, value)
  }

  tableNamed(name: string): Table {
    const table = this.#tables.get(name)
    if (table) return table
    const names = [...this.#tables.keys()]
    const hint = suggestion(name, names) || ` Allowed: ${names.join(', ')}.`
    throw new TypeError(`No family has a collection named ${quote(name)}.${hint}`)
  }

  /** Freezes a record and stores it under its key, or removes the record with that key. Updates the agenda and the indexes. */
  change<R extends object>(collection: Collection<R>, key: string, after: R | undefined): RecordChange {
    this.revision++
    const table: Table<R> = this.table(collection)
    const dueOf = collection.due
    const due = after && dueOf?.(after)
    if (due && !(Number.isFinite(due.at) && Number.isFinite(due.order)))
      throw new TypeError(describeInvalidDue(collection.name, due))
    const before = table.replace(key, deepFreeze(after))
    const previousDue = before && dueOf?.(before)
    if (previousDue) this.agenda.delete({ due: previousDue, table, key })
    if (due) this.agenda.add({ due, table, key })
    return { collection, key, before, after }
  }

  /** Undoes changes, starting with the most recent. */
  undo(changes: readonly RecordChange[]): void {
    for (const { collection, key, before } of [...changes].reverse()) this.change(collection, key, before)
  }

  /** Yields every collection with its records, oldest first. */
  *all(): Generator<{ readonly collection: Collection<object>; readonly oldestFirst: readonly object[] }> {
    for (const table of this.#tables.values()) {
      yield { collection: table.collection, oldestFirst: [...table.newestFirst()].reverse() }
    }
  }
}

/** Compares events by time, then by scheduling order. If their orders are equal, as in a damaged snapshot, compares the names and keys. */
function isDueBefore(a: AgendaEntry, b: AgendaEntry): boolean {
  if (a.due.at !== b.due.at) return a.due.at < b.due.at
  if (a.due.order !== b.due.order) return a.due.order < b.due.order
  const [aName, bName] = [a.table.collection.name, b.table.collection.name]
  return aName < bName || (aName === bName && a.key < b.key)
}

function describeInvalidDue(name: string, { at, order }: Due): string {
  const received = `{ at: ${quote(at)}, order: ${quote(order)} }`
  return `The collection "${name}" has a record that is due at ${received}. Allowed: at in epoch ms, and order from tx.nextOrder().`
}
