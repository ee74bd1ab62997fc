import type { Commit } from '../../contract/commit.ts'

/**
 * A request that was asked and what was answered, without its secrets: see "The journal" in the documentation for what
 * is hidden.
 */
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
  /** The request's JSON, a text that says what it was where it is none or is too long, or null for no body. */
  readonly request: unknown
  readonly status: number
  /** The answer's JSON, or a text in its place as for `request`; null for no body. */
  readonly response: unknown
  /** What it changed, or null. */
  readonly commit: Commit | null
  /** The fault that it met, or null. */
  readonly fault: string | null
}

/** What entries are asked for by. */
export type JournalQuery = {
  readonly [Field in 'operation' | 'method' | 'path' | 'status']?: JournalEntry[Field] | undefined
}

/** The last requests of a gateway. */
export interface Journal {
  /** The entries that are asked for, newest first; each is made when it is looked at. */
  newestFirst(query?: JournalQuery): Generator<JournalEntry>
  /** All entries as JSON, oldest first; the oldest are left out where it would be longer than the journal may be. */
  json(): string
  clear(): void
}
