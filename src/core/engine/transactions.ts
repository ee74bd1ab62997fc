import { type Collection, DUE } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import { type Consequences, listConsequences, releaseHolders } from '../operation/reference.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { View, Wire } from '../operation/view.ts'
import type { CommonDialect, RuleOptions } from '../schema/dialect.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import { RawCommit } from './commits.ts'
import type { EngineState } from './engine-state.ts'
import type { PublicRecords } from './public-records.ts'
import type { AgendaEntry, RecordChange } from './records.ts'
import type { WriteCheck } from './write-check.ts'

/** The kinds of foreign code that a gateway runs, as named in messages. A predicate runs inside a transaction. */
type ForeignCode = 'a transaction' | 'its clock' | 'its store'

/** Rejects calls to the gateway from callbacks that it runs (rules: transactions#reentrant-calls). */
export class Guard {
  #inside: ForeignCode | undefined

  get isInside(): boolean {
    return this.#inside !== undefined
  }

  requireOutside(): void {
    if (this.#inside) refuse(general.gateway_busy, { inside: this.#inside })
  }

  /** Runs code that may not call the gateway. */
  run<T, Args extends unknown[]>(inside: ForeignCode, work: (...args: Args) => T, ...args: Args): T {
    this.requireOutside()
    this.#inside = inside
    try {
      return work(...args)
    } finally {
      this.#inside = undefined
    }
  }
}

/**
 * One transaction on the state. It writes to the records immediately, and collects its changes for {@link undo}.
 */
export class OpenTransaction implements Transaction {
  readonly changes: RecordChange[] = []
  readonly dialect: CommonDialect
  readonly options: RuleOptions
  readonly wire: Wire
  readonly #state: EngineState
  readonly #sequenceBefore: number

  constructor(
    state: EngineState,
    readonly now: number,
    readonly consequences: Consequences = new Map(),
  ) {
    const { options, wire, records } = state
    this.dialect = options.dialect
    this.options = options.ruleOptions
    this.wire = wire
    this.#state = state
    this.#sequenceBefore = records.sequence
  }

  /** Undoes all changes, and releases the sequence numbers of IDs. */
  undo(): void {
    const { records } = this.#state
    records.undo(this.changes)
    records.sequence = this.#sequenceBefore
  }

  show<R extends object, Resource extends object>(view: View<R, Resource>, record: R): Resource {
    return this.#state.view(view, record, this.changes.length > 0)
  }

  get<R extends object>(collection: Collection<R>, key: string): R | undefined {
    return this.#state.records.get(collection, key)
  }

  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined {
    return this.#state.records.find(collection, index, value)
  }

  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.#state.records.table(collection).findAll(index, value)
  }

  count<R extends object>(collection: Collection<R>): number {
    return this.#state.records.table(collection).size
  }

  put<R extends object>(collection: Collection<R>, record: R): R {
    this.changes.push(this.#state.records.change(collection, collection.key(record), record))
    return record
  }

  remove<R extends object>(collection: Collection<R>, record: R): void {
    const key = collection.key(record)
    const rows = this.consequences.get(collection.name)
    if (rows && this.get(collection, key)) releaseHolders(this, rows, key)
    const change = this.#state.records.change(collection, key, undefined)
    // Removing a record twice counts as one change.
    if (change.before) this.changes.push(change)
  }

  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R> {
    return this.#state.records.table(collection).newestFirst(cursor)
  }

  newId(prefix: string): string {
    return this.#state.origin.ids.id(prefix, 'ids', this.nextOrder())
  }

  randomLabel(length: number): string {
    return this.#state.origin.ids.label(length, 'labels', this.nextOrder())
  }

  randomInteger(below: number): number {
    return this.#state.origin.ids.integer(below, 'integers', this.nextOrder())
  }

  nextOrder(): number {
    return this.#state.records.sequence++
  }
}

/** An operation's result and its commit, which is null if nothing changed. */
export interface Execution<T = unknown> {
  readonly result: T
  readonly commit: RawCommit | null
}

/** Runs consecutive transactions on a state. */
export class Transactions {
  /** The handler for due records, by collection. */
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()
  /** The references that change when a record is removed. */
  readonly #consequences: Consequences

  constructor(
    families: readonly Family[],
    readonly guard: Guard,
    readonly publicRecords: PublicRecords,
    readonly onCommit: (commit: RawCommit) => void,
    /** Checks what a transaction has written. */
    readonly check: WriteCheck | undefined,
  ) {
    this.#consequences = listConsequences(families)
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** Runs work as one transaction at the time `now`, in ms. If the work throws, its changes are undone. */
  run<T>(state: EngineState, now: number, operation: string, work: (tx: Transaction) => T): Execution<T> {
    const tx = new OpenTransaction(state, now, this.#consequences)
    let result: T
    try {
      result = this.guard.run('a transaction', work, tx)
      this.check?.(tx.changes, state.records, now)
    } catch (error) {
      tx.undo()
      throw error
    }
    if (tx.changes.length === 0) return { result, commit: null }
    // Copied without spare capacity, because the journal may hold the list for a long time.
    const commit = new RawCommit(operation, now, [...tx.changes], this.publicRecords)
    this.onCommit(commit)
    return { result, commit }
  }

  /**
   * Handles all events that are due by a time, in order, each as a transaction at its own time. Stops after an event as soon
   * as `isOver` returns true.
   */
  runDue(state: EngineState, now: number, isOver?: () => boolean): void {
    const { agenda } = state.records
    for (let entry = agenda.first; entry && entry.due.at <= now; entry = agenda.first) {
      const { due, table, key } = entry
      const record = table.get(key)
      const onDue = this.#onDue.get(table.collection.name)
      this.run(state, due.at, table.collection.name + DUE, (tx) => record && onDue?.(tx, record))
      if (agenda.has(entry)) throw new TypeError(describeUnhandled(entry))
      if (isOver?.()) return
    }
  }
}

function describeUnhandled({ table, key, due }: AgendaEntry): string {
  const { name } = table.collection
  return `onDue of "${name}" returned, but ${quote(key)} is still due at ${timestamp(due.at)}. Reschedule the event, or remove it.`
}
