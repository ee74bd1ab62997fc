import type { JournalEntry, JournalQuery } from './entry.ts'

/** The facts of a request that queries compare. */
export type Facts = Pick<JournalEntry, 'operation' | 'method' | 'path' | 'status'>

/** The number of forgotten requests whose paths are stored. */
const MOST_PATHS = 10_000

/** The most characters of a stored path. */
const LONGEST_PATH = 256

const MOST_UNKNOWN = 20

/** A number of requests, and the most that it can be: their paths may be unknown. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** Requests with the same operation, method and status. */
interface Kind {
  readonly facts: Omit<Facts, 'path'>
  /** The path of each, as long as there is room. */
  readonly paths: string[]
  /** The number of requests without a stored path. */
  withoutPath: number
}

/** Counts of the requests that the journal no longer has, and the newest of those that the API does not know. */
export class Forgotten {
  readonly #kinds = new Map<string | null, readonly Kind[]>()
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

  add(facts: Facts): void {
    this.#size++
    const kind = this.#kindOf(facts)
    const hasRoom = this.#size <= MOST_PATHS && facts.path.length <= LONGEST_PATH
    if (hasRoom) kind.paths.push(facts.path)
    else kind.withoutPath++
  }

  #kindOf({ operation, method, status }: Facts): Kind {
    const ofOperation = this.#kinds.get(operation) ?? []
    for (const kind of ofOperation) if (kind.facts.method === method && kind.facts.status === status) return kind
    const kind = { facts: { operation, method, status }, paths: [], withoutPath: 0 }
    this.#kinds.set(operation, [...ofOperation, kind])
    return kind
  }

  addUnknown(entry: JournalEntry): void {
    this.#unknown.push({ ...entry, requestHeaders: {}, request: null, responseHeaders: {} })
    if (this.#unknown.length > MOST_UNKNOWN) this.#unknown.shift()
  }

  /** Counts the requests that agree with a query. */
  count(query: JournalQuery): Bounds {
    let least = 0
    let possible = 0
    for (const { facts, paths, withoutPath } of this.#allKinds()) {
      least += paths.filter((path) => isMatch({ ...facts, path }, query)).length
      if (!isMatch({ ...facts, path: query.path ?? '' }, query)) continue
      if (query.path === undefined) least += withoutPath
      else possible += withoutPath
    }
    return { least, most: least + possible }
  }

  countUnknown(): number {
    let found = 0
    for (const { facts, paths, withoutPath } of this.#allKinds()) {
      found += paths.filter((path) => isUnknown({ ...facts, path })).length
      if (isUnknown({ ...facts, path: '' })) found += withoutPath
    }
    return found
  }

  #allKinds(): readonly Kind[] {
    return [...this.#kinds.values()].flat()
  }

  clear(): void {
    this.#kinds.clear()
    this.#unknown = []
    this.#size = 0
  }
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
