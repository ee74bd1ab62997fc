import { requireFunction } from '../schema/options.ts'
import { utf8Length } from '../schema/platform.ts'
import { keysInHeader, type SecretTexts, secretTexts } from '../schema/secret-texts.ts'
import type { JournalEntry, JournalQuery } from './entry.ts'
import { BYTES_OF_CHARACTER, bytesOf, type Exchange, withShortNames } from './exchange.ts'
import { type Bounds, type Facts, Forgotten, isMatch, isUnknown } from './forgotten.ts'
import { Queue } from './queue.ts'
import { entryOf, type Secrets } from './redact.ts'

interface JournalOptions extends Secrets {
  readonly size: number
  /** The most bytes of all entries together, at two bytes a character. */
  readonly bytes: number
}

/** A request of this gateway, or an entry that was stored before. */
type Row = (ExchangeRow | RestoredRow) & { readonly bytes: number }

interface ExchangeRow {
  readonly exchange: Exchange
}

interface RestoredRow {
  readonly entry: JournalEntry
}

type Subscriber = (entry: JournalEntry | undefined) => void

/** The journal, for transports that store it. */
export interface PersistedJournal {
  /**
   * Returns the entries as JSON, oldest first: all, or those after the one with an operation id. It leaves the oldest out
   * if the text would be longer than the journal may be.
   */
  json(after?: string): string
  /** Puts entries that were made before, the oldest first, before those of this gateway. */
  restore(entries: readonly JournalEntry[]): void
}

/** The last requests of a gateway, as many as its limits allow. */
export class Journal implements PersistedJournal {
  readonly #options: JournalOptions
  readonly #rows = new Queue<Row>()
  #bytes = 0
  readonly #subscribers = new Set<Subscriber>()
  /** The number of rows with each `Authorization`, and a search for all of them. */
  readonly #authorizations = new Map<string, number>()
  #shared: SecretTexts | undefined
  readonly #forgotten = new Forgotten()

  constructor(options: JournalOptions) {
    this.#options = options
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

  add(whole: Exchange): void {
    const exchange = withShortNames(whole)
    if (!this.isOn) {
      this.#forget({ exchange, bytes: 0 })
      return
    }
    const bytes = bytesOf(exchange)
    this.#rows.add({ exchange, bytes })
    this.#count(exchange.authorization, 1)
    this.#bytes += bytes
    this.#limit()
    if (this.#subscribers.size > 0) this.#notify(this.newestFirst().next().value)
  }

  restore(entries: readonly JournalEntry[]): void {
    const rows = entries.map((entry) => ({ entry, bytes: BYTES_OF_CHARACTER * JSON.stringify(entry).length }))
    this.#rows.replace([...rows, ...this.#rows.all()])
    for (const { bytes } of rows) this.#bytes += bytes
    this.#limit()
  }

  #limit(): void {
    const { size, bytes } = this.#options
    while (this.#bytes > bytes || this.size > size) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.#rows.drop()
    if (!oldest) return
    this.#forget(oldest)
    this.#bytes -= oldest.bytes
    if ('exchange' in oldest) this.#count(oldest.exchange.authorization, -1)
  }

  /** Forgets a request but counts it. Keeps the entry of a request that the API does not know. */
  #forget(row: Row): void {
    const facts = factsOf(row)
    this.#forgotten.add(facts)
    if (isUnknown(facts)) this.#forgotten.addUnknown(this.#entryOf(row))
  }

  #entryOf(row: Row): JournalEntry {
    return 'entry' in row ? row.entry : entryOf(row.exchange, this.#secrets())
  }

  #count(authorization: string, change: 1 | -1): void {
    const rows = (this.#authorizations.get(authorization) ?? 0) + change
    if (rows === 0) this.#authorizations.delete(authorization)
    else this.#authorizations.set(authorization, rows)
    // Only if the set of headers has changed: most gateways see a single key.
    if (rows === 0 || (rows === 1 && change === 1)) this.#shared = undefined
  }

  /** Returns the secrets to redact in every entry: the keys of the gateway and of all requests in the journal. */
  #secrets() {
    const keys = () => [...this.#options.ownKeys, ...[...this.#authorizations.keys()].flatMap(keysInHeader)]
    this.#shared ??= secretTexts(keys())
    return { ...this.#options, shared: this.#shared }
  }

  /** The entries that agree with a query, newest first; each is made when it is looked at. */
  *newestFirst(query: JournalQuery = {}): Generator<JournalEntry> {
    for (const row of this.#rows.all().reverse()) {
      if (isMatch(factsOf(row), query)) yield this.#entryOf(row)
    }
  }

  /** Counts the requests that agree with a query since the journal was emptied, also those that it no longer has. */
  count(query: JournalQuery = {}): Bounds {
    const listed = this.#rows.all().filter((row) => isMatch(factsOf(row), query)).length
    const { least, most } = this.#forgotten.count(query)
    return { least: listed + least, most: listed + most }
  }

  /** The number of requests that the journal no longer has. */
  get forgotten(): number {
    return this.#forgotten.size
  }

  /** Returns the number of requests that the API does not know, and the newest of them, oldest first. */
  unknown(): { readonly count: number; readonly newest: readonly JournalEntry[] } {
    const rows = this.#rows.all().filter((row) => isUnknown(factsOf(row)))
    const listed = rows.map((row) => this.#entryOf(row))
    return { count: rows.length + this.#forgotten.countUnknown(), newest: [...this.#forgotten.unknown, ...listed] }
  }

  json(after?: string): string {
    const texts: string[] = []
    let left = this.#options.bytes
    for (const entry of this.newestFirst()) {
      if (entry.operationId === after) break
      const text = JSON.stringify(entry)
      left -= utf8Length(text) + 1
      if (left < 0) break
      texts.push(text)
    }
    return `[${texts.reverse().join()}]`
  }

  /** Calls the function with each new entry, and with undefined when the journal is cleared. Returns a function that ends it. */
  subscribe(subscriber: Subscriber): () => void {
    requireFunction('subscriber', subscriber)
    // The same function may subscribe twice.
    const own: Subscriber = (entry) => subscriber(entry)
    this.#subscribers.add(own)
    return () => this.#subscribers.delete(own)
  }

  clear(): void {
    this.#rows.replace([])
    this.#bytes = 0
    this.#authorizations.clear()
    this.#shared = undefined
    this.#forgotten.clear()
    this.#notify(undefined)
  }

  #notify(entry: JournalEntry | undefined): void {
    for (const subscriber of [...this.#subscribers]) {
      try {
        subscriber(entry)
      } catch (error) {
        console.error('A subscriber of the journal threw:', error)
      }
    }
  }
}

function factsOf(row: ExchangeRow | RestoredRow): Facts {
  if ('entry' in row) return row.entry
  const { operation, method, path, status } = row.exchange
  return { operation: operation?.name ?? null, method, path, status }
}
