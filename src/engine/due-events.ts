import type { Family } from '../operation/family.ts'
import { quote } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import type { AgendaEntry } from './agenda.ts'
import type { EngineState } from './engine-state.ts'
import type { Transactions } from './transactions.ts'

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

  /** Handles all events that are due by a time, in order. Stops after an event as soon as `isOver` returns true. */
  settle(now: number, isOver?: () => boolean): void {
    const { agenda } = this.#current().records
    for (let entry = agenda.first; entry && entry.due.at <= now; entry = agenda.first) {
      const { due, table, key } = entry
      const record = table.get(key)
      const onDue = this.#onDue.get(table.collection.name)
      this.#transactions.run(due.at, 'provisioning', (tx) => record && onDue?.(tx, record))
      if (agenda.has(entry)) throw new TypeError(unhandledMessage(entry))
      if (isOver?.()) return
    }
  }
}

function unhandledMessage({ table, key, due }: AgendaEntry): string {
  const { name } = table.collection
  return `onDue of "${name}" has left the event of ${quote(key)} due at ${timestamp(due.at)}. It must move or remove it.`
}
