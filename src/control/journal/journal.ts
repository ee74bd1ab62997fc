import { requireFunction } from '../../core/schema/arguments.ts'
import { callSafely } from '../../core/schema/print.ts'
import { createRedactor, findKeysInHeader, type Redactor } from '../../core/schema/secret-texts.ts'
import { timeMs } from '../../core/schema/time.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import { DroppedRequests, isUnknown, matchesQuery, type RequestFacts } from './dropped-requests.ts'
import type { JournalQuery } from './entry.ts'
import { BYTES_PER_CHARACTER, countBytes, type JournaledExchange, shortenNames } from './exchange.ts'
import { createEntry, parseJson, type Secrets } from './redact.ts'
import { type JournalLimits, JournalRows, toJsonList } from './rows.ts'

interface JournalOptions extends Secrets, JournalLimits {}

/** A request of this gateway, or an entry that was stored before. */
type Row = (ExchangeRow | RestoredRow) & { readonly bytes: number }

interface ExchangeRow {
  readonly exchange: JournaledExchange
}

interface RestoredRow {
  readonly entry: JournalEntry
}

/** A request, and the values that can be read from it without looking for secrets. It must not appear in any output. */
export interface SeenRequest
  extends RequestFacts,
    Pick<JournalEntry, 'operationId' | 'query' | 'fault' | 'cancelled' | 'problem'> {
  readonly body: string
  /** The request's time, in ms. */
  readonly now: number
  readResponse(): unknown
  /** Creates the request's entry, without secrets. */
  readEntry(): JournalEntry
}

type Subscriber = (entry: JournalEntry | undefined) => void

/** The journal, for transports that persist it. */
export interface PersistedJournal {
  /**
   * Returns the entries that match as JSON, oldest first: all entries, or those after the entry with the operation ID `after`. Omits the oldest
   * entries if the text would exceed the journal's maximum size.
   */
  json(after?: string, query?: JournalQuery): string
  /** Adds stored entries, oldest first, before this gateway's own. */
  restore(entries: readonly JournalEntry[]): void
}

/** The most recent requests to a gateway, within the limits set by its options. */
export class Journal implements PersistedJournal {
  readonly #options: JournalOptions
  readonly #rows: JournalRows<Row>
  readonly #subscribers = new Set<Subscriber>()
  /** The `Authorization` headers in the rows and in some dropped rows. */
  #authorizations = new Set<string>()
  /** Redacts the keys of the gateway and of all authorizations. Created on first use. */
  #sharedSecrets: Redactor | undefined
  readonly #dropped = new DroppedRequests()
  /** The times, in ms, at which clients gave up, by the operation IDs of their requests. */
  readonly #cancelled = new Map<string, number>()

  constructor(options: JournalOptions) {
    this.#options = options
    this.#rows = new JournalRows(options, (row) => this.#forget(row))
  }

  get isOn(): boolean {
    return this.#options.size > 0
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0
  }

  get size(): number {
    return this.#rows.size
  }

  add(received: JournaledExchange): void {
    const exchange = shortenNames(received)
    if (!this.isOn) {
      this.#countDropped({ exchange, bytes: 0 })
      return
    }
    const row = { exchange, bytes: countBytes(exchange) }
    if (!this.#authorizations.has(exchange.authorization)) this.#addAuthorization(exchange.authorization)
    this.#rows.add(row)
    if (this.#subscribers.size > 0) this.#notify(this.#readEntry(row))
  }

  restore(entries: readonly JournalEntry[]): void {
    const rows = entries.map((entry) => ({ entry, bytes: BYTES_PER_CHARACTER * JSON.stringify(entry).length }))
    this.#rows.restore(rows)
  }

  #forget(row: Row): void {
    this.#countDropped(row)
    if ('exchange' in row) this.#cancelled.delete(row.exchange.operationId)
  }

  /** Counts a request that the journal drops. Stores the entry of an unknown request. */
  #countDropped(row: Row): void {
    const facts = readFacts(row)
    this.#dropped.add(facts)
    if (isUnknown(facts)) this.#dropped.addUnknown(this.#readEntry(row))
  }

