import type { Authority } from '../contract/authority.ts'
import type { Catalogue } from '../contract/catalogue.ts'
import type { Collection } from '../contract/collection.ts'
import type { Commit } from '../contract/commit.ts'
import type { Dialect } from '../contract/dialect.ts'
import { type Problem, Refusal, refuse } from '../contract/errors.ts'
import { general } from '../contract/general-errors.ts'
import { pathIdProblems } from '../contract/ids.ts'
import type { Operation } from '../contract/operation.ts'
import type { RuleContext } from '../contract/reading.ts'
import type { Family } from '../contract/resource.ts'
import type { Rules } from '../contract/rules.ts'
import { withoutSecretTexts } from '../contract/secret-fields.ts'
import type { Transaction } from '../contract/transaction.ts'
import { deepFreeze, timestamp } from '../contract/view.ts'
import { abortable } from './abortable.ts'
import { type Clock, type ClockFollower, isManual, readClock } from './clock.ts'
import { type Ids, ids } from './ids.ts'
import { type RandomSource, randomSource } from './random.ts'
import { emptyStore, type KeptState, restoredStore } from './restored-store.ts'
import { exportedChange, type RecordChange, type Store } from './store.ts'
import { type Ground, OpenTransaction } from './transaction.ts'
import { Waiters } from './waiters.ts'

/** What an engine is made of. */
export interface EngineOptions {
  readonly clock: Clock
  readonly dialect: Dialect
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
}

/**
 * Runs operations on the state. Each operation is one transaction: it sees the state settled up to now, and either
 * commits as a whole or leaves no trace.
 */
export class Engine {
  readonly #options: EngineOptions
  #seed: string
  #ids: Ids
  #authority: Authority
  #store: Store
  #ground: Ground
  /** What of somebody else's may be running inside the engine now; a call into it meanwhile is refused. */
  #inside: 'a transaction' | 'its clock' | undefined
  /** What the rules of single fields look at. */
  readonly context: RuleContext
  /** What leaves the gateway in no commit and no snapshot, wherever it stands. */
  readonly #hidden: readonly string[]
  /** Records without what is hidden, as a snapshot showed them: looking for private keys takes five times as long. */
  #shown: WeakMap<object, object> | undefined
  readonly #onDue = new Map<string, NonNullable<Family['onDue']>>()
  #operations = 0
  #lastNow = 0
  /** What the clock knows of this gateway; undefined until it must know. */
  #follower: ClockFollower | undefined
  /** Ends the clock's hold on this gateway, if it has one. */
  #letGo: (() => void) | undefined
  readonly #waiters = new Waiters()
  readonly #subscribers = new Set<(commit: Commit) => void>()
  readonly #undelivered: Commit[] = []
  /** How many commits there were for subscribers. */
  #delivered = 0

  constructor(options: EngineOptions) {
    const { dialect, rules, seed, authorityFor, families, catalogue, url } = options
    const random = randomSource(seed)
    this.#options = options
    this.#seed = seed
    this.#ids = ids(random)
    this.#authority = authorityFor(random)
    this.context = { dialect, unknownActions: rules.unknownActions, catalogue }
    this.#hidden = options.hidden
    this.#store = emptyStore(families)
    this.#ground = this.#groundAt(url)
    for (const { onDue, collections } of families) {
      if (onDue) for (const { name } of collections) this.#onDue.set(name, onDue)
    }
  }

  /** The gateway's time in ms since 1970. */
  get now(): number {
    this.#requireOutside()
    this.#inside = 'its clock'
    try {
      this.#lastNow = readClock(this.#options.clock)
      return this.#lastNow
    } finally {
      this.#inside = undefined
    }
  }

  /** The gateway's time or, for who asks from inside a transaction or the clock, the time that was read last. */
  get lastNow(): number {
    return this.#inside ? this.#lastNow : this.now
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
    return this.#inTransaction(this.#settledNow(), operation.name, (tx) => operation.run(tx, ids, input))
  }

  /** Settles everything up to now, and answers when that is. */
  #settledNow(): number {
    for (;;) {
      const now = this.now
      const delivered = this.#delivered
      this.settle(now)
      // A subscriber that was told of what became due may have moved the clock.
      if (this.#delivered === delivered) return now
    }
  }

  /** Handles everything that is due, each event at its own time, in the order of their times. */
  settle(now: number): void {
    this.#requireOutside()
    const { agenda } = this.#store
    this.#waiters.wake(now)
    if (!agenda.isDue(now)) return
    for (let entry = agenda.first(); entry && entry.due.at <= now; entry = this.#store.agenda.first()) {
      const { table, key, due } = entry
      const record = this.#store.tableNamed(table).get(key)
      this.#inTransaction(due.at, 'provisioning', (tx) => this.#onDue.get(table)?.(tx, record))
    }
  }

  /** Runs work that no operation stands for: on settled state, as one transaction. */
  transact<T>(work: (tx: Transaction) => T): T {
    return this.#inTransaction(this.#settledNow(), 'control', work).result
  }

  /** When the next event is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    this.#requireOutside()
    return this.#store.agenda.first()?.due.at
  }

  /** What is due next: when, in ms, and of which record; also for work inside a transaction. */
  get nextDue(): { readonly at: number; readonly collection: string; readonly key: string } | undefined {
    const entry = this.#store.agenda.first()
    return entry && { at: entry.due.at, collection: entry.table, key: entry.key }
  }

