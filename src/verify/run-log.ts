const NAME_PREFIX = 'fauxgate-verify-'

/** Returns the prefix of each name that a run assigns. It marks the run's resources. */
export function markOf(run: string): string {
  return NAME_PREFIX + run
}

/**
 * An entry of the log of a run. `number` counts creations.
 * - `creating` is stored before a creation is sent, so that a crash leaves no unknown resource.
 * - `created` or `refused` is the result of a creation.
 * - `searched` is stored if a creation had no response, after the service's list was searched for its resource.
 * - `deleted` is stored after the deletion, once a GET has returned 404.
 */
export type RunLogEntry =
  | { readonly entry: 'run'; readonly run: string; readonly url: string; readonly dialect: string }
  | { readonly entry: 'creating'; readonly number: number; readonly path: string; readonly operation: string }
  | { readonly entry: 'created'; readonly number: number; readonly id: string }
  | { readonly entry: 'refused'; readonly number: number }
  | { readonly entry: 'deleted'; readonly id: string }
  | { readonly entry: 'searched'; readonly number: number }

/** The storage of the log. */
export interface RunLogStorage {
  /** Stores an entry before it returns. */
  add(entry: RunLogEntry): void
}

/** A resource created by a run. */
export interface CreatedResource {
  readonly id: string
  /** The path of the list that contains it. */
  readonly path: string
}

/** The resources that a run may have left behind. */
export interface Leftovers {
  /** Resources that the run created but did not see deleted, newest first. */
  readonly created: readonly CreatedResource[]
  /** Creations without a response, with the lists that may contain their resources. */
  readonly unsure: readonly { readonly number: number; readonly path: string }[]
}

/** Returns the resources that may be left, given the entries of one run. */
export function leftoversIn(entries: readonly RunLogEntry[]): Leftovers {
  const paths = new Map<number, string>()
  const unsure = new Set<number>()
  const created = new Map<string, string>()
  for (const each of entries) {
    if (each.entry === 'creating') {
      paths.set(each.number, each.path)
      unsure.add(each.number)
    } else if (each.entry === 'deleted') {
      created.delete(each.id)
    } else if (each.entry !== 'run') {
      unsure.delete(each.number)
      if (each.entry === 'created') created.set(each.id, paths.get(each.number) ?? '')
    }
  }
  return {
    created: [...created].map(([id, path]) => ({ id, path })).reverse(),
    unsure: [...unsure].map((number) => ({ number, path: paths.get(number) ?? '' })),
  }
}

/** The log of a run, in memory and in its storage. */
export class RunLog {
  readonly #entries: RunLogEntry[]
  readonly #created = new Set<string>()
  readonly #storage: RunLogStorage
  #creations = 0

  constructor(storage: RunLogStorage, entries: readonly RunLogEntry[] = []) {
    this.#storage = storage
    this.#entries = []
    for (const entry of entries) this.#note(entry)
  }

  /** Records the result of a creation or a deletion. */
  add(entry: RunLogEntry): void {
    this.#storage.add(entry)
    this.#note(entry)
  }

  #note(entry: RunLogEntry): void {
    this.#entries.push(entry)
    if (entry.entry === 'created') this.#created.add(entry.id)
  }

  /** Records a creation before it is sent, and returns its number. */
  addCreation(operation: string, path: string): number {
    const number = ++this.#creations
    this.add({ entry: 'creating', number, path, operation })
    return number
  }

  get hasCreations(): boolean {
    return this.#creations > 0
  }

  get leftovers(): Leftovers {
    return leftoversIn(this.#entries)
  }

  /** Returns true if a run created the resource with this ID, even if it has since been deleted. */
  hasCreated(id: string): boolean {
    return this.#created.has(id)
  }
}
