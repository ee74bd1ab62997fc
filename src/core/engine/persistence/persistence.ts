import type { Family } from '../../operation/family.ts'
import type { Store, StoredChange, StoredCommit, StoredFields, StoredState } from '../../operation/store.ts'
import { requireSync } from '../../schema/arguments.ts'
import { problem, Refusal } from '../../schema/errors.ts'
import { general } from '../../schema/general-errors.ts'
import type { RuleContext } from '../../schema/rule.ts'
import { toError } from '../../schema/text.ts'
import type { EngineState } from '../engine-state.ts'
import type { GatewayClock } from '../gateway-clock.ts'
import type { RecordChange } from '../records.ts'
import type { Guard } from '../transactions.ts'
import { FlushTracker } from './flush-tracker.ts'
import { PendingCommit } from './pending-commit.ts'
import { findUnknownField, listFields } from './stored-fields.ts'
import { listAllChanges, readStoredRecords, requireValid, type SideRecordsByName } from './stored-records.ts'
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
 * The number of request IDs that are reserved in the store before use. A request that changes nothing does not create a commit, so the
 * reservation prevents its ID from being reused after a restart (rules: stores#ids).
 */
const RESERVED_OPERATIONS = 1024

/** Marks a store as used by a gateway, because a second gateway would overwrite its commits. */
const IN_USE = Symbol.for('fauxgate.store.owned')

/** Persists a gateway in a store: one commit per call. If the store throws, the call is undone (rules: stores#calls). */
export class Persistence {
  readonly #flushes: FlushTracker
  #pending = new PendingCommit()
  /** The reason that the next commit must replace the whole state, or undefined if it may contain only changes. */
  #replacement: 'initial' | 'migration' | undefined
  /** The first commit's state, until that commit is flushed. The gateway returns to this state if the store loses the commit. */
  #initial: StoredState | undefined
  /** The facts of the committed state, or undefined if the store has lost that state. */
  #committed: Pick<StoredCommit, 'now' | 'sequence' | 'operations'> | undefined
  /** Side records that are not yet in the store. */
  #missingSideChanges: readonly StoredChange[] = []
  /** True while the clock is being set back to the time of the last commit. */
  isRollingBack = false

  /** @throws TypeError if another gateway uses the store. */
  constructor(
    readonly store: Store,
    readonly engine: EngineParts,
  ) {
    if (Reflect.has(store, IN_USE)) {
      throw new TypeError(
        'store is in use by another gateway. Use another store, or dispose() the other gateway first.',
      )
    }
    const onFlushed = () => {
      this.#initial = undefined
    }
    this.#flushes = new FlushTracker(store, onFlushed, () => this.#reload())
  }

  /** A promise that settles when the store has flushed or lost all commits, or undefined if all commits are already flushed. */
  get flushed(): Promise<void> | undefined {
    return this.#flushes.waitForFlush()
  }

  /** Loads the store's state, and sets a manual clock to its time. Returns false if the store is empty. */
  load(): boolean {
    const stored = this.#read()
    if (stored) this.#continueFrom(stored)
    else this.#start()
    Reflect.defineProperty(this.store, IN_USE, { value: true, configurable: true })
    return stored !== undefined
  }

  /** Releases the store for another gateway. */
  release(): void {
    Reflect.deleteProperty(this.store, IN_USE)
  }

  #read(): StoredState | undefined {
    return this.engine.guard.run('its store', () => requireSync('`load` of the store', this.store.load()))
  }

  /** Initializes an empty store: the first commit contains the whole state. */
  #start(): void {
    const { clock, current } = this.engine
    const { records, operations } = current()
    this.#committed = { now: clock.now, sequence: records.sequence, operations }
    this.#replacement = 'initial'
    this.#pending = new PendingCommit(this.#replacement)
  }

  #continueFrom(stored: StoredState): void {
    const { families, sideRecords, context, guard, current, replace } = this.engine
    const { seed, sequence, operations, now } = stored
    const { records, sideRecords: storedSideRecords } = guard.run('its store', () =>
      readStoredRecords(families, stored, sideRecords.keys(), context),
    )
    const snapshot = { records, sequence, seed, isOwn: false }
    const state = requireValid('relations', () => current().withSnapshot(snapshot))
    // Responses of this process may have used later IDs.
    state.operations = Math.max(operations, current().operations)
    replace(state)
    const missing: StoredChange[] = []
    for (const [collection, owner] of sideRecords) {
      const known = storedSideRecords.get(collection) ?? new Map<string, object>()
      owner.load(known)
      for (const [key, after] of owner.rows()) if (!known.has(key)) missing.push({ collection, key, after })
    }
    this.#missingSideChanges = missing
    this.#setClock(now)
    this.#committed = { now, sequence, operations }
    this.#replacement = this.#findReplacement(stored)
    this.#pending = new PendingCommit(this.#replacement)
  }

  #findReplacement(stored: StoredState): 'initial' | 'migration' | undefined {
    if (stored === this.#initial) return 'initial'
    const hasOlderFields = stored.fields && findUnknownField(this.#fields(), stored.fields)
    return stored.version < RECORDS_VERSION || hasOlderFields ? 'migration' : undefined
  }

  /** Returns the fields that this gateway's records may have. */
  #fields(): StoredFields {
    return listFields(this.engine.families.flatMap(({ collections }) => collections))
  }

  /** Loads the last flushed state if the store has lost commits. Makes the call fail if loading fails. */
  requireState(): void {
    if (this.#committed) return
    try {
      const stored = this.#read() ?? this.#initial
      if (!stored) throw new Error('it no longer has a state')
      this.#continueFrom(stored)
    } catch (error) {
      refuseAsStoreFailed(error)
    }
  }

  /** Returns whether the store has reserved enough request IDs for `operations`. */
  hasReserved(operations: number): boolean {
    return this.#committed !== undefined && operations <= this.#committed.operations
  }

  /** Adds the changes of one transaction to the next commit. */
  addChanges(operation: string, changes: readonly RecordChange[]): void {
    this.#pending.add(operation, changes)
  }

  /** Adds changes to side records to the next commit. */
  addSideChanges(changes: readonly StoredChange[]): void {
    this.#pending.addSideChanges(changes)
  }

  /** Prepares a commit that replaces the whole state. Must be called before the state is replaced. */
  prepareReplacement(operation: string): void {
    const { current, sideRecords } = this.engine
    this.#pending.prepareReplacement(operation, current(), sideRecords)
  }

  /** Appends all changes since the last commit. If the store throws, rolls back, and makes the call fail. */
  commit(): void {
    const committed = this.#committed
    if (!committed) return
    const { clock, guard, current, sideRecords } = this.engine
    const { records, operations, origin } = current()
    const { replaces } = this.#pending
    const { sequence } = records
    const now = clock.isManual ? clock.now : clock.lastNow
    const hasNewFacts =
      operations > committed.operations || sequence !== committed.sequence || (clock.isManual && now !== committed.now)
    if (!hasNewFacts && this.#pending.isEmpty && this.#missingSideChanges.length === 0) return
    const commit: StoredCommit = {
      operation: replaces ?? this.#pending.operation ?? (now === committed.now ? 'operation_ids' : 'clock'),
      now,
      sequence,
      operations: this.#reserveOperations(operations, committed.operations),
      ...(replaces && { replaces: { version: RECORDS_VERSION, seed: origin.seed, fields: this.#fields() } }),
      changes: replaces
        ? listAllChanges(records, sideRecords)
        : [...this.#missingSideChanges, ...this.#pending.changes(records)],
    }
    try {
      guard.run('its store', () => {
        requireSync('`append` of the store', this.store.append(commit))
        this.#committed = { now, sequence, operations: commit.operations }
        if (this.#replacement === 'initial') this.#initial = toStoredState(commit)
        this.#replacement = undefined
        this.#pending = new PendingCommit()
        this.#missingSideChanges = []
        this.#flushes.trackAppend()
      })
    } catch (error) {
      this.rollBack()
      refuseAsStoreFailed(error)
    }
  }

  /** Undoes everything since the last commit. */
  rollBack(): void {
    const committed = this.#committed
    if (!committed) return
    const { current, replace } = this.engine
    replace(this.#pending.undo(current(), committed.sequence))
    this.#pending = new PendingCommit(this.#replacement)
    this.#setClock(committed.now)
  }

  #reserveOperations(operations: number, reserved: number): number {
    const hasRoom = !this.#pending.replaces && operations <= reserved - RESERVED_OPERATIONS / 2
    return hasRoom ? reserved : operations + RESERVED_OPERATIONS
  }

  #setClock(now: number): void {
    const { clock } = this.engine
    if (!clock.isManual || clock.now === now) return
    this.isRollingBack = true
    try {
      clock.set(now)
    } finally {
      this.isRollingBack = false
    }
  }

  /** Returns to the last flushed commit, before any waiting caller is rejected. */
  #reload(): void {
    this.#committed = undefined
    try {
      this.requireState()
    } catch {
      // The next call tries again.
    }
  }
}

/** Fails a call that the store did not persist. */
export function refuseAsStoreFailed(cause: unknown): never {
  throw new Refusal([problem(general.store_failed, { why: toError(cause).message })], { cause })
}

/** Returns a commit that replaces everything, as the state that a store would return. */
function toStoredState({ replaces, changes, ...facts }: StoredCommit): StoredState | undefined {
  const records = changes.flatMap(({ collection, key, after }) => (after ? [{ collection, key, record: after }] : []))
  return replaces && { ...replaces, ...facts, records }
}
