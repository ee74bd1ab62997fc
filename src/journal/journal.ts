import { utf8Length } from '../schema/platform.ts'
import type { JournalEntry, JournalQuery } from './entry.ts'
import { type Exchange, withinLimits } from './exchange.ts'
import { entryOf, type Secrets } from './redact.ts'

interface JournalOptions extends Secrets {
  readonly size: number
  /** The most bytes of all entries together, at two bytes a character. */
  readonly bytes: number
}

type Subscriber = (entry: JournalEntry | undefined) => void

/** The last requests of a gateway, as many as its limits allow. */
export class Journal {
  readonly #options: JournalOptions
  /** The oldest first. */
  #rows: ReturnType<typeof withinLimits>[] = []
  #bytes = 0
  readonly #subscribers = new Set<Subscriber>()

  constructor(options: JournalOptions) {
    this.#options = options
  }

  get isOn(): boolean {
    return this.#options.size > 0
  }

  get size(): number {
    return this.#rows.length
  }

  add(exchange: Exchange): void {
    const { size, bytes } = this.#options
    const row = withinLimits(exchange)
    this.#rows.push(row)
    this.#bytes += row.bytes
    while (this.#bytes > bytes || this.size > size) this.#bytes -= this.#rows.shift()?.bytes ?? 0
    if (this.#subscribers.size > 0) this.#notify(this.newestFirst().next().value)
  }

  /** The entries that agree with a query, newest first; each is made when it is looked at. */
  *newestFirst(query: JournalQuery = {}): Generator<JournalEntry> {
    for (const { exchange } of [...this.#rows].reverse()) {
      if (isMatch(exchange, query)) yield entryOf(exchange, this.#options)
    }
  }

  /**
   * Returns the entries as JSON, oldest first: all, or those after the one with an operation id. It leaves the oldest out
   * if the text would be longer than the journal may be.
   */
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

  /** Calls back with every further entry, and with undefined when the journal was emptied. Returns what ends that. */
  subscribe(subscriber: Subscriber): () => void {
    // The same function may subscribe twice.
    const own: Subscriber = (entry) => subscriber(entry)
    this.#subscribers.add(own)
    return () => this.#subscribers.delete(own)
  }

  clear(): void {
    this.#rows = []
    this.#bytes = 0
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

function isMatch(exchange: Exchange, { operation, method, path, status }: JournalQuery): boolean {
  return (
    (operation === undefined || operation === (exchange.operation?.name ?? null)) &&
    (method === undefined || method === exchange.method) &&
    (path === undefined || path === exchange.path) &&
    (status === undefined || status === exchange.status)
  )
}
