import { describe, expect, it } from 'vitest'
import type { Store, StoredCommit, StoredState } from '../../src/index.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'

/** The flaw of a store: it changes what it receives or gives back. */
interface Flaw {
  /** Returns the commit that is kept in place of an appended one; undefined if none is. */
  readonly kept?: (commit: StoredCommit, before: readonly StoredCommit[]) => StoredCommit | undefined
  /** Returns the state that a load gives; `times` counts the loads of this place. */
  readonly loaded?: (state: StoredState | undefined, times: number, timesSinceOpened: number) => StoredState | undefined
  /** Returns the commits that a place still has when it is opened again. */
  readonly opened?: (commits: readonly StoredCommit[]) => readonly StoredCommit[]
}

function placeWith({ kept = (commit) => commit, loaded = (state) => state, opened = (all) => all }: Flaw): StorePlace {
  let commits: readonly StoredCommit[] = []
  let times = 0
  return {
    open(): Store {
      const store = memoryStore(opened(commits))
      let timesSinceOpened = 0
      return {
        load: () => loaded(store.load(), ++times, ++timesSinceOpened),
        append(commit) {
          const left = kept(commit, store.commits)
          if (left) store.append(left)
          commits = store.commits
        },
      }
    },
  }
}

/** The checks that a store does not pass, each with what it says; of all, or of some. */
async function failuresOf(newPlace: () => StorePlace, ...checks: string[]): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const all = storeSuite(newPlace)
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(checks))
  for (const { name, run } of all) {
    if (checks.length === 0 || checks.includes(name))
      await run().catch((error: Error) => failures.set(name, error.message))
  }
  return failures
}

/** Commits with each change, or without it. */
const changing =
  (
    each: (change: StoredCommit['changes'][number]) => StoredCommit['changes'][number] | undefined,
  ): NonNullable<Flaw['kept']> =>
  (commit) => ({ ...commit, changes: commit.changes.flatMap((change) => each(change) ?? []) })

/** Everything in a JSON value that is a text, or a number, and its keys, changed. */
function withScalars<T>(value: T, changed: (scalar: string | number) => unknown): T {
  const map = (each: unknown): unknown => {
    if (typeof each === 'string' || typeof each === 'number') return changed(each)
    if (Array.isArray(each)) return each.map(map)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [changed(key), map(part)]))
  }
  return map(value) as T
}

const withoutDepth = (record: object | null) =>
  record && Object.fromEntries(Object.entries(record).filter(([, part]) => typeof part !== 'object'))

/** Texts as a careless store keeps them. */
const texts = (careless: (text: string) => unknown): Flaw => ({
  kept: changing((change) => ({
    ...change,
    key: String(careless(change.key)),
    after: withScalars(change.after, (each) => (typeof each === 'string' ? careless(each) : each)),
  })),
})

const numbers = (careless: (number: number) => number): Flaw => ({
  kept: changing((change) => ({
    ...change,
    after: withScalars(change.after, (each) => (typeof each === 'number' ? careless(each) : each)),
  })),
})

const fact = (change: (state: StoredState) => Partial<StoredState>): Flaw => ({
  loaded: (state) => state && { ...state, ...change(state) },
})

const EMPTY: StoredState = { version: 1, seed: '', now: 0, sequence: 0, operations: 0, records: [] }

const ANY_TEXT = 'keeps any text, key and number'
const CHANGES = 'changes, adds and removes records, each in its own collection'
const FIRST = 'gives back the first commit'
const REPLACES = 'forgets everything from before a commit that replaces it'
const RESTART = 'lets a gateway continue after a restart as if there had been none'

const MANY = 'keeps many commits that come at once, the last word on each record'

type StoredChange = StoredCommit['changes'][number]

const isNewTo =
  (before: readonly StoredCommit[]) =>
  ({ collection, key }: StoredChange) =>
    !before.some(({ changes }) => changes.some((each) => each.collection === collection && each.key === key))

/** A flaw in each kept change: `undefined` loses the change. */
const inChanges = (each: (change: StoredChange) => StoredChange | undefined): Flaw => ({ kept: changing(each) })

const inCommits = (kept: NonNullable<Flaw['kept']>): Flaw => ({ kept })

const largestOf = (commits: readonly StoredCommit[], name: 'sequence' | 'operations') =>
  Math.max(...commits.map((each) => each[name]))

