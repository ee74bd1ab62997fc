import type { Collection, Commit } from '../operation/collection.ts'
import type { Operation } from '../operation/operation.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { Authority } from '../operation/view.ts'
import { Refusal } from '../schema/errors.ts'
import { pathIdProblems } from '../schema/ids.ts'
import type { RuleContext } from '../schema/rule.ts'
import { Calls } from './calls.ts'
import { DueEvents, type Move, type NextDue } from './due-events.ts'
import type { EngineOptions } from './engine-options.ts'
import { Exports } from './exports.ts'
import { type Events, GatewayTime } from './gateway-time.ts'
import { Guard } from './guard.ts'
import { Keeper } from './keeper.ts'
import type { Standing } from './keeping.ts'
import type { MadeCommit } from './made-commit.ts'
import { type NewState, State } from './state.ts'
import { Subscribers } from './subscribers.ts'
import { type Executed, Transactions } from './transactions.ts'

/**
 * Runs operations on the state. Each operation is one transaction: it sees the state settled up to now, and either
 * commits as a whole or leaves no trace.
 */
export class Engine {
  readonly #outward: EngineOptions['outward']
  readonly #guard = new Guard()
  readonly #state: State
  readonly #time: GatewayTime
  readonly #subscribers = new Subscribers()
  readonly #keeper: Keeper | undefined
  readonly #calls: Calls
  readonly #transactions: Transactions
  readonly #due: DueEvents
  readonly #exports: Exports
  /** The move of the clock that is under way in steps. */
  #move: Move | undefined
  /** What the rules of single fields look at. */
  readonly context: RuleContext
  /** Whether there was a state in the store to go on from. */
  readonly isLoaded: boolean = false

