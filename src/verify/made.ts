/** The prefix of each name that a run gives. The id of the run follows the prefix. */
export const MARK = 'fauxgate-verify-'

/**
 * An entry of the list of resources that a run makes. It is stored before the call, so that a crash leaves nothing
 * unknown.
 * - `asking` comes before a creation, and `made` or `refused` after it.
 * - `looked` says that the list of the service has shown what came of a creation without an answer.
 * - `gone` says that a GET after the deletion has answered 404.
 */
export type MadeEntry =
  | { readonly entry: 'run'; readonly run: string; readonly url: string; readonly dialect: string }
  | { readonly entry: 'asking'; readonly n: number; readonly path: string; readonly operation: string }
  | { readonly entry: 'made'; readonly n: number; readonly id: string }
  | { readonly entry: 'refused'; readonly n: number }
  | { readonly entry: 'gone'; readonly id: string }
  | { readonly entry: 'looked'; readonly n: number }

/** The storage of the entries. */
export interface MadeList {
  /** Stores an entry before it returns. */
  add(entry: MadeEntry): void
}

/** A resource that a run has made. */
export interface Made {
  readonly id: string
  /** The path of the list that it is in. */
  readonly path: string
}

/** The resources that a run may have left. */
export interface Left {
  /** Resources that it made and did not see deleted, newest first. */
  readonly made: readonly Made[]
  /** Creations without an answer, with the lists that may have their resources. */
  readonly unsure: readonly { readonly n: number; readonly path: string }[]
}

/** Returns the resources that may be left, by the entries of one run. */
export function leftIn(entries: readonly MadeEntry[]): Left {
  const paths = new Map<number, string>()
  const open = new Set<number>()
  const made = new Map<string, string>()
  for (const each of entries) {
    if (each.entry === 'asking') {
      paths.set(each.n, each.path)
      open.add(each.n)
    } else if (each.entry === 'gone') {
      made.delete(each.id)
    } else if (each.entry !== 'run') {
      open.delete(each.n)
      if (each.entry === 'made') made.set(each.id, paths.get(each.n) ?? '')
    }
  }
  return {
    made: [...made].map(([id, path]) => ({ id, path })).reverse(),
    unsure: [...open].map((n) => ({ n, path: paths.get(n) ?? '' })),
  }
}

/** The entries of a run, in memory and in the list that stores each entry. */
export class MadeEntries {
  readonly #entries: MadeEntry[] = []
  readonly #list: MadeList
  #asked = 0

  constructor(list: MadeList, entries: readonly MadeEntry[] = []) {
    this.#list = list
    this.#entries.push(...entries)
  }

  /** Notes the result of a creation or a deletion. */
  add(entry: MadeEntry): void {
    this.#list.add(entry)
    this.#entries.push(entry)
  }

  /** Notes a creation before it is sent, and returns its number. */
  asking(operation: string, path: string): number {
    const n = ++this.#asked
    this.add({ entry: 'asking', n, path, operation })
    return n
  }

  get left(): Left {
    return leftIn(this.#entries)
  }

  /** Returns true if a run has made the resource with this id, even if the resource is deleted by now. */
  hasMade(id: string): boolean {
    return this.#entries.some((each) => each.entry === 'made' && each.id === id)
  }
}
