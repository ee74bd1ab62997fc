import { readClock, systemClock } from '../core/engine/clock.ts'
import type { Gateway } from '../gateway/types.ts'
import type { JournalEntry } from '../generated/controls.ts'
import type { ObjectStorage } from './objects.ts'

const JOURNAL = 'journal'

/** The time in ms from a request to the alarm that stores it and all later requests. */
const WRITE_DELAY_MS = 1000

/**
 * The journal of a sandbox, stored in one row so that it survives a sleep. An alarm writes it because a timer would keep the object awake.
 * If its process is killed, the entries of the last second may be lost (rules: sandboxes#journal).
 */
export class StoredJournal {
  readonly #storage: ObjectStorage
  #stored = ''
  /** The time, in ms, at which the alarm must write the journal, or undefined if there is nothing to write. */
  dueAt: number | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  /** Restores the stored entries to a gateway. */
  restore(gateway: Gateway): void {
    // Only `clear` and `#store` write there.
    this.#stored = this.#storage.kv.get<string>(JOURNAL) ?? '[]'
    const entries: JournalEntry[] = JSON.parse(this.#stored)
    gateway.transport.journal.restore(entries)
  }

  clear(): void {
    this.#storage.kv.put(JOURNAL, '[]')
  }

  /** Must be called after each request, before the alarm is set. */
  storeLater(): void {
    this.dueAt ??= readClock(systemClock) + WRITE_DELAY_MS
  }

  /** Cancels the pending write. */
  drop(): void {
    this.dueAt = undefined
  }

  /** Stores the journal of a gateway if it has changed. */
  store({ transport }: Gateway): void {
    this.dueAt = undefined
    const text = transport.journal.json()
    if (text === this.#stored) return
    this.#stored = text
    void this.#storage.put(JOURNAL, text, { allowUnconfirmed: true })
  }
}
