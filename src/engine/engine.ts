import type { Collection } from '../contract/collection.ts'
import type { Dialect } from '../contract/dialect.ts'
import { type Problem, Refusal } from '../contract/errors.ts'
import { pathIdProblems } from '../contract/ids.ts'
import type { Operation } from '../contract/operation.ts'
import type { Family } from '../contract/resource.ts'
import type { Rules } from '../contract/rules.ts'
import type { RuleContext } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { type Clock, readClock } from './clock.ts'
import { type Ids, ids } from './ids.ts'
import { randomSource } from './random.ts'
import { Store } from './store.ts'
import { OpenTransaction } from './transaction.ts'

/** What an engine is made of. */
export interface EngineOptions {
  readonly clock: Clock
  readonly dialect: Dialect
  readonly rules: Rules
  readonly seed: string
  readonly url: string
  readonly families: readonly Family[]
}

/**
 * Runs operations on the state. Each operation is one transaction: it sees the state settled up to now, and either
 * commits as a whole or leaves no trace.
 */
export class Engine {
  readonly store: Store
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #tx: OpenTransaction
  readonly #context: RuleContext
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()
  #operations = 0

  constructor({ clock, dialect, rules, seed, url, families }: EngineOptions) {
    this.#clock = clock
    this.#ids = ids(randomSource(seed))
    this.#context = { dialect, unknownActions: rules.unknownActions }
    this.store = new Store(families.flatMap((family) => family.collections as readonly Collection<never>[]))
    this.#tx = new OpenTransaction(this.store, this.#ids, dialect, rules, { url, dialect })
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** The gateway's time in ms since 1970. */
  get now(): number {
    return readClock(this.#clock)
  }

  /** The base URL of every URI in a response. */
  get url(): string {
    return this.#tx.wire.url
  }

  set url(url: string) {
    this.#tx.rebase(url)
  }

  /** The id of the next answered request. Not part of the state: a refused request gets one too. */
  nextOperationId(): string {
    return this.#ids.id('op', 'operations', this.#operations++)
  }

  /**
   * Runs one operation with the ids of its path and its unread body or query, and answers in the wire's form.
   * Throws a `Refusal` when a rule refuses it; then nothing has changed.
   */
  execute(operation: Operation, ids: Readonly<Record<string, string>>, raw: unknown): unknown {
    const now = this.now
    this.settle(now)
    const problems = pathIdProblems(ids, operation.ids)
    if (problems.length > 0) throw new Refusal(problems as [Problem, ...Problem[]])
    const input = operation.read?.(raw, ids, this.#context)
    return this.transact(now, (tx) => operation.run(tx, ids, input))
  }

  /** Handles everything that is due, each event at its own time, in the order of their times. */
  settle(now: number): void {
    const { agenda } = this.store
    if (!agenda.isDue(now)) return
    for (let entry = agenda.first(); entry && entry.due.at <= now; entry = agenda.first()) {
      const { table, key, due } = entry
      const record = this.store.tableNamed(table).get(key)
      this.transact(due.at, (tx) => this.#onDue.get(table)?.(tx, record))
    }
  }

  /** Runs work as one transaction. When it throws, everything it did is taken back. */
  transact<T>(now: number, work: (tx: Transaction) => T): T {
    const tx = this.#tx
    tx.open(now)
    try {
      return work(tx)
    } catch (error) {
      tx.cancel()
      throw error
    }
  }
}
