import type { Transaction } from '../operation/transaction.ts'
import type { Guard } from './guard.ts'
import { MadeCommit } from './made-commit.ts'
import type { State } from './state.ts'
import { OpenTransaction } from './transaction.ts'

/** What an operation answered, and what it changed, if anything. */
export interface Executed<T = unknown> {
  readonly result: T
  readonly commit: MadeCommit | null
}

/** Runs work on a state as transactions, one after the other. */
export class Transactions {
  readonly #state: State
  readonly #guard: Guard
  readonly #hidden: readonly string[]
  readonly #committed: (commit: MadeCommit) => void

  /** `hidden` are texts that no commit shows; `committed` takes each commit. */
  constructor(state: State, guard: Guard, hidden: readonly string[], committed: (commit: MadeCommit) => void) {
    this.#state = state
    this.#guard = guard
    this.#hidden = hidden
    this.#committed = committed
  }

  /** Runs work as one transaction at a time in ms. When it throws, everything it did is taken back. */
  run<T>(now: number, operation: string, work: (tx: Transaction) => T): Executed<T> {
    const tx = new OpenTransaction(this.#state.ground, now)
    let result: T
    try {
      result = this.#guard.run('a transaction', () => work(tx))
    } catch (error) {
      tx.undo()
      throw error
    }
    if (tx.changes.length === 0) return { result, commit: null }
    // Kept for as long as anybody may look at it, without the room that a list has to grow.
    const changes = [...tx.changes]
    const commit = new MadeCommit(operation, now, changes, this.#hidden)
    this.#committed(commit)
    return { result, commit }
  }
}
