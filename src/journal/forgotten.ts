import type { JournalEntry, JournalQuery } from './entry.ts'

/** The facts of a request that queries compare. */
export type Facts = Pick<JournalEntry, 'operation' | 'method' | 'path' | 'status'>

/** The number of different facts that are counted one by one. */
const MOST_KINDS = 10_000

/** A longer path is counted as any other long path. */
const LONGEST_PATH = 256

const MOST_UNKNOWN = 20

/** The path of requests that are not counted by their path. */
const ANY_PATH = ''

/** A number of requests, and the most that it can be: their paths may be unknown. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** Counts of the requests that the journal no longer has, and the newest of those that the API does not know. */
export class Forgotten {
  readonly #counts = new Map<string, { readonly facts: Facts; count: number }>()
  #unknown: JournalEntry[] = []
  #size = 0

  /** The number of all these requests. */
  get size(): number {
    return this.#size
  }

  /** The newest requests that the API does not know, oldest first, without headers and bodies of requests. */
  get unknown(): readonly JournalEntry[] {
    return this.#unknown
  }

  add({ operation, method, path, status }: Facts): void {
    this.#size++
    const own = { operation, method, path, status }
    const known = this.#counts.get(keyOf(own))
    if (known) known.count++
    else this.#addKind(this.#hasRoomFor(path) ? own : { ...own, path: ANY_PATH })
  }

  #addKind(facts: Facts): void {
    const key = keyOf(facts)
    const known = this.#counts.get(key)
    if (known) known.count++
    else this.#counts.set(key, { facts, count: 1 })
  }

  addUnknown(entry: JournalEntry): void {
    this.#unknown.push({ ...entry, requestHeaders: {}, request: null, responseHeaders: {} })
    if (this.#unknown.length > MOST_UNKNOWN) this.#unknown.shift()
  }

  /** Counts the requests that agree with a query. */
  count(query: JournalQuery): Bounds {
    let least = 0
    let most = 0
    for (const { facts, count } of this.#counts.values()) {
      if (isMatch(facts, query)) least += count
      const isAnyPath = facts.path === ANY_PATH && query.path !== undefined
      if (isMatch(isAnyPath ? { ...facts, path: query.path } : facts, query)) most += count
    }
    return { least, most }
  }

  countUnknown(): number {
    let found = 0
    for (const { facts, count } of this.#counts.values()) if (isUnknown(facts)) found += count
    return found
  }

  clear(): void {
    this.#counts.clear()
    this.#unknown = []
    this.#size = 0
  }

  #hasRoomFor(path: string): boolean {
    return path.length <= LONGEST_PATH && this.#counts.size < MOST_KINDS
  }
}

function keyOf({ operation, method, path, status }: Facts): string {
  return `${operation} ${method} ${status} ${path}`
}

export function isMatch(of: Facts, { operation, method, path, status }: JournalQuery): boolean {
  return (
    (operation === undefined || operation === of.operation) &&
    (method === undefined || method === of.method) &&
    (path === undefined || path === of.path) &&
    (status === undefined || status === of.status)
  )
}

const NO_IDS = ['undefined', 'null', 'NaN', '[object Object]', '%5Bobject%20Object%5D']

/** Returns the segment of a path that is the text of a variable without a value, or of an object. */
export function noIdIn(path: string): string | undefined {
  return path.split('/').find((segment) => NO_IDS.includes(segment))
}

/**
 * Tells whether a request is a mistake of the client: the API has no such operation, or an id in its path is `undefined`.
 * A preflight has no operation either, but it is answered.
 */
export function isUnknown({ operation, path, status }: Facts): boolean {
  return status >= 400 && (operation === null || noIdIn(path) !== undefined)
}
