import type { Family } from '../operation/family.ts'
import type { State } from './state.ts'
import type { Transactions } from './transactions.ts'

/** What is due next: when, in ms, and of which record. */
export interface NextDue {
  readonly at: number
  readonly collection: string
  readonly key: string
}

/** A move of the clock that may work for so long. */
export interface Move {
  /** Whether it has worked long enough. Asked between events. */
  readonly isOver: () => boolean
  /** Whether something that is due was left. */
  hasStopped: boolean
}

/** What happens by itself as time passes: each event as one transaction at its own time. */
export class DueEvents {
  readonly #state: State
  readonly #transactions: Transactions
  /** What to do where something is due, by collection. */
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()

  constructor(families: readonly Family[], state: State, transactions: Transactions) {
    this.#state = state
    this.#transactions = transactions
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** Handles everything that is due by a time, in the order of their times, or as much as there is time for. */
  settle(now: number, move?: Move): void {
    const { records } = this.#state
    const { agenda } = records
    if (!agenda.isDue(now)) return
    const next = () => {
      const entry = agenda.first()
      return entry && entry.due.at <= now ? entry : undefined
    }
    for (let entry = next(); entry; ) {
      const { table, key, due } = entry
      const record = records.tableNamed(table).get(key)
      this.#transactions.run(due.at, 'provisioning', (tx) => record && this.#onDue.get(table)?.(tx, record))
      entry = next()
      if (!entry || !move?.isOver()) continue
      move.hasStopped = true
      return
    }
  }

  get next(): NextDue | undefined {
    const entry = this.#state.records.agenda.first()
    return entry && { at: entry.due.at, collection: entry.table, key: entry.key }
  }
}
