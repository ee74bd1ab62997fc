import type { Commit } from '../contract/commit.ts'
import { timestamp } from '../contract/view.ts'
import { redacted } from './redact.ts'

/** A request that was asked and what was answered. Keys, webhook secrets and bearer tokens never stand in it. */
export interface JournalEntry {
  /** The id that the answer carries. */
  readonly operationId: string
  /** The operation's name, such as `reserved_domains.create`; null for an unknown path or method. */
  readonly operation: string | null
  readonly method: string
  /** Below the base URL, without the query. */
  readonly path: string
  readonly query: string
  /** The gateway's time, as a timestamp. */
  readonly at: string
  /** The request's JSON, or its text where it is none; null for no body. */
  readonly request: unknown
  readonly status: number
  /** The answer's JSON, or its text where it is none; null for no body. */
  readonly response: unknown
  /** What it changed, or null. */
  readonly commit: Commit | null
  /** The fault that it met, or null. */
  readonly fault: string | null
}

/** Which entries are meant: all that agree with every field that is given, or with a predicate. */
export type JournalFilter =
  | Partial<Pick<JournalEntry, 'operation' | 'method' | 'path' | 'status'>>
  | ((entry: JournalEntry) => boolean)

/** What an entry is made from. Its texts are redacted before they come here, and parsed when they are read. */
export interface Exchange {
  readonly operationId: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly query: string
  readonly now: number
  readonly request: string | null
  readonly status: number
  readonly response: string | null
  readonly commit: (() => Commit | null) | null
  readonly fault: string | null
}

/** The last requests of a gateway, as many as its limit allows. */
export class Journal {
  #entries: Exchange[] = []
  #next = 0

  constructor(readonly limit: number) {}

  add(exchange: Exchange): void {
    if (this.limit === 0) return
    this.#entries[this.#next % this.limit] = exchange
    this.#next++
  }

  /** The entries, oldest first. */
  all(filter?: JournalFilter): JournalEntry[] {
    const start = this.#next % this.limit || 0
    const inOrder =
      this.#next > this.limit ? [...this.#entries.slice(start), ...this.#entries.slice(0, start)] : this.#entries
    const entries = inOrder.map(shown)
    return filter ? entries.filter((entry) => isMeant(entry, filter)) : entries
  }

  clear(): void {
    this.#entries = []
    this.#next = 0
  }
}

function isMeant(entry: JournalEntry, filter: JournalFilter): boolean {
  if (typeof filter === 'function') return filter(entry)
  return Object.entries(filter).every(
    ([name, wanted]) => wanted === undefined || entry[name as keyof JournalEntry] === wanted,
  )
}

function shown({ now, request, response, commit, ...rest }: Exchange): JournalEntry {
  const changed = commit?.() ?? null
  return {
    ...rest,
    at: timestamp(now),
    request: parsed(request),
    response: parsed(response),
    commit: parsed(changed && redacted(JSON.stringify(changed), rest.operation)) as Commit | null,
  }
}

function parsed(text: string | null): unknown {
  if (text === null || text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
