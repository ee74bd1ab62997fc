/** The beginning of each name that a run gives; the run's own part follows. */
export const MARK = 'fauxgate-verify-'

/**
 * An entry of the list of what a run makes. It is kept before the call, so that a crash leaves nothing unknown.
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

/** Where the entries are kept. */
export interface MadeList {
  /** Keeps an entry before it returns. */
  add(entry: MadeEntry): void
}

/** A thing that a run has made. */
export interface Made {
  readonly id: string
  /** The path of the list that it is in. */
  readonly path: string
}

/** What may be left of a run. */
export interface Left {
  /** Things that it has made and not seen go, newest first. */
  readonly made: readonly Made[]
  /** Creations without an answer: the lists in which something of them may be. */
  readonly unsure: readonly { readonly n: number; readonly path: string }[]
}

/** Returns what may be left, by the entries of one run. */
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

/** The entries of a run, in memory and where else they are kept. */
export class MadeEntries {
  readonly #entries: MadeEntry[] = []
  readonly #list: MadeList
  #asked = 0

  constructor(list: MadeList, entries: readonly MadeEntry[] = []) {
    this.#list = list
    this.#entries.push(...entries)
  }

  /** Notes what came of a creation or a deletion. */
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

  /** Returns whether a run has made the thing of an id, be it there or gone. */
  hasMade(id: string): boolean {
    return this.#entries.some((each) => each.entry === 'made' && each.id === id)
  }
}
