import type { Collection } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import type { Store, StoredChange, StoredCommit, StoredState } from '../operation/store.ts'
import { problem, Refusal } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import type { EngineState } from './engine-state.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { RecordChange, Records } from './records.ts'
import {
  allStored,
  checked,
  loadedRecords,
  type SideRecords,
  type SideRecordsByName,
  storedChange,
} from './stored-records.ts'
import type { Guard } from './transactions.ts'
import { RECORDS_VERSION } from './versions.ts'

/** The parts of an engine that are persisted. */
interface EngineParts {
  readonly families: readonly Family[]
  readonly context: RuleContext
  readonly sideRecords: SideRecordsByName
  readonly guard: Guard
  readonly clock: GatewayClock
  current(): EngineState
  replace(state: EngineState): void
}

/**
 * How many ids of requests are reserved in the store ahead of their use. A request that changes nothing makes no commit,
 * and its id does not come again after a restart all the same (rules: stores#ids).
 */
const RESERVED_OPERATIONS = 1024

/** Marks a store that a gateway has: two would overwrite each other's commits. */
const OWNED = Symbol.for('fauxgate.store.owned')

/** Persists a gateway in a store: one commit per call. What the store refuses did not happen (rules: stores#calls). */
export class Persistence {
  readonly #store: Store
  readonly #engine: EngineParts
  readonly #flushes: FlushTracker
  #pending = new PendingCommit()
  /** True while the store has no commit yet: the first one replaces everything. */
  #isNew = false
  /** The first commit as the store would give it back, until it is flushed: the state to return to where it is lost. */
  #initial: StoredState | undefined
  /** The facts of the last commit; undefined where the store has lost it. */
  #saved: Pick<StoredCommit, 'now' | 'sequence' | 'operations'> | undefined
  /** Side records that the store does not have. */
  #missing: readonly StoredChange[] = []
  #isRollingBack = false

