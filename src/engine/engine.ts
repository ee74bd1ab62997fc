import type { Authority } from '../contract/authority.ts'
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
import type { RandomSource } from './random.ts'
import { Store } from './store.ts'
import { OpenTransaction } from './transaction.ts'

/** What an engine is made of. */
export interface EngineOptions {
  readonly clock: Clock
  readonly dialect: Dialect
  readonly rules: Rules
  readonly random: RandomSource
  readonly authority: Authority
  readonly url: string
  readonly families: readonly Family[]
}

/**
 * Runs operations on the state. Each operation is one transaction: it sees the state settled up to now, and either
 * commits as a whole or leaves no trace.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #ids: Ids
  #store: Store
  #tx: OpenTransaction
  /** What the rules of single fields look at. */
  readonly context: RuleContext
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()
  #operations = 0

  constructor(options: EngineOptions) {
    const { dialect, rules, random, families, url } = options
    this.#options = options
    this.#ids = ids(random)
    this.context = { dialect, unknownActions: rules.unknownActions }
    this.#store = this.#emptyStore()
    this.#tx = this.#transactionAt(url)
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** The gateway's time in ms since 1970. */
  get now(): number {
    return readClock(this.#options.clock)
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
    const input = operation.read?.(raw, ids, this.context)
    return this.transact(now, (tx) => operation.run(tx, ids, input))
  }

  /** Handles everything that is due, each event at its own time, in the order of their times. */
  settle(now: number): void {
    const { agenda } = this.#store
    if (!agenda.isDue(now)) return
    for (let entry = agenda.first(); entry && entry.due.at <= now; entry = agenda.first()) {
      const { table, key, due } = entry
      const record = this.#store.tableNamed(table).get(key)
      this.transact(due.at, (tx) => this.#onDue.get(table)?.(tx, record))
    }
  }

  /** Runs work that no operation stands for: on settled state, as one transaction. */
  control<T>(work: (tx: Transaction) => T): T {
    const now = this.now
    this.settle(now)
    return this.transact(now, work)
  }

  /** When the next event is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    return this.#store.agenda.first()?.due.at
  }

  /** Every record, settled up to now, and the number that the next ids come from. */
  state(): { sequence: number; records: Record<string, readonly object[]> } {
    this.settle(this.now)
    return { sequence: this.#store.sequence, records: this.#store.records() }
  }

  /** Forgets everything that happened. */
  reset(): void {
    this.#operations = 0
    this.#store = this.#emptyStore()
    this.#tx = this.#transactionAt(this.url)
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

  #emptyStore(): Store {
    return new Store(this.#options.families.flatMap((family) => family.collections as readonly Collection<never>[]))
  }

  #transactionAt(url: string): OpenTransaction {
    const { dialect, rules, authority } = this.#options
    return new OpenTransaction(this.#store, this.#ids, dialect, rules, { url, dialect, authority })
  }
}
