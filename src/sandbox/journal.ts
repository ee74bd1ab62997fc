import type { Gateway } from '../gateway/types.ts'
import type { JournalEntry } from '../generated/controls.ts'
import type { ObjectStorage } from './objects.ts'

const JOURNAL = 'journal'

/** The time in ms from a request to the write that stores it and all requests since. */
const WRITE_DELAY_MS = 1000

/**
 * The journal of a sandbox in one row of its storage, which survives a sleep. A killed process may lose the entries of the
 * last second (rules: sandboxes#journal).
 */
export class StoredJournal {
  readonly #storage: ObjectStorage
  #stored = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  /** Restores the stored entries in a gateway. */
  restore(gateway: Gateway): void {
    // Only `clear` and `#store` write there.
    this.#stored = this.#storage.kv.get<string>(JOURNAL) ?? '[]'
    const entries: JournalEntry[] = JSON.parse(this.#stored)
    gateway.transport.journal.restore(entries)
  }

  clear(): void {
    this.#storage.kv.put(JOURNAL, '[]')
  }

  /** Stores the journal of a gateway after a second, if it has changed by then. */
  storeLater(gateway: Gateway): void {
    this.#timer ??= setTimeout(() => this.#store(gateway), WRITE_DELAY_MS)
  }

  /** Cancels the pending write. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #store({ transport }: Gateway): void {
    this.#timer = undefined
    const text = transport.journal.json()
    if (text === this.#stored) return
    this.#stored = text
    void this.#storage.put(JOURNAL, text, { allowUnconfirmed: true })
  }
}
