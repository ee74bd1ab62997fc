import type { Collection } from '../../operation/collection.ts'
import type { StoredChange } from '../../operation/store.ts'
import type { EngineState } from '../engine-state.ts'
import type { RecordChange, Records } from '../records.ts'
import { type SideRecords, type SideRecordsByName, toStoredChange } from './stored-records.ts'

/** The value of each changed record before its first change, by collection and key. */
type RecordsBefore = Map<Collection<object>, Map<string, object | undefined>>

/** The whole state before it was replaced. */
interface Replaced {
  readonly state: EngineState
  readonly before: RecordsBefore
  readonly side: readonly { readonly owner: SideRecords; readonly rows: ReadonlyMap<string, object> }[]
}

/** The changes since the last commit, and how to undo them. */
export class PendingCommit {
  /** The operation of the last change. */
  operation: string | undefined
  /** The operation that replaced the whole state, if one did. */
  replaces: string | undefined
  #before: RecordsBefore = new Map()
  #sideChanges: readonly StoredChange[] = []
  #replaced: Replaced | undefined

  constructor(replaces?: string) {
    this.replaces = replaces
  }

  get isEmpty(): boolean {
    return this.#before.size === 0 && this.#sideChanges.length === 0 && this.replaces === undefined
  }

  add(operation: string, changes: readonly RecordChange[]): void {
    this.operation = operation
    for (const { collection, key, before, after } of changes) {
      const known = this.#before.get(collection) ?? new Map<string, object | undefined>()
      this.#before.set(collection, known)
      if (!known.has(key)) known.set(key, before)
      // A record that was created and then removed isn't a change.
      else if (!after && known.get(key) === undefined) known.delete(key)
    }
  }

  /** Adds changes to side records. */
  addSideChanges(changes: readonly StoredChange[]): void {
    this.operation ??= 'control'
    this.#sideChanges = [...this.#sideChanges, ...changes]
  }

  prepareReplacement(operation: string, state: EngineState, sideRecords: SideRecordsByName): void {
    const side = [...sideRecords.values()].map((owner) => ({ owner, rows: owner.rows() }))
    this.#replaced ??= { state, before: this.#before, side }
    this.replaces ??= operation
    this.#before = new Map()
  }

  changes(records: Records): StoredChange[] {
    const changed = [...this.#before].flatMap(([collection, known]) => {
      const table = records.table(collection)
      return [...known.keys()].map((key) => toStoredChange(collection, key, table.get(key)))
    })
    return [...this.#sideChanges, ...changed]
  }

  /** Returns the state without these changes. */
  undo(current: EngineState, sequence: number): EngineState {
    const { state, before, side } = this.#replaced ?? { state: current, before: this.#before, side: [] }
    for (const { owner, rows } of side) owner.load(rows)
    for (const [collection, known] of before) {
      for (const [key, record] of known) state.records.change(collection, key, record)
    }
    state.records.sequence = sequence
    return state
  }
}
