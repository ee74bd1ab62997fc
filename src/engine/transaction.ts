import type { Collection } from '../contract/collection.ts'
import type { Change } from '../contract/commit.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { Rules } from '../contract/rules.ts'
import type { Transaction } from '../contract/transaction.ts'
import { deepFreeze, type View, type Wire } from '../contract/view.ts'
import type { Ids } from './ids.ts'
import type { Store } from './store.ts'

/**
 * The transaction of an engine: one object, opened for one piece of work at a time. Writes go straight to the store;
 * closing answers what was changed, cancelling takes it back.
 */
export class OpenTransaction implements Transaction {
  now = 0
  #changes: Change[] = []
  #sequenceBefore = 0
  /** Made when first needed: a WeakMap is the dearest part of a gateway that is only created. */
  #shown: WeakMap<object, object> | undefined

  constructor(
    readonly store: Store,
    readonly ids: Ids,
    readonly dialect: Dialect,
    readonly rules: Rules,
    public wire: Wire,
  ) {}

  open(now: number): void {
    this.now = now
    this.#sequenceBefore = this.store.sequence
    if (this.#changes.length > 0) this.#changes = []
  }

  close(): readonly Change[] {
    return this.#changes
  }

  cancel(): void {
    this.store.undo(this.#changes)
    this.store.sequence = this.#sequenceBefore
    this.#changes = []
  }

  /** Shows records with another base URL from now on. */
  rebase(url: string): void {
    this.wire = { ...this.wire, url }
    this.#shown = undefined
  }

  show<R extends object, Shown extends object>(view: View<R, Shown>, record: R): Shown {
    this.#shown ??= new WeakMap()
    const kept = this.#shown.get(record)
    if (kept) return kept as Shown
    const shown = deepFreeze(view(record, this.wire))
    this.#shown.set(record, shown)
    return shown
  }

  get<R extends object>(collection: Collection<R>, key: string): R | undefined {
    return this.store.table(collection).get(key)
  }

  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined {
    return this.store.table(collection).find(index, value)
  }

  count<R extends object>(collection: Collection<R>): number {
    return this.store.table(collection).size
  }

  put<R extends object>(collection: Collection<R>, record: R): R {
    this.#changes.push(this.store.change(collection, collection.key(record), record))
    return record
  }

  remove<R extends object>(collection: Collection<R>, record: R): void {
    this.#changes.push(this.store.change(collection, collection.key(record), undefined))
  }

  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R> {
    return this.store.table(collection).newestFirst(cursor)
  }

  newId(prefix: string): string {
    return this.ids.id(prefix, 'ids', this.store.sequence++)
  }

  randomLabel(length: number): string {
    return this.ids.label(length, 'labels', this.store.sequence++)
  }

  randomInteger(below: number): number {
    return this.ids.integer(below, 'integers', this.store.sequence++)
  }

  nextOrder(): number {
    return this.store.sequence++
  }
}