  /** @throws TypeError where another gateway has the store. */
  constructor(store: Store, engine: EngineParts) {
    if (Reflect.has(store, OWNED)) {
      throw new TypeError(
        'store is in use by another gateway. Allowed: a store of its own, or dispose() the other first.',
      )
    }
    this.#store = store
    this.#engine = engine
    this.#flushes = new FlushTracker(store, {
      flushed: () => {
        this.#initial = undefined
      },
      lost: () => this.#reload(),
    })
  }

  /** Settles when everything is flushed, or lost; undefined where it is flushed already. */
  get flushed(): Promise<void> | undefined {
    return this.#flushes.awaited
  }

  /** True while the clock is set back to the time of the last commit. */
  get isRollingBack(): boolean {
    return this.#isRollingBack
  }

  /** Starts from the state in the store, with a manual clock at its time. Returns false where there is none. */
  load(): boolean {
    const stored = this.#read()
    if (stored) this.#continueFrom(stored)
    else this.#start()
    Reflect.defineProperty(this.#store, OWNED, { value: true, configurable: true })
    return stored !== undefined
  }

  /** Leaves the store to another gateway. */
  release(): void {
    Reflect.deleteProperty(this.#store, OWNED)
  }

  #read(): StoredState | undefined {
    return this.#engine.guard.run('its store', () => this.#store.load())
  }

  /** Starts an empty store: the first commit has the whole state. */
  #start(): void {
    const { clock, current } = this.#engine
    const { records, operations } = current()
    this.#saved = { now: clock.now, sequence: records.sequence, operations }
    this.#isNew = true
    this.#pending = new PendingCommit('initial')
  }

  #continueFrom(stored: StoredState): void {
    const { families, sideRecords, context, guard, current, replace } = this.#engine
    const { seed, sequence, operations, now } = stored
    const { rows, side } = guard.run('its store', () => loadedRecords(families, stored, sideRecords.keys(), context))
    const whole = { records: rows, sequence, seed, isOwn: false }
    const state = checked(() => current().restored(whole), 'relations')
    state.operations = operations
    replace(state)
    const missing: StoredChange[] = []
    for (const [collection, owner] of sideRecords) {
      const known = side.get(collection) ?? new Map<string, object>()
      owner.load(known)
      for (const [key, after] of owner.rows()) if (!known.has(key)) missing.push({ collection, key, after })
    }
    this.#missing = missing
    this.#setClock(now)
    this.#saved = { now, sequence, operations }
    this.#isNew = stored === this.#initial
    this.#pending = new PendingCommit(this.#replacementOf(stored))
  }

  /** Returns why the next commit must replace the whole state; undefined where it need not. */
  #replacementOf(stored: StoredState): string | undefined {
    if (stored === this.#initial) return 'initial'
    return stored.version < RECORDS_VERSION ? 'migration' : undefined
  }

  /** Refuses to continue from a state that the store has lost, until it gives back the one before. */
  requireState(): void {
    if (this.#saved) return
    try {
      const stored = this.#read() ?? this.#initial
      if (!stored) throw new Error('it has no state any more')
      this.#continueFrom(stored)
    } catch (error) {
      refuseAsFailed(error)
    }
  }

  /** Tells whether the store knows that so many ids of requests may have been given out. */
  hasReserved(operations: number): boolean {
    return this.#saved !== undefined && operations <= this.#saved.operations
  }

  /** Adds the changes of one transaction to the next commit. */
  changed(operation: string, changes: readonly RecordChange[]): void {
    this.#pending.add(operation, changes)
  }

  /** Must be called before the whole state is replaced. */
  replacing(operation: string): void {
    const { current, sideRecords } = this.#engine
    this.#pending.replacing(operation, current(), sideRecords)
  }

  /** Appends what has changed since the last commit. Refuses, and rolls back, where the store throws. */
  commit(): void {
    const saved = this.#saved
    if (!saved) return
    const { clock, guard, current, sideRecords } = this.#engine
    const { records, operations, seed } = current()
    const { replaces } = this.#pending
    const { sequence } = records
    const now = clock.isManual ? clock.now : clock.lastNow
    const hasNewFacts =
      operations > saved.operations || sequence !== saved.sequence || (clock.isManual && now !== saved.now)
    if (!hasNewFacts && this.#pending.isEmpty && this.#missing.length === 0) return
    const commit: StoredCommit = {
      operation: replaces ?? this.#pending.operation ?? (now === saved.now ? 'operation_ids' : 'clock'),
      now,
      sequence,
      operations: this.#reservedOperations(operations, saved.operations),
      ...(replaces && { replaces: { version: RECORDS_VERSION, seed } }),
      changes: replaces ? allStored(records, sideRecords) : [...this.#missing, ...this.#pending.changes(records)],
    }
    try {
      guard.run('its store', () => {
        this.#store.append(commit)
        this.#saved = { now, sequence, operations: commit.operations }
        if (this.#isNew) this.#initial = asStored(commit)
        this.#isNew = false
        this.#pending = new PendingCommit()
        this.#missing = []
        this.#flushes.appended()
      })
    } catch (error) {
      this.rollBack()
      refuseAsFailed(error)
    }
  }

  /** Undoes everything since the last commit. */
  rollBack(): void {
    const saved = this.#saved
    if (!saved) return
    const { current, replace } = this.#engine
    replace(this.#pending.undone(current(), saved.sequence))
    this.#pending = new PendingCommit(this.#isNew ? 'initial' : undefined)
    this.#setClock(saved.now)
  }

  #reservedOperations(operations: number, reserved: number): number {
    const hasRoom = !this.#pending.replaces && operations <= reserved - RESERVED_OPERATIONS / 2
    return hasRoom ? reserved : operations + RESERVED_OPERATIONS
  }

  #setClock(now: number): void {
    const { clock } = this.#engine
    if (!clock.isManual || clock.now === now) return
    this.#isRollingBack = true
    try {
      clock.set(now)
    } finally {
      this.#isRollingBack = false
    }
  }

  /** The store is at its last flushed commit, and so is the gateway before any caller that waits is rejected. */
  #reload(): void {
    this.#saved = undefined
    try {
      this.requireState()
    } catch {
      // The next call tries again.
    }
  }
}

/** Refuses a call that the store did not persist. */
export function refuseAsFailed(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause)
  throw new Refusal([problem(general.store_failed, { why })], { cause })
}

