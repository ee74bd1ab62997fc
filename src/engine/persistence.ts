import type { Collection } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import { RECORDS_VERSION, type Store, type StoredChange, type StoredCommit } from '../operation/store.ts'
import { problem, Refusal } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { EngineState } from './engine-state.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { RecordChange, Records } from './records.ts'
import { allStored, loadedRecords, type SideRecordsByName, storedChange } from './stored-records.ts'
import type { Guard } from './transactions.ts'

/** The parts of an engine that are persisted. */
interface EngineParts {
  readonly families: readonly Family[]

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

/** Persists a gateway in a store: one commit per call. What the store refuses did not happen (rules: stores#calls). */
export class Persistence {
  readonly #store: Store
  readonly #engine: EngineParts
  readonly #flushes: FlushTracker
  #pending = new PendingCommit()
  /** True while the store has no commit yet: the first one replaces everything. */
  #isNew = false
  /** The facts of the last commit; undefined where the store has lost it. */
  #saved: Pick<StoredCommit, 'now' | 'sequence' | 'operations'> | undefined
  /** Side records that the store does not have. */
  #missing: readonly StoredChange[] = []
  #isRollingBack = false

  constructor(store: Store, engine: EngineParts) {
    this.#store = store
    this.#engine = engine
    this.#flushes = new FlushTracker(store, () => this.#reload())
  }

  /** Settles when everything is flushed, or lost; undefined where it is flushed already. */
  get flushed(): Promise<void> | undefined {
    return this.#flushes.awaited
  }

  /** True while the clock is set back to the time of the last commit. */
  get isRollingBack(): boolean {
    return this.#isRollingBack
  }

  /** Continues from the state in the store, with a manual clock at its time. Returns false where there is none. */
  load(): boolean {
    const { families, sideRecords, guard, clock, current, replace } = this.#engine
    const stored = guard.run('its store', () => this.#store.load())
    if (!stored) {
      const { records, operations } = current()
      this.#saved = { now: clock.now, sequence: records.sequence, operations }
      this.#isNew = true
      this.#pending = new PendingCommit('initial')
      return false
    }
    const { version, seed, operations, now } = stored
    requireVersion(version)
    const { records, missing } = loadedRecords(families, stored, sideRecords)
    replace(current().with(records, seed, operations))
    this.#setClock(now)
    this.#saved = { now, sequence: records.sequence, operations }
    this.#isNew = false
    this.#pending = new PendingCommit()
    this.#missing = missing
    return true
  }

  /** Refuses to continue from a state that the store has lost, until it gives back the one before. */
  requireState(): void {
    if (this.#saved) return
    try {
      if (this.load()) return
    } catch (error) {
      refuseAsFailed(error)
    }
    refuseAsFailed(new Error('it has no state any more'))
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
    this.#pending.replacing(operation, this.#engine.current())
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

function requireVersion(version: number): void {
  if (version === RECORDS_VERSION) return
  const allowed = `${RECORDS_VERSION}, the version this fauxgate keeps`
  throw new TypeError(`The store holds records of the version ${version}. Allowed: ${allowed}.`)
}

/** For each changed record, the record before the first change. */
type RecordsBefore = Map<Collection<object>, Map<string, object | undefined>>

/** The changes since the last commit, and how to undo them. */
class PendingCommit {
  /** The operation of the last change. */
  operation: string | undefined
  /** The operation that replaced the whole state, if one did. */
  replaces: string | undefined
  #before: RecordsBefore = new Map()
  #replaced: { readonly state: EngineState; readonly before: RecordsBefore } | undefined

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

  replacing(operation: string, state: EngineState): void {
    this.#replaced ??= { state, before: this.#before }
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
    const { state, before } = this.#replaced ?? { state: current, before: this.#before }
    for (const [collection, known] of before) {
      for (const [key, record] of known) state.records.change(collection, key, record)
    }
    state.records.sequence = sequence
    return state
  }
}

/** Knows whether everything that was appended to a store is flushed. */
class FlushTracker {
  readonly #store: Store
  readonly #onLoss: () => void
  #flushing: Promise<void> | undefined
  #losses = 0
  #isAwaited = false

  /** `onLoss` is called once per loss, before any caller that waits is rejected. */
  constructor(store: Store, onLoss: () => void) {
    this.#store = store
    this.#onLoss = onLoss
  }

  /** Settles when everything is flushed, or lost; undefined where it is flushed already. */
  get awaited(): Promise<void> | undefined {
    this.#isAwaited ||= this.#flushing !== undefined
    return this.#flushing
  }

  appended(): void {
    const flushing = this.#store.flushed?.()
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
    this.#done()
    this.#onLoss()
  }

  #done(): void {
    this.#flushing = undefined
    this.#isAwaited = false
  }
}