  #readEntry(row: Row): JournalEntry {
    return 'entry' in row ? row.entry : this.createEntry(row.exchange)
  }

  /** Creates the entry of an exchange, without secrets. */
  createEntry(exchange: JournaledExchange): JournalEntry {
    const entry = createEntry(exchange, this.#findSecrets())
    return this.#cancelled.has(exchange.operationId) ? { ...entry, cancelled: true } : entry
  }

  /** Marks the request of an operation as abandoned, because its client gave up before the response was sent. */
  cancel(operationId: string, now: number): void {
    if (this.isOn) this.#cancelled.set(operationId, now)
  }

  /** Returns the time, in ms, at which the client of a request gave up, or undefined if it didn't. */
  cancelledAt(operationId: string): number | undefined {
    return this.#cancelled.get(operationId)
  }

  /** The time of the oldest request, in ms, or undefined if there is none. */
  get oldestTime(): number | undefined {
    const row = this.#rows.first
    return row && ('entry' in row ? timeMs(row.entry.at) : row.exchange.now)
  }

  /** The operation ID of the newest request, or an empty string if there is none. */
  get newestId(): string {
    const row = this.#rows.last
    return row === undefined ? '' : 'entry' in row ? row.entry.operationId : row.exchange.operationId
  }

  #addAuthorization(authorization: string): void {
    // Rows are limited by their bytes, which also limits the keys.
    if (this.#authorizations.size > 2 * this.#rows.size) {
      const rows = this.#rows.all().flatMap((row) => ('exchange' in row ? row.exchange.authorization : []))
      this.#authorizations = new Set(rows)
    }
    this.#authorizations.add(authorization)
    this.#sharedSecrets = undefined
  }

  /** Returns the redactor for the entries, which hides the keys of the gateway and of all requests in the journal. */
  #findSecrets() {
    const keys = () => [...this.#options.ownKeys, ...[...this.#authorizations].flatMap(findKeysInHeader)]
    this.#sharedSecrets ??= createRedactor(keys())
    return { ...this.#options, shared: this.#sharedSecrets }
  }

  /** Yields the entries that match a query, newest first. Each entry is created when it is read. */
  *newestFirst(query: JournalQuery = {}): Generator<JournalEntry> {
    for (const row of this.#rows.all().reverse()) {
      if (matchesQuery(readFacts(row), query)) yield this.#readEntry(row)
    }
  }

  /** Yields the requests in the journal, newest first. Creating all of their entries is slow. */
  *newestRequests(): Generator<SeenRequest> {
    for (const row of this.#rows.all().reverse()) {
      const readEntry = () => this.#readEntry(row)
      if ('entry' in row) {
        const { entry } = row
        const now = timeMs(entry.at) ?? 0
        yield { ...entry, now, body: JSON.stringify(entry.request), readResponse: () => entry.response, readEntry }
        continue
      }
      const { operationId, query, fault, request, response, now, problem } = row.exchange
      yield {
        ...readFacts(row),
        operationId,
        query,
        fault,
        now,
        ...(problem !== undefined && { problem }),
        ...(this.#cancelled.has(operationId) && { cancelled: true }),
        body: typeof request === 'string' ? request : JSON.stringify(request),
        readResponse: () => parseJson(response),
        readEntry,
      }
    }
  }

  /** Counts the requests in the journal that match a query. */
  countListed(query: JournalQuery = {}): number {
    return this.#rows.all().filter((row) => matchesQuery(readFacts(row), query)).length
  }

  /** Counts the dropped requests that match a query, ignoring paths. */
  countDropped(query: JournalQuery = {}): number {
    return this.#dropped.count(query)
  }

  /** The number of dropped requests. */
  get dropped(): number {
    return this.#dropped.size
  }

  /** The number of dropped requests whose response was an error. */
  get droppedErrors(): number {
    return this.#dropped.countErrors()
  }

  /** Returns the number of unknown requests, and the newest of them, oldest first. */
  findUnknown(): { readonly count: number; readonly newest: readonly JournalEntry[] } {
    const rows = this.#rows.all().filter((row) => isUnknown(readFacts(row)))
    const listed = rows.map((row) => this.#readEntry(row))
    return { count: rows.length + this.#dropped.unknownCount, newest: [...this.#dropped.unknown, ...listed] }
  }

  json(after?: string, query?: JournalQuery): string {
    return toJsonList(this.#newerThan(after, query), this.#options.bytes)
  }

  *#newerThan(after: string | undefined, query: JournalQuery = {}): Generator<JournalEntry> {
    for (const entry of this.newestFirst()) {
      if (entry.operationId === after) return
      if (matchesQuery(entry, query)) yield entry
    }
  }

  /** Calls the function with each new entry, and with undefined when the journal is cleared. Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    requireFunction('subscriber', subscriber)
    // A wrapper, because the same function may subscribe twice.
    const own: Subscriber = (entry) => subscriber(entry)
    this.#subscribers.add(own)
    return () => this.#subscribers.delete(own)
  }

  clear(): void {
    this.#rows.clear()
    this.#authorizations.clear()
    this.#sharedSecrets = undefined
    this.#dropped.clear()
    this.#cancelled.clear()
    this.#notify(undefined)
  }

  #notify(entry: JournalEntry | undefined): void {
    for (const each of [...this.#subscribers]) callSafely('journal', () => each(entry))
  }
}

function readFacts(row: ExchangeRow | RestoredRow): RequestFacts {
  if ('entry' in row) return row.entry
  const { operation, method, path, status } = row.exchange
  return { operation: operation?.name ?? null, method, path, status }
}