/** Returns the state that a store gives back after a commit that replaces everything. */
function asStored({ replaces, changes, ...facts }: StoredCommit): StoredState | undefined {
  const records = changes.flatMap(({ collection, key, after }) => (after ? [{ collection, key, record: after }] : []))
  return replaces && { ...replaces, ...facts, records }
}

/** For each changed record, the record before the first change. */
type RecordsBefore = Map<Collection<object>, Map<string, object | undefined>>

/** The whole state before it was replaced. */
interface Replaced {
  readonly state: EngineState
  readonly before: RecordsBefore
  readonly side: readonly { readonly owner: SideRecords; readonly rows: ReadonlyMap<string, object> }[]
}

/** The changes since the last commit, and how to undo them. */
class PendingCommit {
  /** The operation of the last change. */
  operation: string | undefined
  /** The operation that replaced the whole state, if one did. */
  replaces: string | undefined
  #before: RecordsBefore = new Map()
  #replaced: Replaced | undefined

  constructor(replaces?: string) {
    this.replaces = replaces
  }

  get isEmpty(): boolean {
    return this.#before.size === 0 && this.replaces === undefined
  }

  add(operation: string, changes: readonly RecordChange[]): void {
    this.operation = operation
    for (const { collection, key, before, after } of changes) {
      const known = this.#before.get(collection) ?? new Map<string, object | undefined>()
      this.#before.set(collection, known)
      if (!known.has(key)) known.set(key, before)
      // Created and removed again: no change at all.
      else if (!after && known.get(key) === undefined) known.delete(key)
    }
  }

  replacing(operation: string, state: EngineState, sideRecords: SideRecordsByName): void {
    const side = [...sideRecords.values()].map((owner) => ({ owner, rows: owner.rows() }))
    this.#replaced ??= { state, before: this.#before, side }
    this.replaces ??= operation
    this.#before = new Map()
  }

  changes(records: Records): StoredChange[] {
    return [...this.#before].flatMap(([collection, known]) => {
      const table = records.table(collection)
      return [...known.keys()].map((key) => storedChange(collection, key, table.get(key)))
    })
  }

  /** Returns the state without these changes. */
  undone(current: EngineState, sequence: number): EngineState {
    const { state, before, side } = this.#replaced ?? { state: current, before: this.#before, side: [] }
    for (const { owner, rows } of side) owner.load(rows)
    for (const [collection, known] of before) {
      for (const [key, record] of known) state.records.change(collection, key, record)
    }
    state.records.sequence = sequence
    return state
  }
}

interface FlushListener {
  /** Called when everything that was appended is flushed. */
  flushed(): void
  /** Called once per loss, before any caller that waits is rejected. */
  lost(): void
}

/** Knows whether everything that was appended to a store is flushed. */
class FlushTracker {
  readonly #store: Store
  readonly #listener: FlushListener
  #flushing: Promise<void> | undefined
  #losses = 0
  #isAwaited = false

  constructor(store: Store, listener: FlushListener) {
    this.#store = store
    this.#listener = listener
  }

  /** Settles when everything is flushed, or lost; undefined where it is flushed already. */
  get awaited(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  appended(): void {
    const flushing = this.#store.flushed?.()
    if (!flushing) this.#listener.flushed()
    if (!flushing || flushing === this.#flushing) return
    this.#flushing = flushing
    const losses = this.#losses
    flushing.then(
      () => this.#flushing === flushing && this.#done(),
      (error) => this.#losses === losses && this.#lost(error),
    )
  }

  #lost(error: unknown): void {
    this.#losses++
    // Direct calls have returned long ago, so nobody else would see the error.
    if (!this.#isAwaited) console.error('The store of the gateway lost what was not yet safe:', error)
    this.#forget()
    this.#listener.lost()
  }

  #done(): void {
    this.#forget()
    this.#listener.flushed()
  }

  #forget(): void {
    this.#flushing = undefined
    this.#isAwaited = false
  }
}
