import type { Authority } from '../contract/authority.ts'
import type { Catalogue } from '../contract/catalogue.ts'
import type { Collection } from '../contract/collection.ts'
import type { Commit } from '../contract/commit.ts'
import type { CommonDialect } from '../contract/dialect.ts'
import { type Problem, Refusal } from '../contract/errors.ts'
import { pathIdProblems } from '../contract/ids.ts'
import type { Operation } from '../contract/operation.ts'
import type { RuleContext } from '../contract/reading.ts'
import type { Family } from '../contract/resource.ts'
import type { Rules } from '../contract/rules.ts'
import { withoutSecretTexts } from '../contract/secret-fields.ts'
import type { Store } from '../contract/store.ts'
import type { Transaction } from '../contract/transaction.ts'
import { deepFreeze } from '../contract/view.ts'
import type { Clock } from './clock.ts'
import { GatewayTime } from './gateway-time.ts'
import { Guard } from './guard.ts'
import { type Ids, ids } from './ids.ts'
import { Keeper } from './keeper.ts'
import type { Beside, Standing } from './keeping.ts'
import { MadeCommit } from './made-commit.ts'
import { type RandomSource, randomSource } from './random.ts'
import type { Records } from './records.ts'
import { emptyRecords, type KeptState, restoredRecords } from './restored-records.ts'
import { Subscribers } from './subscribers.ts'
import { type Ground, OpenTransaction } from './transaction.ts'

/** What an engine is made of. */
export interface EngineOptions {
  readonly clock: Clock
  readonly dialect: CommonDialect
  readonly rules: Rules
  readonly seed: string
  /** The authority of a gateway with this random source. */
  readonly authorityFor: (random: RandomSource) => Authority
  readonly url: string
  readonly families: readonly Family[]
  /** All errors of the gateway. */
  readonly catalogue: Catalogue
  /** Texts that leave the gateway in no commit and no snapshot, wherever they stand: its API keys. */
  readonly hidden: readonly string[]
  /** Where commits go. */
  readonly store: Store | undefined
  /** What is kept in the store beside the records. */
  readonly beside: Beside
  /** Makes what leaves a gateway of an error, where a user's clock has called it. */
  readonly outward: (error: unknown) => unknown
}

