import { describe, expect, it } from 'vitest'
import type { Store, StoredCommit, StoredState } from '../../src/index.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { findStoreFailures } from './store-failures.ts'

/** The flaw of a store, which changes what it receives or returns. */
interface Flaw {
  /** Returns the commit that the store appends in the place of another one; undefined if none. */
  readonly append?: (commit: StoredCommit, before: readonly StoredCommit[]) => StoredCommit | undefined
  /** Returns the state that the store loads in the place of another one; `times` counts the loads of this place. */
  readonly load?: (state: StoredState | undefined, times: number, timesSinceOpened: number) => StoredState | undefined
}

function createPlace({ append = (commit) => commit, load = (state) => state }: Flaw): StorePlace {
  let commits: readonly StoredCommit[] = []
  let times = 0
  return {
    open(): Store {
      const store = memoryStore(commits)
      let timesSinceOpened = 0
      return {
        load: () => load(store.load(), ++times, ++timesSinceOpened),
        append(commit) {
          const changed = append(commit, store.commits)
          if (changed) store.append(changed)
          commits = store.commits
        },
      }
    },
  }
}

type StoredChange = StoredCommit['changes'][number]

/** Returns a flaw in each appended change; `undefined` loses the change. */
const mapChanges = (alter: (change: StoredChange) => StoredChange | undefined): Flaw => ({
  append: (commit) => ({ ...commit, changes: commit.changes.flatMap((change) => alter(change) ?? []) }),
})

const mapCommits = (append: NonNullable<Flaw['append']>): Flaw => ({ append })

/** Returns a JSON value with other texts, numbers and keys. */
function mapScalars<T>(value: T, alter: (scalar: string | number) => unknown): T {
  const map = (each: unknown): unknown => {
    if (typeof each === 'string' || typeof each === 'number') return alter(each)
    if (Array.isArray(each)) return each.map(map)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [alter(key), map(part)]))
  }
  return map(value) as T
}

const dropNested = (record: object | null) =>
  record && Object.fromEntries(Object.entries(record).filter(([, part]) => typeof part !== 'object'))

const mapTexts = (alter: (text: string) => unknown) =>
  mapChanges((change) => ({
    ...change,
    key: String(alter(change.key)),
    after: mapScalars(change.after, (each) => (typeof each === 'string' ? alter(each) : each)),
  }))

const mapNumbers = (alter: (number: number) => number) =>
  mapChanges((change) => ({
    ...change,
    after: mapScalars(change.after, (each) => (typeof each === 'number' ? alter(each) : each)),
  }))

const mapState = (alter: (state: StoredState) => Partial<StoredState>): Flaw => ({
  load: (state) => state && { ...state, ...alter(state) },
})

const EMPTY: StoredState = { version: 1, seed: '', now: 0, sequence: 0, operations: 0, records: [] }

const ANY_TEXT = 'keeps any text, key and number'
const CHANGES = 'changes, adds and removes records, each in its own collection'
const FIRST = 'returns the first commit'
const REPLACES = 'discards everything before a commit that replaces the state'
const RESTART = 'lets a gateway resume after a restart as if nothing had happened'

const MANY = 'keeps the latest version of each record when many commits arrive at once'

const isNewTo =
  (before: readonly StoredCommit[]) =>
  ({ collection, key }: StoredChange) =>
    !before.some(({ changes }) => changes.some((each) => each.collection === collection && each.key === key))

const findLargest = (commits: readonly StoredCommit[], name: 'sequence' | 'operations') =>
  Math.max(...commits.map((each) => each[name]))

