import type { Family } from '../operation/family.ts'
import { quote } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import type { AgendaEntry } from './agenda.ts'
import type { EngineState } from './engine-state.ts'
import type { Transactions } from './transactions.ts'

/** The next event: when, in ms, and of which record. */
export interface NextDue {
  readonly at: number
  readonly collection: string
  readonly key: string
}

/** The events that fall due as time passes. Each one is a transaction at its own time. */
export class DueEvents {
  readonly #current: () => EngineState
  readonly #transactions: Transactions
  /** The handler of each collection. */
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()

  constructor(families: readonly Family[], current: () => EngineState, transactions: Transactions) {
    this.#current = current
    this.#transactions = transactions
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** Handles everything that is due by a time, in the order of their times; after each event, it ends where `isOver`. */
  settle(now: number, isOver?: () => boolean): void {
    const { records } = this.#current()
    if (!records.agenda.isDue(now)) return
    let handled: AgendaEntry | undefined
    for (let next = records.agenda.first(); next && next.entry.due.at <= now; next = records.agenda.first()) {
      const { entry, record } = next
      if (entry === handled) throw new TypeError(unhandledMessage(entry))
      const onDue = this.#onDue.get(entry.table.collection.name)
      this.#transactions.run(entry.due.at, 'provisioning', (tx) => onDue?.(tx, record))
      if (isOver?.()) return
      handled = entry
    }
  }

  get next(): NextDue | undefined {
    const entry = this.#current().records.agenda.first()?.entry
    return entry && { at: entry.due.at, collection: entry.table.collection.name, key: entry.key }
  }
}

function unhandledMessage({ table, key, due }: AgendaEntry): string {
  const { name } = table.collection
  return `onDue of "${name}" has left the event of ${quote(key)} due at ${timestamp(due.at)}. It must move or remove it.`
}
