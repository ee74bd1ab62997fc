import type { Journal, JournalEntry, JournalFilter } from '../http/journal.ts'

/**
 * What was asked over HTTP and what was answered, oldest first; the last 1,000 by default. Private keys, webhook
 * secrets and bearer tokens never stand in it.
 */
export interface Requests {
  all(filter?: JournalFilter): readonly JournalEntry[]
  count(filter?: JournalFilter): number
  /** The newest entry, or undefined. */
  last(filter?: JournalFilter): JournalEntry | undefined
  clear(): void
  /** Throws an Error that lists the requests for paths and methods that this API does not have. */
  assertAllKnown(): void
}

/** Makes the journal's face of a gateway. */
export function requestsApi(journal: Journal): Requests {
  return {
    all: (filter) => journal.all(filter),
    count: (filter) => journal.all(filter).length,
    last: (filter) => journal.all(filter).at(-1),
    clear: () => journal.clear(),
    assertAllKnown() {
      const unknown = journal.all((entry) => entry.operation === null).map(({ method, path }) => `${method} ${path}`)
      if (unknown.length > 0) throw new Error(`These requests are no operations of the API: ${unknown.join(', ')}.`)
    },
  }
}
