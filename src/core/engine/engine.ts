import type { Commit } from '../operation/collection.ts'
import type { Caller } from '../operation/events.ts'
import type { Operation } from '../operation/operation.ts'
import type { StoredChange } from '../operation/store.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { Authority } from '../operation/view.ts'
import { requireFunction, requireSync } from '../schema/arguments.ts'
import { Refusal } from '../schema/errors.ts'
import { findPathIdProblems } from '../schema/ids.ts'
import type { RuleContext } from '../schema/rule.ts'
import { deepFreeze } from '../schema/values.ts'
import { type RawCommit, Subscribers } from './commits.ts'
import { type EngineOptions, EngineState, type RestorableState } from './engine-state.ts'
import { GatewayClock } from './gateway-clock.ts'
import { Persistence } from './persistence/persistence.ts'
import type { AgendaEntry } from './records.ts'
import { type Execution, Guard, Transactions } from './transactions.ts'
import { createWriteCheck } from './write-check.ts'

/**
 * Runs operations on the state. Each operation is one transaction, which sees the state after all events that are due by now. The
 * transaction either commits as a whole or leaves no trace.
 */
export class Engine {
  readonly #publicError: EngineOptions['publicError']
  readonly #guard = new Guard()
  readonly clock: GatewayClock
  readonly subscribers = new Subscribers()
  readonly #persistence: Persistence | undefined
  readonly #transactions: Transactions
  #state: EngineState
  /** The nesting depth of calls. */
  #callDepth = 0
  /** The nesting depth of clock moves. */
  #moveDepth = 0
  /** Limits the current clock move. */
  #moveLimit: { readonly isOver: () => boolean; isReached: boolean } | undefined
  readonly context: RuleContext
  /** If set, called with each commit. */
  listener: ((commit: RawCommit) => void) | undefined
  /** The sender of the request whose operation ran most recently, or undefined for a call from the same process. */
  caller: Caller | undefined
  /** True if the engine resumed from a state in the store. */
  readonly isLoaded: boolean = false

