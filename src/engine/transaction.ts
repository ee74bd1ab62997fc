import type { Collection } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { View, Wire } from '../operation/view.ts'
import type { CommonDialect, Rules } from '../schema/dialect.ts'
import { deepFreeze } from '../schema/values.ts'
import type { Ids } from './ids.ts'
import type { RecordChange, Records } from './records.ts'

/** What all transactions of an engine share, until its state is replaced. */
export interface Ground {
  readonly records: Records
  readonly ids: Ids
  readonly dialect: CommonDialect
  readonly rules: Rules
  readonly wire: Wire
  /** What records were shown as, by record. Made when first needed: it is the dearest part of an unused gateway. */
  shown: WeakMap<object, object> | undefined
  /** What was shown last. */
  lastShown: object | undefined
}

/**
 * One piece of work on the state, with an object of its own: whatever happens meanwhile, it knows its own changes and
 * nothing else. Writes go straight to the records; {@link undo} takes them back.
 */
export class OpenTransaction implements Transaction {
  readonly changes: RecordChange[] = []
  readonly #sequenceBefore: number

  constructor(
    readonly ground: Ground,
    readonly now: number,
  ) {
    this.#sequenceBefore = ground.records.sequence
  }

  get dialect(): CommonDialect {
    return this.ground.dialect
  }

  get rules(): Rules {
    return this.ground.rules
  }

  get wire(): Wire {
    return this.ground.wire
  }

  /** Takes back everything that was done, the numbers that ids came from included. */
  undo(): void {
    this.ground.records.undo(this.changes)
    this.ground.records.sequence = this.#sequenceBefore
  }

  show<R extends object, Shown extends object>(view: View<R, Shown>, record: R): Shown {
    const { ground } = this
    const kept = ground.shown?.get(record) as Shown | undefined // A record has one view.
    const shown = kept ?? deepFreeze(view(record, ground.wire))
    ground.lastShown = shown
    // What was just written is shown once, and few ask again: a place to keep it costs as much as showing it.
    if (kept || this.changes.length > 0) return shown
    ground.shown ??= new WeakMap()
    ground.shown.set(record, shown)
    return shown
  }

  get<R extends object>(collection: Collection<R>, key: string): R | undefined {
    return this.ground.records.table(collection).get(key)
  }

  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined {
    return this.ground.records.table(collection).find(index, value)
  }

  count<R extends object>(collection: Collection<R>): number {
    return this.ground.records.table(collection).size
  }

  put<R extends object>(collection: Collection<R>, record: R): R {
    this.#change(collection, collection.key(record), record)
    return record
  }

  remove<R extends object>(collection: Collection<R>, record: R): void {
    this.#change(collection, collection.key(record), undefined)
  }

  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R> {
    return this.ground.records.table(collection).newestFirst(cursor)
  }

  newId(prefix: string): string {
    return this.ground.ids.id(prefix, 'ids', this.ground.records.sequence++)
  }

  randomLabel(length: number): string {
    return this.ground.ids.label(length, 'labels', this.ground.records.sequence++)
  }

  randomInteger(below: number): number {
    return this.ground.ids.integer(below, 'integers', this.ground.records.sequence++)
  }

  nextOrder(): number {
    return this.ground.records.sequence++
  }

  #change<R extends object>(collection: Collection<R>, key: string, after: R | undefined): void {
    this.changes.push(this.ground.records.change(collection, key, after))
  }
}