/** The flaws that each check finds, by their names. */
const FLAWS: Readonly<Record<string, Readonly<Record<string, Flaw>>>> = {
  'is empty at the beginning': { 'begins with a state': { loaded: (state) => state ?? EMPTY } },
  [FIRST]: {
    forgets: { loaded: () => undefined },
    'loses the version': fact(() => ({ version: 0 })),
    'ends the seed at a NUL': fact(({ seed }) => ({ seed: seed.split('\u0000')[0] as string })),
    'keeps whole milliseconds': fact(({ now }) => ({ now: Math.floor(now) })),
    'loses the sequence': fact(() => ({ sequence: 0 })),
    'loses the operations': fact(() => ({ operations: 0 })),
    'keeps other facts than it received': fact(() => ({ operation: 'initial' }) as object),
    'loses a record': fact(({ records }) => ({ records: [...records].slice(1) })),
    'keeps one level of a record': inChanges((change) => ({ ...change, after: withoutDepth(change.after) })),
  },
  'gives back the same at every load': {
    'gives its state once': { loaded: (state, _times, sinceOpened) => (sinceOpened > 1 ? undefined : state) },
  },
  [CHANGES]: {
    'removes nothing': inChanges((change) => (change.after === null ? undefined : change)),
    'changes no record that it has': inCommits((commit, before) => {
      const isNew = isNewTo(before)
      return { ...commit, changes: commit.changes.filter((each) => each.after === null || isNew(each)) }
    }),
    'has one collection': inChanges((change) => ({ ...change, collection: 'all' })),
    'takes a slash for a folder': inChanges((change) => ({ ...change, key: change.key.replace('/', '_') })),
    'keeps no empty record': inChanges((change) => (JSON.stringify(change.after) === '{}' ? undefined : change)),
    'makes a record of a removed one that it never had': inChanges((change) =>
      change.key === 'never there' ? { ...change, after: {} } : change,
    ),
    'keeps the first time': inCommits((commit, [first]) => ({ ...commit, now: (first ?? commit).now })),
    'keeps the first sequence': inCommits((commit, [first]) => ({ ...commit, sequence: (first ?? commit).sequence })),
  },
  'keeps a commit that changes no record': {
    'keeps no commit without a change': inCommits((commit) => (commit.changes.length === 0 ? undefined : commit)),
  },
  [REPLACES]: {
    'replaces nothing': inCommits(({ replaces, ...rest }, before) =>
      replaces && before.length === 0 ? { ...rest, replaces } : rest,
    ),
    'lets its sequence only grow': inCommits((commit, before) => {
      return { ...commit, sequence: largestOf([...before, commit], 'sequence') }
    }),
    'lets its operations only grow': inCommits((commit, before) => {
      return { ...commit, operations: largestOf([...before, commit], 'operations') }
    }),
  },
  'continues from its data, each time that it is opened': {
    'keeps two commits': inCommits((commit, before) => (before.length > 2 ? undefined : commit)),
  },
  [ANY_TEXT]: {
    'takes an empty text for none': texts((text) => (text === '' ? 'none' : text)),
    'takes "NULL" for none': texts((text) => (text === 'NULL' ? null : text)),
    'changes lone surrogates': texts((text) => text.replace(/[\ud800-\udfff]/gu, '\ufffd')),
    'takes texts for ASCII': texts((text) => text.replace(/[^ -~]/g, '?')),
    ...Object.fromEntries(
      ["'", '"', '\\', '%', ';--', '\u0000', '\u2028', '__proto__'].map((part) => {
        return [`cannot keep ${JSON.stringify(part)}`, texts((text) => text.replaceAll(part, ''))]
      }),
    ),
    'trims keys': inChanges((change) => ({ ...change, key: change.key.trim() })),
    'knows no number below 0': numbers(Math.abs),
    'takes 0 for nothing': numbers((number) => number || 1),
    'knows integers only': numbers(Math.round),
    'knows numbers of 53 bits only': numbers((number) => Math.min(number, 2 ** 53 - 1)),
    'has a sequence of 32 bits': fact(({ sequence }) => ({ sequence: sequence % 2 ** 32 })),
  },
  'keeps a record of a megabyte': {
    'has room for 100 KB': inChanges((change) => (JSON.stringify(change.after).length > 1e5 ? undefined : change)),
  },
  [MANY]: {
    'has room for 100 commits': inCommits((commit, before) => (before.length < 100 ? commit : undefined)),
    'stays with the first word on a record of several': inCommits((commit, before) => {
      const [change] = commit.changes
      return change?.collection === 'many' && !isNewTo(before)(change) ? { ...commit, changes: [] } : commit
    }),
  },
  [RESTART]: { 'keeps no secret': texts((text) => (text === 'known to the store' ? 'hidden' : text)) },
}

const cases = Object.entries(FLAWS).flatMap(([check, flaws]) =>
  Object.entries(flaws).map(([what, flaw]) => [what, check, flaw] as const),
)