/** The flaws that each check finds, by name. */
const FLAWS: Readonly<Record<string, Readonly<Record<string, Flaw>>>> = {
  'is empty at first': { 'begins with a state': { load: (state) => state ?? EMPTY } },
  [FIRST]: {
    forgets: { load: () => undefined },
    'loses the version': mapState(() => ({ version: 0 })),
    'ends the seed at a NUL': mapState(({ seed }) => ({ seed: seed.split('\u0000')[0] as string })),
    'keeps whole milliseconds': mapState(({ now }) => ({ now: Math.floor(now) })),
    'loses the sequence': mapState(() => ({ sequence: 0 })),
    'loses the operations': mapState(() => ({ operations: 0 })),
    'keeps other facts than it received': mapState(() => ({ operation: 'initial' }) as object),
    'loses a record': mapState(({ records }) => ({ records: [...records].slice(1) })),
    'keeps one level of a record': mapChanges((change) => ({ ...change, after: dropNested(change.after) })),
  },
  'returns the same state on every load': {
    'gives its state once': { load: (state, _times, sinceOpened) => (sinceOpened > 1 ? undefined : state) },
  },
  [CHANGES]: {
    'removes nothing': mapChanges((change) => (change.after === null ? undefined : change)),
    'changes no record that it has': mapCommits((commit, before) => {
      const isNew = isNewTo(before)
      return { ...commit, changes: commit.changes.filter((each) => each.after === null || isNew(each)) }
    }),
    'has one collection': mapChanges((change) => ({ ...change, collection: 'all' })),
    'takes a slash for a folder': mapChanges((change) => ({ ...change, key: change.key.replace('/', '_') })),
    'keeps no empty record': mapChanges((change) => (JSON.stringify(change.after) === '{}' ? undefined : change)),
    'makes a record of a removed one that it never had': mapChanges((change) =>
      change.key === 'never there' ? { ...change, after: {} } : change,
    ),
    'keeps the first time': mapCommits((commit, [first]) => ({ ...commit, now: (first ?? commit).now })),
    'keeps the first sequence': mapCommits((commit, [first]) => ({ ...commit, sequence: (first ?? commit).sequence })),
  },
  'keeps a commit that changes no records': {
    'keeps no commit without a change': mapCommits((commit) => (commit.changes.length === 0 ? undefined : commit)),
  },
  [REPLACES]: {
    'replaces nothing': mapCommits(({ replaces, ...rest }, before) =>
      replaces && before.length === 0 ? { ...rest, replaces } : rest,
    ),
    'lets its sequence only grow': mapCommits((commit, before) => {
      return { ...commit, sequence: findLargest([...before, commit], 'sequence') }
    }),
    'lets its operations only grow': mapCommits((commit, before) => {
      return { ...commit, operations: findLargest([...before, commit], 'operations') }
    }),
  },
  'resumes from its data each time it is opened': {
    'keeps two commits': mapCommits((commit, before) => (before.length > 2 ? undefined : commit)),
  },
  [ANY_TEXT]: {
    'takes an empty text for none': mapTexts((text) => (text === '' ? 'none' : text)),
    'takes "NULL" for none': mapTexts((text) => (text === 'NULL' ? null : text)),
    'changes lone surrogates': mapTexts((text) => text.replace(/[\ud800-\udfff]/gu, '\ufffd')),
    'takes texts for ASCII': mapTexts((text) => text.replace(/[^ -~]/g, '?')),
    ...Object.fromEntries(
      ["'", '"', '\\', '%', ';--', '\u0000', '\u2028', '__proto__'].map((part) => {
        return [`cannot keep ${JSON.stringify(part)}`, mapTexts((text) => text.replaceAll(part, ''))]
      }),
    ),
    'trims keys': mapChanges((change) => ({ ...change, key: change.key.trim() })),
    'knows no number below 0': mapNumbers(Math.abs),
    'takes 0 for nothing': mapNumbers((number) => number || 1),
    'knows integers only': mapNumbers(Math.round),
    'knows numbers of 53 bits only': mapNumbers((number) => Math.min(number, 2 ** 53 - 1)),
    'has a sequence of 32 bits': mapState(({ sequence }) => ({ sequence: sequence % 2 ** 32 })),
  },
  'keeps a record of a megabyte': {
    'has room for 100 KB': mapChanges((change) => (JSON.stringify(change.after).length > 1e5 ? undefined : change)),
  },
  [MANY]: {
    'has room for 100 commits': mapCommits((commit, before) => (before.length < 100 ? commit : undefined)),
    'stays with the first word on a record of several': mapCommits((commit, before) => {
      const [change] = commit.changes
      return change?.collection === 'many' && !isNewTo(before)(change) ? { ...commit, changes: [] } : commit
    }),
  },
  [RESTART]: { 'keeps no secret': mapTexts((text) => (text === 'known to the store' ? 'hidden' : text)) },
}