/**
 * Runs operations on the state. Each operation is one transaction: it sees the state settled up to now, and either
 * commits as a whole or leaves no trace.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #guard = new Guard()
  readonly #time: GatewayTime
  readonly #subscribers = new Subscribers()
  readonly #keeper: Keeper | undefined
  #seed: string
  #ids: Ids
  #authority: Authority
  #records: Records
  #ground: Ground
  /** How many calls are under way, one within the other: the outermost is the piece of work. */
  #depth = 0
  /** What the rules of single fields look at. */
  readonly context: RuleContext
  /** What leaves the gateway in no commit and no snapshot, wherever it stands. */
  readonly #hidden: readonly string[]
  /** Records without what is hidden, as a snapshot showed them: looking for private keys takes five times as long. */
  #shown: WeakMap<object, object> | undefined
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()
  #operations = 0
  /** Whether there was a state in the store to go on from. */
  readonly isLoaded: boolean = false

  constructor(options: EngineOptions) {
    const { dialect, rules, seed, authorityFor, families, catalogue, url, clock, store, beside } = options
    const random = randomSource(seed)
    this.#options = options
    this.#seed = seed
    this.#ids = ids(random)
    this.#authority = authorityFor(random)
    this.context = { dialect, rules, catalogue }
    this.#hidden = options.hidden
    this.#records = emptyRecords(families)
    this.#ground = this.#groundAt(url)
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
    this.#time = new GatewayTime(clock, this.#guard, {
      nextDueAt: () => this.#nextDueAt(),
      settle: () => this.#outward(() => this.#settleAtStop()),
      ...(store ? { moves: () => this.#endingOutward(this.#moves()) } : {}),
    })
    if (!store) return
    const standing = () => ({ records: this.#records, seed: this.#seed, operations: this.#operations })
    const standOn = (other: Standing) => this.#standOn(other)
    this.#keeper = new Keeper(store, { families, beside, guard: this.#guard, time: this.#time, standing, standOn })
    this.isLoaded = this.#keeper.begin()
    this.#time.follow()
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
    return this.#ground.wire.url
  }

  set url(url: string) {
    this.#ground = this.#groundAt(url)
  }

  /** The id of the next answered request. Not part of the state: a refused request gets one too. */
  nextOperationId(): string {
    return this.#ids.id('op', 'operations', this.#operations++)
  }

  /**
   * Runs one operation with the ids of its path and its unread body or query, and answers in the wire's form, with what
   * it changed. Throws a `Refusal` when a rule refuses it; then nothing has changed.
   */
  execute(operation: Operation, ids: Readonly<Record<string, string>>, raw: unknown): Executed {
    // All that is the caller's is read before the transaction: a getter in it may call the gateway.
    const problems = pathIdProblems(ids, operation.ids)
    if (problems.length > 0) throw new Refusal(problems as [Problem, ...Problem[]])
    const input = operation.read?.(raw, ids, this.context)
    return this.called(() =>
      this.#inTransaction(this.#settledNow(), operation.name, (tx) => operation.run(tx, ids, input)),
    )
  }

  /** Runs work that no operation stands for: on settled state, as one transaction. */
  transact<T>(work: (tx: Transaction) => T): T {
    return this.called(() => this.#inTransaction(this.#settledNow(), 'control', work).result)
  }

  /**
   * One piece of work for the caller, however many calls it makes: what it changed is kept by the store as one commit when
   * it ends, and told after that.
   */
  called<T>(work: () => T): T {
    this.#guard.requireOutside()
    this.#keeper?.requireState()
    this.#depth++
    try {
      return work()
    } finally {
      this.#depth--
      if (this.#depth === 0) this.#end()
    }
  }

  #end(): void {
    try {
      this.#keeper?.keep()
    } catch (error) {
      this.#subscribers.forget()
      throw error
    }
    this.#subscribers.tell()
  }

  /** Has the store know that ids of requests were given out, before one is shown. */
  keepOperationIds(): void {
    if (this.#keeper) this.called(() => undefined)
  }

  /** Runs what moves the clock in steps as one move. */
  moved<T>(work: () => T): T {
    const end = this.#moves()
    try {
      return work()
    } finally {
      end()
    }
  }

  #moves(): () => void {
    const end = this.#keeper?.moves()
    return () => {
      end?.()
      if (this.#keeper?.isMoving === false) this.called(() => undefined)
    }
  }

  #settleAtStop(): void {
    if (this.#keeper?.isGoingBack) return
    if (this.#keeper?.isMoving) this.#settledNow()
    else this.called(() => this.#settledNow())
  }

  #endingOutward(end: () => void): () => void {
    return () => this.#outward(end)
  }

  #outward<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#options.outward(error)
    }
  }

  /** Handles everything that is due by now, each event at its own time, in the order of their times. Answers when now is. */
  settle(): number {
    return this.called(() => this.#settledNow())
  }

  #settledNow(): number {
    const now = this.#time.now
    this.#time.wake(now)
    if (!this.#records.agenda.isDue(now)) return now
    const { agenda } = this.#records
    for (let entry = agenda.first(); entry && entry.due.at <= now; entry = agenda.first()) {
      const { table, key, due } = entry
      const record = this.#records.tableNamed(table).get(key)
      this.#inTransaction(due.at, 'provisioning', (tx) => this.#onDue.get(table)?.(tx, record))
    }
    return now
  }

  /** When the next event is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    this.#guard.requireOutside()
    return this.#nextDueAt()
  }

  #nextDueAt(): number | undefined {
    return this.#records.agenda.first()?.due.at
  }

  /** What is due next: when, in ms, and of which record; also for work inside a transaction. */
  get nextDue(): { readonly at: number; readonly collection: string; readonly key: string } | undefined {
    const entry = this.#records.agenda.first()
    return entry && { at: entry.due.at, collection: entry.table, key: entry.key }
  }

  /** The state, settled up to now: what may leave the gateway of every record, and the same records as they are kept. */
  state(withSecrets: boolean) {
    const now = this.settle()
    const { records, kept } = this.#records.exported(withSecrets)
    const shown = withSecrets ? records : this.#withoutSecrets(records, kept)
    return { now, sequence: this.#records.sequence, records: shown, kept }
  }

  /** Records without secret texts. A record that is kept as it was looks as it did the last time. */
  #withoutSecrets(records: Record<string, object[]>, kept: Record<string, object[]>): Record<string, object[]> {
    const shown = Object.entries(records).map(([name, rows]) => {
      const keptRows = kept[name] as object[]
      return [name, rows.map((row, index) => this.#withoutTexts(keptRows[index] as object, row))]
    })
    return Object.fromEntries(shown)
  }

  #withoutTexts(kept: object, row: object): object {
    this.#shown ??= new WeakMap()
    const known = this.#shown.get(kept)
    if (known) return known
    const shown = deepFreeze(withoutSecretTexts(row, this.#hidden))
    this.#shown.set(kept, shown)
    return shown
  }

  /** What ids and automatic certificates come from. */
  get seed(): string {
    return this.#seed
  }

  /** Who makes automatic certificates. */
  get authority(): Authority {
    return this.#authority
  }

  /**
   * Puts another state in the place of this one, and runs `then` on it. Throws where the state is none, or `then` throws;
   * then nothing has changed.
   */
  replaceState(state: NewState, then: () => void): void {
    this.#replace('restore', then, () => ({
      records: restoredRecords(this.#options.families, state, state.isOwn),
      seed: state.seed ?? this.#seed,
      operations: this.#operations,
    }))
  }

  /** Forgets everything that happened, and runs `then` on what is left. Where that throws, nothing has changed. */
  reset(then: () => void): void {
    const { families, seed } = this.#options
    this.#replace('reset', then, () => ({ records: emptyRecords(families), seed, operations: 0 }))
    this.#time.wake(Number.POSITIVE_INFINITY)
  }

  #replace(operation: string, then: () => void, standing: () => Standing): void {
    this.called(() => {
      const next = standing()
      const before = { records: this.#records, seed: this.#seed, operations: this.#operations }
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

  /** Calls back with every further commit, in order. Answers what ends that. */
  subscribe(subscriber: (commit: Commit) => void): () => void {
    const end = this.#subscribers.add(subscriber)
    this.#time.hasListeners(this.#subscribers.size)
    return () => {
      end()
      this.#time.hasListeners(this.#subscribers.size)
    }
  }

  /** All records of a collection, oldest first, settled up to now. */
  all<R extends object>(collection: Collection<R>): R[] {
    this.settle()
    return [...this.#records.table(collection).newestFirst()].reverse()
  }

  /** The records of a collection whose index has this value, oldest first; as they are, nothing is settled. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.#records.table(collection).findAll(index, value)
  }

  /** Whether a result is the record that was shown last, as it is shown: it is frozen, and the same each time. */
  wasShown(result: unknown): result is object {
    return result !== undefined && result === this.#ground.lastShown
  }

  /** Whether a collection has any record. */
  isEmpty<R extends object>(collection: Collection<R>): boolean {
    return this.#records.table(collection).size === 0
  }

  /** Resolves when the gateway's time has come, whoever moves it. Rejects when the signal is aborted. */
  reached(at: number, signal?: AbortSignal): Promise<void> {
    return this.#time.reached(at, signal)
  }

  #standOn({ records, seed, operations }: Standing): void {
    this.#records = records
    this.#operations = operations
    if (seed !== this.#seed) {
      const random = randomSource(seed)
      this.#seed = seed
      this.#ids = ids(random)
      this.#authority = this.#options.authorityFor(random)
    }
    this.#ground = this.#groundAt(this.url)
    this.#follow()
  }

  /** Runs work as one transaction. When it throws, everything it did is taken back. */
  #inTransaction<T>(
    now: number,
    operation: string,
    work: (tx: Transaction) => T,
  ): { result: T; commit: MadeCommit | null } {
    const tx = new OpenTransaction(this.#ground, now)
    let result: T
    try {
      result = this.#guard.run('a transaction', () => work(tx))
    } catch (error) {
      tx.undo()
      throw error
    }
    const { changes } = tx
    if (changes.length === 0) return { result, commit: null }
    const commit = new MadeCommit(operation, now, changes, this.#hidden)
    this.#keeper?.changed(operation, changes)
    this.#subscribers.made(commit)
    this.#follow()
    return { result, commit }
  }

  /** Tells the clock of this gateway once something is due, so that gateways without a future cost it nothing. */
  #follow(): void {
    if (this.#records.agenda.isDue(Number.POSITIVE_INFINITY)) this.#time.follow()
  }

  #groundAt(url: string): Ground {
    const { dialect, rules } = this.#options
    const wire = { url, dialect, authority: this.#authority }
    return { records: this.#records, ids: this.#ids, dialect, rules, wire, shown: undefined, lastShown: undefined }
  }
}

/** A state to go on from: by a seed of its own, if it has one; `isOwn` where a gateway of this process made it. */
export interface NewState extends KeptState {
  readonly seed: string | null
  readonly isOwn: boolean
}

/** What an operation answered, and what it changed, if anything. */
export interface Executed {
  readonly result: unknown
  readonly commit: MadeCommit | null
}