describe('The suite of stores finds a store that', () => {
  it.each(cases)('%s: it does not pass "%s"', async (_what, check, flaw) => {
    expect(await failuresOf(() => placeWith({}), check)).toEqual(new Map())
    expect([...(await failuresOf(() => placeWith(flaw), check)).keys()]).toEqual([check])
  })

  it('gives back the same record objects again', async () => {
    const place = () => {
      const store = memoryStore()
      let state: StoredState | undefined
      return { open: () => ({ ...store, load: () => (state = state ?? store.load()) }) }
    }
    const check = 'gives back copies of its records'
    expect((await failuresOf(place, check)).get(check)).toContain('changed')
  })

  it.each([
    ...['reserved_addrs.create', 'reserved_domains.create', 'control', 'clock', 'provisioning'],
    ...['compression.replace', 'reserved_addrs.delete', 'restore', 'reset'],
  ])('loses what %s did', async (operation) => {
    const flaw: Flaw = { kept: (commit) => (commit.operation === operation ? undefined : commit) }
    expect([...(await failuresOf(() => placeWith(flaw))).keys()]).toEqual([RESTART])
  })

  it.each<[string, (commit: StoredCommit) => boolean]>([
    ['the zone', ({ changes }) => changes.some(({ collection }) => collection === 'dns_records')],
    ['an attempt that failed', ({ now }) => now === Date.parse('2026-01-01T00:00:30Z')],
  ])('loses what became of %s', async (_what, isLost) => {
    const flaw: Flaw = { kept: (commit) => (isLost(commit) ? undefined : commit) }
    expect([...(await failuresOf(() => placeWith(flaw))).keys()]).toEqual([RESTART])
  })
})

describe('The suite of stores finds a store that writes at its flush and', () => {
  const WHOLE = 'keeps nothing of a commit that it cannot write, and keeps what comes after it'
  const LOSS = 'takes no commit after a loss, until it is loaded'

  const isWritable = ({ after }: StoredChange) => {
    try {
      return JSON.stringify(after) !== ''
    } catch {
      return false
    }
  }

  interface Carelessness {
    readonly writesNothing?: boolean
    readonly keepsParts?: boolean
    readonly takesMoreAfterLoss?: boolean
    readonly takesNothingAfterLoad?: boolean
  }

  function place(careless: Carelessness): StorePlace {
    const safe = memoryStore()
    const write = (commit: StoredCommit) => {
      const changes = commit.changes.filter(isWritable)
      const isWhole = changes.length === commit.changes.length
      if (isWhole || careless.keepsParts) safe.append({ ...commit, changes })
      if (!isWhole) throw new Error('a record cannot be written')
    }
    return {
      open(): Store {
        let waiting: StoredCommit[] = []
        let isLost = false
        return {
          load() {
            isLost &&= careless.takesNothingAfterLoad === true
            return safe.load()
          },
          append(commit) {
            if (isLost && !careless.takesMoreAfterLoss) throw new Error('load the store first')
            waiting.push(commit)
          },
          async flushed() {
            const group = careless.writesNothing ? [] : waiting
            waiting = []
            try {
              group.forEach(write)
            } catch (error) {
              isLost = true
              throw error
            }
          },
        }
      },
    }
  }

  it.each<[string, Carelessness, string[]]>([
    ['keeps a part of a commit', { keepsParts: true }, [WHOLE, LOSS]],
    ['takes more after a loss', { takesMoreAfterLoss: true }, [LOSS]],
    ['takes nothing after a loss, not even once it is loaded', { takesNothingAfterLoad: true }, [WHOLE]],
  ])('%s', async (_what, careless, checks) => {
    expect(await failuresOf(() => place({}))).toEqual(new Map())
    expect([...(await failuresOf(() => place(careless))).keys()]).toEqual(checks)
  })

  it('says that commits are safe before they are', async () => {
    const [, ...names] = storeSuite(() => place({})).map(({ name }) => name)
    const failed = await failuresOf(() => place({ writesNothing: true }))
    expect([...failed.keys()]).toEqual(names.filter((name) => name !== WHOLE && name !== LOSS))
  })
})

describe('The suite of stores', () => {
  it('says what a store has, and what was wanted', async () => {
    const failures = await failuresOf(() => placeWith({ loaded: () => undefined }))
    const late = await failuresOf(() => placeWith(fact(({ now }) => ({ now: now + 1 }))))
    expect(late.get('keeps a commit that changes no record')).toBe(
      'The store has [1767225600002.5,2048]. Wanted: [1767225600001.5,2048].',
    )
    expect(failures.get('keeps a commit that changes no record')).toBe(
      'The store is empty. Wanted: the commits that were appended.',
    )
  })

  it('says no more than 2,000 characters of either', async () => {
    const failures = await failuresOf(() => placeWith({ kept: changing((change) => ({ ...change, key: 'same' })) }))
    const message = failures.get('keeps a record of a megabyte') ?? ''
    expect(message).toMatch(/^The store has .*x{500}…\. Wanted: .*x{500}…\.$/)
    expect(message.length).toBeLessThan(4100)
  })

  it('has one store of a place open at a time, and none at the end', async () => {
    const log: string[] = []
    const newPlace = () => {
      const { open } = placeWith({ loaded: (state, times) => (times === 3 ? undefined : state) })
      log.push('place')
      return {
        open: () => {
          log.push('open')
          return open()
        },
        close: () => void log.push('close'),
      }
    }
    const checks = storeSuite(newPlace)
    expect(log).toEqual([])
    for (const { run } of checks) await run().catch(() => undefined)
    const lives = log.join(' ').split(/(?=place)/)
    expect(lives).toHaveLength(checks.length)
    for (const life of lives) expect(life).toMatch(/^place( open close)+ ?$/)
  })
})
