import type { JournalEntry } from '../../generated/controls.ts'
import type { JournalQuery } from './entry.ts'

/** The fields of a request that queries compare. */
export type RequestFacts = Pick<JournalEntry, 'operation' | 'method' | 'path' | 'status'>

/** The maximum number of stored entries of unknown requests. */
const MAX_UNKNOWN = 20

/** Requests with the same operation, method, and status. Their paths are not stored. */
interface Kind extends Omit<RequestFacts, 'path'> {
  size: number
}

/** The requests that the journal has dropped: the number of each kind, and the newest unknown requests. */
export class DroppedRequests {
  readonly #kindsByOperation = new Map<string | null, readonly Kind[]>()
  #unknown: JournalEntry[] = []
  #unknownCount = 0
  #size = 0

  /** The total number of dropped requests. */
  get size(): number {
    return this.#size
  }

  /** The total number of unknown requests. */
  get unknownCount(): number {
    return this.#unknownCount
  }

  /** The newest unknown requests, oldest first, without headers and bodies. */
  get unknown(): readonly JournalEntry[] {
    return this.#unknown
  }

  add({ operation, method, status }: RequestFacts): void {
    this.#size++
    const kinds = this.#kindsByOperation.get(operation) ?? []
    const known = kinds.find((kind) => kind.method === method && kind.status === status)
    if (known) known.size++
    else this.#kindsByOperation.set(operation, [...kinds, { operation, method, status, size: 1 }])
  }

  /** Stores the entry of an unknown request. */
  addUnknown(entry: JournalEntry): void {
    this.#unknownCount++
    this.#unknown.push({ ...entry, requestHeaders: {}, request: null, responseHeaders: {} })
    if (this.#unknown.length > MAX_UNKNOWN) this.#unknown.shift()
  }

  /** Counts the requests that match a query, ignoring paths. */
  count({ path: _, ...query }: JournalQuery): number {
    const matching = [...this.#kindsByOperation.values()]
      .flat()
      .filter((kind) => matchesQuery({ ...kind, path: '' }, query))
    return matching.reduce((sum, { size }) => sum + size, 0)
  }

  /** Counts the requests whose response was an error. */
  countErrors(): number {
    const errors = [...this.#kindsByOperation.values()].flat().filter(({ status }) => status >= 400)
    return errors.reduce((sum, { size }) => sum + size, 0)
  }

  clear(): void {
    this.#kindsByOperation.clear()
    this.#unknown = []
    this.#unknownCount = 0
    this.#size = 0
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

/** Matches a stringified missing value, object, or promise. Any of its characters may be escaped in the URL. */
const INVALID_ID = /^(?:undefined|null|NaN|(?:\[|%5B)object(?: |%20)\w+(?:\]|%5D))$/

/** Returns the first segment of a path that contains a stringified value, such as `undefined` or `[object Object]`, instead of an ID. */
export function findInvalidId(path: string): string | undefined {
  return path.split('/').find((segment) => INVALID_ID.test(segment))
}

/**
 * Returns whether a request is unknown: its operation doesn't exist, or an ID in the path isn't an ID, such as `undefined`. A preflight has
 * no operation either, but its status is below 400.
 */
export function isUnknown({ operation, path, status }: RequestFacts): boolean {
  return status >= 400 && (operation === null || findInvalidId(path) !== undefined)
}
