import type { JournalEntry, Overview } from '../generated/controls.ts'

const MAX_ENTRIES = 2000

/** The requests that the page knows, each listed once, numbered as the server journaled them. */
export class KnownRequests {
  /** The requests by operation ID, oldest first. */
  #entries = new Map<string, JournalEntry>()
  readonly #numbers = new WeakMap<JournalEntry, number>()
  /** The number of requests that the server has journaled since it started or since its journal was cleared. */
  #total = 0
  #maxEntries = MAX_ENTRIES
  #newestFirst: readonly JournalEntry[] | undefined
  /** The requests before the last restart of the server, newest first. */
  earlier: readonly JournalEntry[] = []

  /** The requests since the last restart of the server, newest first. */
  get all(): readonly JournalEntry[] {
    if (!this.#newestFirst) {
      this.#newestFirst = [...this.#entries.values()].reverse()
      for (const [index, entry] of this.#newestFirst.entries()) this.#numbers.set(entry, this.#total - index)
    }
    return this.#newestFirst
  }

  /** Returns the number of a request. On a manual clock, many requests have the same time. */
  getNumber(entry: JournalEntry): number | undefined {
    return this.#numbers.get(entry)
  }

  add(entry: JournalEntry): void {
    if (this.#entries.has(entry.operationId)) return
    this.#total++
    this.#set(entry)
    this.#dropOldest()
  }

  /** Limits the requests to as many as the server's journal contains, once the journal drops some. */
  limitTo({ requests, dropped }: Overview): void {
    if (this.#total !== requests + dropped) this.#newestFirst = undefined
    this.#total = requests + dropped
    this.#maxEntries = dropped > 0 ? Math.min(requests, MAX_ENTRIES) : MAX_ENTRIES
    this.#dropOldest()
  }

  #dropOldest(): void {
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break
      this.#entries.delete(id)
      this.#newestFirst = undefined
    }
  }

  #set(entry: JournalEntry): void {
    this.#entries.set(entry.operationId, entry)
    this.#newestFirst = undefined
  }

  /** Adds the requests listed after the ID `after`, and removes those that they replace. Newer ones may have arrived as events. */
  addMissed(after: string, missed: readonly JournalEntry[], replaced: readonly JournalEntry[]): void {
    for (const { operationId } of replaced) this.#entries.delete(operationId)
    const known = [...this.#entries.values()]
    const newer = known.slice(known.findIndex(({ operationId }) => operationId === after) + 1)
    for (const { operationId } of newer) this.#entries.delete(operationId)
    for (const each of [...missed, ...newer]) if (!this.#entries.has(each.operationId)) this.#set(each)
    this.#dropOldest()
    // A server may serve a gateway that another server served before.
    const isSame = (old: JournalEntry) =>
      missed.some((each) => each.operationId === old.operationId && each.at === old.at)
    if (this.earlier.length > 0) this.earlier = this.earlier.filter((each) => !isSame(each))
  }

  /** Marks requests whose clients gave up. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.#entries.get(id)
      if (entry) this.#set({ ...entry, cancelled: true })
    }
  }

  /** Keeps the requests as those from before a restart of the server. */
  restart(): void {
    this.earlier = [...this.all, ...this.earlier].slice(0, MAX_ENTRIES)
    this.#forget()
  }

  empty(): void {
    this.earlier = []
    this.#forget()
  }

  #forget(): void {
    this.#total = 0
    this.#entries.clear()
    this.#newestFirst = undefined
  }
}
