import type { JournalEntry, JournalQuery } from './entry.ts'

/** The fields of a request that queries compare. */
export type RequestFacts = Pick<JournalEntry, 'operation' | 'method' | 'path' | 'status'>

/** The maximum number of stored paths. */
const MAX_PATHS = 10_000

/** The maximum number of characters of a stored path. */
const MAX_PATH_LENGTH = 256

/** The maximum number of entries that are stored of unknown requests. */
const MAX_UNKNOWN = 20

/** The number of requests that match a query, and of further ones that may match because their paths are not stored. */
export interface RequestCount {
  readonly certain: number
  readonly possible: number
}

/** Requests with the same operation, method and status. */
interface Kind {
  readonly facts: Omit<RequestFacts, 'path'>
  /** The number of all these requests. */
  size: number
  /** The number of requests with each stored path. */
  readonly paths: Map<string, number>
  /** The number of requests with other paths that are short enough to be stored. */
  withoutPath: number
  /** The number of requests with paths that are too long to be stored. */
  withLongPath: number
}

/** The requests that the journal has dropped: how many there were of each kind, and the newest that the API does not know. */
export class DroppedRequests {
  readonly #kindsByOperation = new Map<string | null, readonly Kind[]>()
  #unknown: JournalEntry[] = []
  #unknownCount = 0
  #size = 0
  #pathCount = 0

  /** The number of all these requests. */
  get size(): number {
    return this.#size
  }

  /** The number of all requests that the API does not know. */
  get unknownCount(): number {
    return this.#unknownCount
  }

  /** The newest requests that the API does not know, oldest first, without headers and bodies of requests. */
  get unknown(): readonly JournalEntry[] {
    return this.#unknown
  }

  add(facts: RequestFacts): void {
    this.#size++
    const { path } = facts
    const kind = this.#findKind(facts)
    kind.size++
    const requests = kind.paths.get(path)
    if (requests !== undefined) kind.paths.set(path, requests + 1)
    else if (path.length > MAX_PATH_LENGTH) kind.withLongPath++
    else if (this.#pathCount < MAX_PATHS) {
      kind.paths.set(path, 1)
      this.#pathCount++
    } else kind.withoutPath++
  }

  #findKind({ operation, method, status }: RequestFacts): Kind {
    const kinds = this.#kindsByOperation.get(operation) ?? []
    for (const kind of kinds) if (kind.facts.method === method && kind.facts.status === status) return kind
    const facts = { operation, method, status }
    const kind = { facts, size: 0, paths: new Map<string, number>(), withoutPath: 0, withLongPath: 0 }
    this.#kindsByOperation.set(operation, [...kinds, kind])
    return kind
  }

  /** Stores the entry of a request that the API does not know. */
  addUnknown(entry: JournalEntry): void {
    this.#unknownCount++
    this.#unknown.push({ ...entry, requestHeaders: {}, request: null, responseHeaders: {} })
    if (this.#unknown.length > MAX_UNKNOWN) this.#unknown.shift()
  }

  /** Counts the requests that match a query. */
  count({ path, ...query }: JournalQuery): RequestCount {
    let certain = 0
    let possible = 0
    for (const { facts, size, paths, withoutPath, withLongPath } of [...this.#kindsByOperation.values()].flat()) {
      if (!matchesQuery({ ...facts, path: '' }, query)) continue
      const stored = path === undefined ? size : paths.get(path)
      // Once a path is stored, all its later requests are counted there.
      if (stored !== undefined) certain += stored
      else possible += path !== undefined && path.length > MAX_PATH_LENGTH ? withLongPath : withoutPath
    }
    return { certain, possible }
  }

  clear(): void {
    this.#kindsByOperation.clear()
    this.#unknown = []
    this.#unknownCount = 0
    this.#size = 0
    this.#pathCount = 0
  }
}

export function matchesQuery(request: RequestFacts, { operation, method, path, status }: JournalQuery): boolean {
  return (
    (operation === undefined || operation === request.operation) &&
    (method === undefined || method === request.method) &&
    (path === undefined || path === request.path) &&
    (status === undefined || status === request.status)
  )
}

/** Matches the text of a missing value, of an object or of a promise. A URL escapes some of its characters, or none. */
const INVALID_ID = /^(?:undefined|null|NaN|(?:\[|%5B)object(?: |%20)\w+(?:\]|%5D))$/

/** Returns the first segment of a path that is no id but the text of a missing value or of an object, such as `undefined`. */
export function findInvalidId(path: string): string | undefined {
  return path.split('/').find((segment) => INVALID_ID.test(segment))
}

/**
 * Returns whether the API does not know a request: it has no such operation, or an id in the path is no id, such as `undefined`.
 * A preflight has no operation either, but its status is below 400.
 */
export function isUnknown({ operation, path, status }: RequestFacts): boolean {
  return status >= 400 && (operation === null || findInvalidId(path) !== undefined)
}