  constructor(options: EngineOptions) {
    const { dialect, rules, families, catalogue, clock, store, beside, hidden, outward } = options
    this.#outward = outward
    this.context = { dialect, rules, catalogue }
    this.#state = new State(options)
    this.#transactions = new Transactions(this.#state, this.#guard, hidden, (commit) => this.#committed(commit))
    this.#due = new DueEvents(families, this.#state, this.#transactions)
    this.#exports = new Exports(hidden)
    this.#time = new GatewayTime(clock, this.#guard, this.#events(store !== undefined))
    const standing = () => this.#state.standing
    const standOn = (other: Standing) => this.#standOn(other)
    const kept = { families, beside, guard: this.#guard, time: this.#time, standing, standOn }
    this.#keeper = store && new Keeper(store, kept)
    this.#calls = new Calls(this.#guard, this.#keeper, this.#subscribers)
    if (!this.#keeper) return
    this.isLoaded = this.#keeper.begin()
    this.#time.follow()
  }

  /** What the clock asks of the gateway, which may throw what its user is to see; of moves, where they are kept. */
  #events(isKept: boolean): Events {
    const shown = <T>(work: () => T): T => {
      try {
        return work()
      } catch (error) {
        throw this.#outward(error)
      }
    }
    const moves = () => {
      const end = this.#calls.moves()
      return () => shown(end)
    }
    return {
      // A move that is over has nothing left to stop for.
      nextDueAt: () => (this.#move?.hasStopped ? undefined : this.#due.next?.at),
      settle: () => shown(() => this.#settleAtStop()),
      ...(isKept ? { moves } : {}),
    }
  }

  /** The gateway's time in ms since 1970. */
  get now(): number {
    return this.#time.now
  }

  /** The gateway's time or, for who asks from inside a transaction or the clock, the time that was read last. */
  get lastNow(): number {
    return this.#time.lastNow
  }

  /** Settles when everything that was answered is safe in the store, or lost; undefined where it is safe already. */
  get safe(): Promise<void> | undefined {
    return this.#keeper?.awaited
  }

  /** The base URL of every URI in a response. */
  get url(): string {
    return this.#state.url
  }

  set url(url: string) {
    this.#state.url = url
  }

  /** The id of the next answered request. Not part of the state: a refused request gets one too. */
  nextOperationId(): string {
    return this.#state.nextOperationId()
  }

  /**
   * Runs one operation with the ids of its path and its unread body or query, and answers in the wire's form, with what
   * it changed. Throws a `Refusal` when a rule refuses it; then nothing has changed.
   */
  execute(operation: Operation, ids: Readonly<Record<string, string>>, raw: unknown): Executed {
    // All that is the caller's is read before the transaction: a getter in it may call the gateway.
    const problems = pathIdProblems(ids, operation.ids)
    const [first] = problems
    if (first) throw new Refusal([first, ...problems.slice(1)])
    const input = operation.read?.(raw, ids, this.context)
    return this.called(() =>
      this.#transactions.run(this.#settledNow(), operation.name, (tx) => operation.run(tx, ids, input)),
    )
  }

  /** Runs work that no operation stands for: on settled state, as one transaction. */
  transact<T>(work: (tx: Transaction) => T): T {
    return this.called(() => this.#transactions.run(this.#settledNow(), 'control', work).result)
  }

  /**
   * One piece of work for the caller, however many calls it makes: what it changed is kept by the store as one commit when
   * it ends, and told after that.
   */
  called<T>(work: () => T): T {
    return this.#calls.run(work)
  }

  /** Has the store know that ids of requests were given out, before one is shown. */
  keepOperationIds(): void {
    if (this.#keeper) this.#calls.end()
  }

  /**
   * Runs what moves the clock in steps as one move. As soon as `isOver` says so, the clock's stops handle nothing more, also
   * where more is due by then: the next call goes on with it.
   */
  moved<T>(work: () => T, isOver: () => boolean): T {
    const end = this.#calls.moves()
    this.#move = { isOver, hasStopped: false }
    try {
      return work()
    } finally {
      this.#move = undefined
      end()
    }
  }

  /** Handles everything that is due by now, each event at its own time, in the order of their times. Answers when now is. */
  settle(): number {
    return this.called(() => this.#settledNow())
  }

  #settledNow(move?: Move): number {
    const now = this.#time.now
    this.#time.wake(now)
    this.#due.settle(now, move)
    return now
  }

  #settleAtStop(): void {
    const move = this.#move
    if (this.#keeper?.isGoingBack || move?.hasStopped) return
    if (this.#keeper?.isMoving) this.#settledNow(move)
    else this.called(() => this.#settledNow(move))
  }

  /** When the next event is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    this.#guard.requireOutside()
    return this.#due.next?.at
  }

  /** What is due next; also for work inside a transaction. */
  get nextDue(): NextDue | undefined {
    return this.#due.next
  }

  /** The state, settled up to now: what may leave the gateway of every record, and the same records as they are kept. */
  state(withSecrets: boolean) {
    const now = this.settle()
    const { records } = this.#state
    return { now, sequence: records.sequence, ...this.#exports.of(records, withSecrets) }
  }

  /** What ids and automatic certificates come from. */
  get seed(): string {
    return this.#state.seed
  }

  /** Who makes automatic certificates. */
  get authority(): Authority {
    return this.#state.authority
  }

  /**
   * Puts another state in the place of this one, and runs `then` on it. Throws where the state is none, or `then` throws;
   * then nothing has changed.
   */
  replaceState(state: NewState, then: () => void): void {
    this.#replace('restore', then, () => this.#state.restored(state))
  }

  /** Forgets everything that happened, and runs `then` on what is left. Where that throws, nothing has changed. */
  reset(then: () => void): void {
    this.#replace('reset', then, () => this.#state.initial())
    this.#time.wake(Number.POSITIVE_INFINITY)
  }

  #replace(operation: string, then: () => void, standing: () => Standing): void {
    this.called(() => {
      const next = standing()
      const before = this.#state.standing
      this.#keeper?.replacing(operation)
      this.#standOn(next)
      try {
        then()
      } catch (error) {
        this.#standOn(before)
        this.#keeper?.takeBack()
        this.#subscribers.forget()
        throw error
      }
    })
  }

  /** Calls back with every further commit, in order, or with those that change a collection. Answers what ends that. */
  subscribe(subscriber: (commit: Commit) => void, collection?: string): () => void {
    const only = collection === undefined ? undefined : this.#state.records.tableNamed(collection).collection.name
    const end = this.#subscribers.add(subscriber, only)
    this.#time.hasListeners(this.#subscribers.size)
    return () => {
      end()
      this.#time.hasListeners(this.#subscribers.size)
    }
  }

  /** All records of a collection, oldest first, settled up to now. */
  all<R extends object>(collection: Collection<R>): R[] {
    this.settle()
    return [...this.#state.records.table(collection).newestFirst()].reverse()
  }

  /** The records of a collection whose index has this value, oldest first; as they are, nothing is settled. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.#state.records.table(collection).findAll(index, value)
  }

  /** Whether a result is the record that was shown last, as it is shown: it is frozen, and the same each time. */
  wasShown(result: unknown): result is object {
    return result !== undefined && result === this.#state.ground.lastShown
  }

  /** Whether a collection has any record. */
  isEmpty<R extends object>(collection: Collection<R>): boolean {
    return this.#state.records.table(collection).size === 0
  }

  /** Resolves when the gateway's time has come, whoever moves it. Rejects when the signal is aborted. */
  reached(at: number, signal?: AbortSignal): Promise<void> {
    return this.#time.reached(at, signal)
  }

  #standOn(standing: Standing): void {
    this.#state.standing = standing
    this.#follow()
  }

  #committed(commit: MadeCommit): void {
    this.#keeper?.changed(commit.operation, commit.changes)
    this.#subscribers.made(commit)
    this.#follow()
  }

  /** Tells the clock of this gateway once something is due, so that gateways without a future cost it nothing. */
  #follow(): void {
    if (this.#state.records.agenda.isDue(Number.POSITIVE_INFINITY)) this.#time.follow()
  }
}