  /** The state, settled up to now: what may leave the gateway of every record, and the same records as they are kept. */
  state(withSecrets: boolean) {
    const now = this.#settledNow()
    const { records, kept } = this.#store.exported(withSecrets)
    const shown = withSecrets ? records : this.#withoutSecrets(records, kept)
    return { now, sequence: this.#store.sequence, records: shown, kept }
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
    this.#requireOutside()
    const before = { store: this.#store, seed: this.#seed }
    this.#standOn(restoredStore(this.#options.families, state, state.isOwn), state.seed ?? before.seed)
    try {
      then()
    } catch (error) {
      this.#standOn(before.store, before.seed)
      throw error
    }
  }

  /** Calls back with every further commit, in order. Answers what ends that. */
  subscribe(subscriber: (commit: Commit) => void): () => void {
    // A subscriber of its own per call, so that one function can subscribe twice.
    const own = (commit: Commit) => subscriber(commit)
    this.#subscribers.add(own)
    this.#heldAsNeeded()
    return () => {
      this.#subscribers.delete(own)
      this.#heldAsNeeded()
    }
  }

  /** All records of a collection, oldest first, settled up to now. */
  all<R extends object>(collection: Collection<R>): R[] {
    this.#settledNow()
    return [...this.#store.table(collection).newestFirst()].reverse()
  }

  /** The records of a collection whose index has this value, oldest first; as they are, nothing is settled. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.#store.table(collection).findAll(index, value)
  }

  /** Whether a collection has any record. */
  isEmpty<R extends object>(collection: Collection<R>): boolean {
    return this.#store.table(collection).size === 0
  }

  /** Resolves when the gateway's time has come, whoever moves it. Rejects when the signal is aborted. */
  async reached(at: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#options
    if (clock.waitUntil && !isManual(clock)) return waitedFor(clock, at, signal)
    if (this.now >= at) return
    const waiting = this.#waiters.until(at, signal)
    this.#heldAsNeeded()
    try {
      await waiting
    } finally {
      this.#heldAsNeeded()
    }
  }

  /** Forgets everything that happened. */
  reset(): void {
    this.#requireOutside()
    this.#operations = 0
    this.#standOn(emptyStore(this.#options.families), this.#options.seed)
    this.#waiters.wake(Number.POSITIVE_INFINITY)
  }

  #standOn(store: Store, seed: string): void {
    this.#store = store
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
    this.#requireOutside()
    const tx = new OpenTransaction(this.#ground, now)
    this.#inside = 'a transaction'
    let result: T
    try {
      result = work(tx)
    } catch (error) {
      tx.undo()
      throw error
    } finally {
      this.#inside = undefined
    }
    const { changes } = tx
    if (changes.length === 0) return { result, commit: null }
    const commit = new MadeCommit(operation, now, changes, this.#hidden)
    this.#deliver(commit)
    this.#follow()
    return { result, commit }
  }

  /** Refuses a call that comes from code which the engine itself is running. */
  #requireOutside(): void {
    if (this.#inside) refuse(general.gateway_busy, { inside: this.#inside })
  }

  #deliver(commit: MadeCommit): void {
    if (this.#subscribers.size === 0) return
    this.#delivered++
    this.#undelivered.push(commit.shown())
    // A subscriber that calls the gateway makes further commits; they wait for their turn.
    if (this.#undelivered.length > 1) return
    for (let next = this.#undelivered[0]; next; next = this.#undelivered[0]) {
      for (const subscriber of [...this.#subscribers]) deliver(subscriber, next)
      this.#undelivered.shift()
    }
  }

  /** Tells the clock of this gateway once something is due, so that gateways without a future cost it nothing. */
  #follow(): void {
    if (!this.#follower && this.#store.agenda.isDue(Number.POSITIVE_INFINITY)) this.#attached()
  }

  #attached(): ClockFollower {
    if (!this.#follower) {
      this.#follower = {
        nextDueAt: () => this.nextDueAt(),
        nextStopAt: () => earlier(this.nextDueAt(), this.#waiters.earliest),
        settle: () => this.settle(this.now),
      }
      this.#options.clock.attach?.(this.#follower)
    }
    return this.#follower
  }

  /** Has the clock keep this gateway alive as long as someone waits for it or listens to it. */
  #heldAsNeeded(): void {
    if (this.#waiters.size + this.#subscribers.size > 0) {
      this.#letGo ??= this.#options.clock.hold?.(this.#attached())
    } else {
      this.#letGo?.()
      this.#letGo = undefined
    }
  }

  #groundAt(url: string): Ground {
    const { dialect, rules } = this.#options
    const wire = { url, dialect, authority: this.#authority }
    return { store: this.#store, ids: this.#ids, dialect, rules, wire, shown: undefined }
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

/** A commit before anyone looks at it. */
export class MadeCommit {
  constructor(
    readonly operation: string,
    readonly now: number,
    /** The records as they are kept, with their secrets. */
    readonly changes: readonly RecordChange[],
    readonly hidden: readonly string[],
  ) {}

  /** The commit as it may leave the gateway. */
  shown(): Commit {
    const changes = this.changes.map((change) => withoutSecretTexts(exportedChange(change), this.hidden))
    return deepFreeze({ operation: this.operation, at: timestamp(this.now), changes })
  }
}

/** The earlier of two times, either of which may be missing. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

/** Waits for a clock that need not know of signals. */
function waitedFor(clock: Clock, at: number, signal: AbortSignal | undefined): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    Promise.resolve(clock.waitUntil?.(at, signal)).then(resolve, reject)
    return () => undefined
  })
}

/** An exception in a subscriber must not reach whoever made the commit. */
function deliver(subscriber: (commit: Commit) => void, commit: Commit): void {
  try {
    subscriber(commit)
  } catch (error) {
    console.error('A subscriber of the gateway threw:', error)
  }
}