const cases = Object.entries(FLAWS).flatMap(([check, flaws]) =>
  Object.entries(flaws).map(([what, flaw]) => [what, check, flaw] as const),
)

describe('The suite of stores finds a store that', () => {
  it.each(cases)('%s: it does not pass "%s"', async (_what, check, flaw) => {
    expect(await findStoreFailures(() => createPlace({}), check)).toEqual(new Map())
    expect([...(await findStoreFailures(() => createPlace(flaw), check)).keys()]).toEqual([check])
  })

  it('gives back the same record objects again', async () => {
    const place = () => {
      const store = memoryStore()
      let state: StoredState | undefined
      return { open: () => ({ ...store, load: () => (state = state ?? store.load()) }) }
    }
    const check = 'returns copies of its records'
    expect((await findStoreFailures(place, check)).get(check)).toContain('changed')
  })

  it.each([
    ...['reserved_addrs.create', 'reserved_domains.create', 'control', 'clock', 'reserved_domains.due'],
    ...['compression.replace', 'reserved_addrs.delete', 'restore', 'reset'],
  ])('loses what %s did', async (operation) => {
    const flaw: Flaw = { append: (commit) => (commit.operation === operation ? undefined : commit) }
    expect([...(await findStoreFailures(() => createPlace(flaw))).keys()]).toEqual([RESTART])
  })

  it.each<[string, (commit: StoredCommit) => boolean]>([
    ['the zone', ({ changes }) => changes.some(({ collection }) => collection === 'dns_records')],
    ['an attempt that failed', ({ now }) => now === Date.parse('2026-01-01T00:00:30Z')],
  ])('loses what became of %s', async (_what, isLost) => {
    const flaw: Flaw = { append: (commit) => (isLost(commit) ? undefined : commit) }
    expect([...(await findStoreFailures(() => createPlace(flaw))).keys()]).toEqual([RESTART])
  })
})

describe('The suite of stores', () => {
  it('says what a store has, and what was wanted', async () => {
    const failures = await findStoreFailures(() => createPlace({ load: () => undefined }))
    const lateFailures = await findStoreFailures(() => createPlace(mapState(({ now }) => ({ now: now + 1 }))))
    expect(lateFailures.get('keeps a commit that changes no records')).toBe(
      'The store has [1767225600002.5,2048]. Expected: [1767225600001.5,2048].',
    )
    expect(failures.get('keeps a commit that changes no records')).toBe(
      'The store is empty. Expected: the commits that were appended.',
    )
  })

  it('shows at most 2,000 characters of each state', async () => {
    const failures = await findStoreFailures(() => createPlace(mapChanges((change) => ({ ...change, key: 'same' }))))
    const message = failures.get('keeps a record of a megabyte') ?? ''
    expect(message).toMatch(/^The store has .*x{500}…\. Expected: .*x{500}…\.$/)
    expect(message.length).toBeLessThan(4100)
  })

  it('has one store of a place open at a time, and none at the end', async () => {
    const log: string[] = []
    const newPlace = () => {
      const { open } = createPlace({ load: (state, times) => (times === 3 ? undefined : state) })
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
    const sessions = log.join(' ').split(/(?=place)/)
    expect(sessions).toHaveLength(checks.length)
    for (const session of sessions) expect(session).toMatch(/^place( open close)+ ?$/)
  })
})