  constructor(options: EngineOptions) {
    const { dialect, ruleOptions, families, catalogue, clock, store, sideRecords, publicRecords, publicError } = options
    this.#publicError = publicError
    this.context = { dialect, options: ruleOptions, catalogue }
    this.#state = EngineState.initial(options)
    const onCommit = (commit: RawCommit) => this.#onCommit(commit)
    const check = createWriteCheck(this.context)
    this.#transactions = new Transactions(families, this.#guard, publicRecords, onCommit, check)
    this.clock = new GatewayClock(clock, this.#guard, {
      nextDueAt: () => this.nextDue?.due.at,
      settle: () => this.#runWithPublicErrors(() => this.#settleAtStop()),
      ...(store && { moves: () => this.#startPublicMove() }),
    })
    if (!store) return
    const current = () => this.#state
    const replace = (state: EngineState) => this.#setState(state)
    const { context, clock: gatewayClock } = this
    const parts = { families, context, sideRecords, guard: this.#guard, clock: gatewayClock, current, replace }
    this.#persistence = new Persistence(store, parts)
    this.isLoaded = this.#persistence.load()
    this.clock.attach()
  }

  get now(): number {
    return this.clock.now
  }

  /** The gateway's time. Inside a transaction or the clock, it is the time that was last read. */
  get lastNow(): number {
    return this.#guard.isInside ? this.clock.lastNow : this.clock.now
  }

  /** A promise that settles when the store has flushed or lost all commits, or undefined if all commits are already flushed. */
  get flushed(): Promise<void> | undefined {
    return this.#persistence?.flushed
  }

  /** The state that `reset`, `restore`, and loading a store replace. */
  get state(): EngineState {
    return this.#state
  }

  get url(): string {
    return this.#state.wire.url
  }

  get authority(): Authority {
    return this.#state.wire.authority
  }

  /** Reserves operation IDs in the store before a response uses one, so that a later process doesn't reuse the ID. */
  reserveOperationIds(): void {
    if (this.#persistence?.hasReserved(this.#state.operations) === false) this.#commit()
  }

  /**
   * Runs one operation with the IDs from its path and its unparsed query or body, which must be an object. Returns its frozen response and
   * its changes. Throws a `Refusal` if a rule rejects the operation; then nothing has changed.
   */
  execute(operation: Operation, ids: Readonly<Record<string, string>>, raw: unknown, caller?: Caller): Execution {
    // The input is read before the transaction, because the caller's getters may call the gateway.
    const problems = findPathIdProblems(ids, operation.ids, this.context.dialect)
    const [first] = problems
    if (first) throw new Refusal([first, ...problems.slice(1)])
    const input = operation.read?.(raw, ids, this.context)
    return this.runCall(() => {
      const now = this.#settleNow()
      this.caller = caller
      return this.#transactions.run(this.#state, now, operation.name, (tx) =>
        deepFreeze(requireSync(`The operation ${operation.name}`, operation.run(tx, ids, input))),
      )
    })
  }

  /** Runs the work of a control call as one transaction, after all events that are due by now. */
  transact<T>(work: (tx: Transaction) => T): T {
    return this.runCall(() => this.#transactions.run(this.#state, this.#settleNow(), 'control', work).result)
  }

  /** Stores changes to side records as one commit. */
  storeSideRecords(changes: () => readonly StoredChange[]): void {
    this.runCall(() => this.#persistence?.addSideChanges(changes()))
  }

  /** Runs work as one call, even if the work itself makes calls: the store receives one commit, and then subscribers are called. */
  runCall<T>(work: () => T): T {
    this.#guard.requireOutside()
    this.#persistence?.requireState()
    this.#callDepth++
    try {
      return work()
    } finally {
      this.#callDepth--
      if (this.#callDepth === 0) this.#endCall()
    }
  }

  /** Commits all changes made outside of a call. */
  #commit(): void {
    this.runCall(() => undefined)
  }

  #endCall(): void {
    try {
      this.#persistence?.commit()
    } catch (error) {
      this.subscribers.dropPending()
      throw error
    }
    this.subscribers.deliver()
  }

  /**
   * Runs a clock move. The move stops as soon as `isOver` returns true, and the next call handles any events still due. Returns whether the
   * move stopped early.
   */
  runMove(move: () => void, isOver: () => boolean): boolean {
    this.clock.attach()
    const end = this.startMove()
    const limit = { isOver, isReached: false }
    this.#moveLimit = limit
    try {
      move()
    } finally {
      this.#moveLimit = undefined
      end()
    }
    return limit.isReached
  }

  /** Starts a clock move, which the store receives as one commit. Returns a function to call when the move ends. */
  startMove(): () => void {
    if (!this.#persistence) return () => undefined
    this.#moveDepth++
    return () => {
      this.#moveDepth--
      if (this.#moveDepth === 0) this.#commit()
    }
  }

  #startPublicMove(): () => void {
    const end = this.startMove()
    return () => this.#runWithPublicErrors(end)
  }

  /** Handles all events that are due by now, each at its own time, in chronological order. Returns the current time. */
  settle(): number {
    return this.runCall(() => this.#settleNow())
  }

  #settleNow(): number {
    const now = this.clock.now
    this.clock.wake(now)
    this.#transactions.runDue(this.#state, now, this.#moveLimit?.isOver)
    return now
  }

  /** Handles the due events at a stop of a clock move. Ends the move if its limit is reached. */
  #settleAtStop(): void {
    const limit = this.#moveLimit
    if (this.#persistence?.isRollingBack || limit?.isReached) return
    if (this.#moveDepth > 0) this.#settleNow()
    else this.settle()
    if (!limit?.isOver()) return
    limit.isReached = true
    // Setting a clock ends its move, even if the time stays the same.
    this.clock.set(this.clock.now)
  }

  /** Runs work called by a clock. Throws errors in their public form, because the clock may be the user's own. */
  #runWithPublicErrors(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw this.#publicError(error)
    }
  }

  nextDueAt(): number | undefined {
    this.#guard.requireOutside()
    return this.nextDue?.due.at
  }

  /** The next due event, even inside a transaction. */
  get nextDue(): AgendaEntry | undefined {
    return this.#state.records.agenda.first
  }

  /** Returns the state after all events that are due by now: every record's exported form, and the stored records. */
  exportRecords(withSecrets: boolean) {
    const now = this.settle()
    return { now, sequence: this.#state.records.sequence, ...this.#state.exportRecords(withSecrets) }
  }

  /** Replaces the state, and runs `then` on the new state. If either throws, nothing has changed. */
  restore(state: RestorableState, then: () => void): void {
    this.#replaceState('restore', then, () => this.#state.withSnapshot(state))
  }

  /** Replaces the state with an empty one, and runs `then` on it. If `then` throws, nothing has changed. */
  reset(then: () => void): void {
    this.#replaceState('reset', then, () => this.#state.reset())
    this.clock.wake(Number.POSITIVE_INFINITY)
  }

  #replaceState(operation: string, then: () => void, createState: () => EngineState): void {
    this.runCall(() => {
      const state = createState()
      const previous = this.#state
      this.#persistence?.prepareReplacement(operation)
      this.#setState(state)
      try {
        then()
      } catch (error) {
        this.#setState(previous)
        this.#persistence?.rollBack()
        this.subscribers.dropPending()
        throw error
      }
    })
  }

  #setState(state: EngineState): void {
    this.#state = state
    this.subscribers.revision++
    this.#attachIfDue()
  }

  #onCommit(commit: RawCommit): void {
    this.#persistence?.addChanges(commit.operation, commit.changes)
    this.subscribers.enqueue(commit)
    this.listener?.(commit)
    this.#attachIfDue()
  }

  /** Attaches the gateway to its clock as soon as something is due, so that an idle gateway doesn't slow down its clock. */
  #attachIfDue(): void {
    if (this.nextDue) this.clock.attach()
  }

  /** Calls the function with each new commit, or with those that change a collection. Returns a function that ends the subscription. */
  subscribe(subscriber: (commit: Commit) => void, collection?: string): () => void {
    requireFunction('subscriber', subscriber)
    const name = collection === undefined ? undefined : this.#state.records.tableNamed(collection).collection.name
    return this.subscribers.add((commit) => subscriber(commit.toPublic()), name)
  }

  /** Detaches the engine from its clock and from its store. */
  dispose(): void {
    this.clock.detach()
    this.#persistence?.release()
  }
}
