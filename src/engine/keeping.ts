import type { Collection } from '../operation/collection.ts'
import { RECORDS_VERSION, type Store, type StoredChange, type StoredCommit } from '../operation/store.ts'
import { deepFreeze } from '../schema/values.ts'
import type { RecordChange, Records } from './records.ts'

/** What is replaced as a whole: the records, with what ids and certificates come from. */
export interface Standing {
  readonly records: Records
  readonly seed: string
  /** How many ids of requests were given out. */
  readonly operations: number
}

/** What a gateway keeps beside the records of its families, by the name that it has in a store. */
export type Beside = ReadonlyMap<string, KeptBeside>

/** Something that is kept beside the records. It changes only where the whole state is replaced. */
export interface KeptBeside {
  /** All of it, by key. */
  rows(): ReadonlyMap<string, object>
  /** Takes all of it back from a store. */
  load(rows: ReadonlyMap<string, object>): void
}

/** A call's state at its end. */
interface Facts extends Standing {
  readonly now: number
}

/**
 * For how many requests the store is told ahead that their ids may be given out. A request that changes nothing is not
 * told to the store, and its id does not come again after a restart all the same (rules: stores#ids).
 */
const AHEAD = 1024

/** What was there before a call, of one record each. */
type Touched = Map<Collection<object>, Map<string, object | undefined>>

/** What has changed since the store was last told, and how to take it back. */
export class Keeping {
  readonly #store: Store
  readonly #beside: Beside
  #touched: Touched = new Map()
  #operation: string | undefined
  /** Set where the whole state was replaced: what stood before that, with its changes. */
  #replaced: { readonly before: Standing; readonly touched: Touched } | undefined
  #replaces: string | undefined
  /** The facts of the last commit. */
  #kept: Pick<StoredCommit, 'now' | 'sequence' | 'operations'>

  /** What the store is to keep beside, and does not yet. */
  #missing: readonly StoredChange[]

  /** `facts` are those that came from the store. Where none did, the first commit replaces everything. */
  constructor(store: Store, beside: Beside, { records, now, operations }: Facts, missing?: readonly StoredChange[]) {
    this.#store = store
    this.#beside = beside
    this.#kept = { now, operations, sequence: records.sequence }
    this.#missing = missing ?? []
    if (!missing) this.#replaces = 'initial'
  }

  /** The time of the last commit, in ms. */
  get keptNow(): number {
    return this.#kept.now
  }

  /** Takes the changes of one transaction. */
  changed(operation: string, changes: readonly RecordChange[]): void {
    this.#operation = operation
    for (const { collection, key, before, after } of changes) {
      const touched = this.#touched.get(collection) ?? new Map<string, object | undefined>()
      this.#touched.set(collection, touched)
      if (!touched.has(key)) touched.set(key, before)
      // What was made and is gone again was never there.
      else if (!after && touched.get(key) === undefined) touched.delete(key)
    }
  }

  /** Takes it that the whole state is replaced; `before` is what stood until now. */
  replacing(operation: string, before: Standing): void {
    this.#replaced ??= { before, touched: this.#touched }
    this.#replaces ??= operation
    this.#touched = new Map()
  }

  /** Whether there is anything to tell the store; of the time, where the clock is one that somebody moves. */
  isBehind({ now, operations, records }: Facts, isManual: boolean): boolean {
    const kept = this.#kept
    return (
      this.#touched.size > 0 ||
      this.#replaces !== undefined ||
      this.#missing.length > 0 ||
      operations > kept.operations ||
      records.sequence !== kept.sequence ||
      (isManual && now !== kept.now)
    )
  }

  /** Has the store keep all of it as one commit. Throws what the store throws. */
  keep(facts: Facts): void {
    const { now, records, seed } = facts
    const { sequence } = records
    const operations = this.#operationsAhead(facts)
    const replaces = this.#replaces && { replaces: { version: RECORDS_VERSION, seed } }
    const operation = this.#replaces ?? this.#operation ?? (now === this.#kept.now ? 'operation_ids' : 'clock')
    const changes = this.#replaces ? this.#everything(records) : this.#changes(records)
    const commit: StoredCommit = { operation, now, sequence, operations, ...replaces, changes }
    this.#store.append(commit)
    this.#kept = { now, operations, sequence }
    this.#missing = []
    this.#done()
  }

  /** Takes everything back that the store does not know. Answers on what the gateway then stands again. */
  undo(standing: Standing): Standing {
    const { before, touched } = this.#replaced ?? { before: standing, touched: this.#touched }
    const { records } = before
    for (const [collection, rows] of touched) {
      for (const [key, row] of rows) records.change(collection, key, row)
    }
    records.sequence = this.#kept.sequence
    this.#done()
    return before
  }

  #operationsAhead({ operations }: Facts): number {
    const { operations: kept } = this.#kept
    const hasRoom = this.#replaces === undefined && operations <= kept - AHEAD / 2
    return hasRoom ? kept : operations + AHEAD
  }

  #done(): void {
    this.#touched = new Map()
    this.#operation = undefined
    this.#replaced = undefined
    this.#replaces = undefined
  }

  #changes(records: Records): StoredChange[] {
    const changes: StoredChange[] = [...this.#missing]
    for (const [collection, rows] of this.#touched) {
      const table = records.table(collection)
      for (const key of rows.keys()) changes.push(storedChange(collection, key, table.get(key)))
    }
    return changes
  }

  #everything(records: Records): StoredChange[] {
    const changes: StoredChange[] = []
    for (const { collection, oldestFirst } of records.all()) {
      for (const row of oldestFirst) changes.push(storedChange(collection, collection.key(row), row))
    }
    for (const [collection, beside] of this.#beside) {
      for (const [key, row] of beside.rows()) changes.push({ collection, key, after: row })
    }
    return changes.filter(({ after }) => after !== null)
  }
}

/** What is kept of a record. One that may leave the gateway in no form is no data, such as a fault with a predicate. */
function storedChange(collection: Collection<object>, key: string, record: object | undefined): StoredChange {
  const { name, stored, exported } = collection
  const isData = record !== undefined && exported?.(record, true) !== null
  return { collection: name, key, after: isData ? deepFreeze(stored?.of(record) ?? record) : null }
}
