import { manualClock } from '../core/engine/manual-clock.ts'
import type { Store, StoredCommit, StoredState } from '../core/operation/store.ts'
import { requireFunction } from '../core/schema/arguments.ts'
import { quote } from '../core/schema/text.ts'
import { createGateway } from '../gateway/gateway.ts'
import { requireRecords, requireSame, sorted, withArray } from './store-comparison.ts'

/** The location of a store's data, such as a file or a database. */
export interface StorePlace {
  /** Opens a store on this data, as after a restart. Earlier stores are no longer used. */
  open(): Store
  /** Closes the open store. Called before each further `open` and at the end of each check. */
  close?(): void
}

/** A check of one rule that every store must follow. */
export interface StoreCheck {
  /** The rule, as the rest of a sentence about the store, such as `is empty at first`. */
  readonly name: string
  /** Rejects if the store breaks the rule. */
  run(): Promise<void>
}

/**
 * Returns a named check for every rule that a store must follow. Run the checks on your own store, in any test runner. Each check uses a
 * new place.
 *
 * @example
 * ```ts
 * import { storeSuite } from 'fauxgate/testing'
 * import { test } from 'vitest' // or any other
 * for (const { name, run } of storeSuite(() => myPlace())) test(name, run)
 * ```
 * @throws TypeError for an argument that is not a function.
 */
export function storeSuite(newPlace: () => StorePlace): readonly StoreCheck[] {
  requireFunction('newPlace', newPlace)
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    async run() {
      const place = closingBeforeOpen(newPlace())
      try {
        await check(place)
      } finally {
        place.close()
      }
    },
  }))
}

/** Returns a place that closes the open store before opening another. */
function closingBeforeOpen(place: StorePlace): Required<StorePlace> {
  if (typeof place?.open !== 'function') {
    throw new TypeError(
      `newPlace returned ${quote(place)}. Allowed: an object with the function open and, optionally, close.`,
    )
  }
  let isOpen = false
  const close = () => {
    if (isOpen) place.close?.()
    isOpen = false
  }
  return {
    close,
    open() {
      close()
      isOpen = true
      return place.open()
    },
  }
}

const first = {
  operation: 'initial',
  now: 1_767_225_600_000.5,
  sequence: 3,
  operations: 1024,
  replaces: { version: 1, seed: 'a seed with "quotes", \u0000 and 🦊', fields: { one: ['size: number'] } },
  changes: [
    { collection: 'one', key: 'a_1', after: { id: 'a_1', text: 'x' } },
    { collection: 'one', key: 'a_2', after: { id: 'a_2', nested: { list: [1, null, { deep: true }] } } },
    { collection: 'two', key: 'a_1', after: { id: 'a_1' } },
  ],
} as const satisfies StoredCommit

const next = (changes: StoredCommit['changes'], sequence = 4): StoredCommit => {
  return { operation: 'one.update', now: first.now + 1, sequence, operations: 2048, changes }
}

/** A commit that cannot be written as JSON: its first record is valid, but its second is not. */
const UNWRITABLE = next([
  { collection: 'one', key: 'a_1', after: { id: 'a_1', text: 'lost' } },
  { collection: 'one', key: 'a_3', after: { toJSON: () => JSON.parse('This cannot be written.') } },
])

const LAST = [{ collection: 'one', key: 'a_4', after: { id: 'a_4' } }]

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

const CHECKS: Record<string, (place: StorePlace) => Promise<void>> = {
  async 'is empty at first'(place) {
    requireSame(place.open().load(), undefined)
    requireSame(place.open().load(), undefined)
  },

  async 'returns the first commit'(place) {
    await append(place, [first])
    const { now, sequence, operations } = first
    const { records, ...others } = stateOf(place.open())
    requireSame(sorted(others), sorted({ ...first.replaces, now, sequence, operations }))
    requireRecords(records, first.changes)
  },

  async 'returns the same state on every load'(place) {
    await append(place, [first])
    const store = place.open()
    requireSame(withArray(stateOf(store)), withArray(stateOf(store)))
  },

  async 'changes, adds and removes records, each in its own collection'(place) {
    const changes = [
      { collection: 'one', key: 'a_1', after: null },
      { collection: 'two', key: 'a_1', after: { id: 'a_1', changed: true } },
      { collection: 'three', key: 'a/b', after: {} },
      { collection: 'one', key: 'never there', after: null },
    ]
    await append(place, [first, next(changes)])
    const { records, now, sequence, operations, seed } = stateOf(place.open())
    requireRecords(records, [...first.changes.slice(1, 2), ...changes.slice(1, 3)])
    requireSame([now, sequence, operations], [first.now + 1, 4, 2048])
    requireSame(seed, first.replaces.seed)
  },

  async 'keeps a commit that changes no records'(place) {
    await append(place, [first, next([], 3)])
    const { records, now, operations } = stateOf(place.open())
    requireSame([now, operations], [first.now + 1, 2048])
    requireRecords(records, first.changes)
  },

  async 'discards everything before a commit that replaces the state'(place) {
    const changes = [{ collection: 'two', key: 'b', after: { id: 'b' } }]
    await append(place, [first, { ...next(changes, 0), operations: 5, replaces: { version: 1, seed: 'other' } }])
    const { records, seed, sequence, operations } = stateOf(place.open())
    requireRecords(records, changes)
    requireSame([seed, sequence, operations], ['other', 0, 5])
  },

  async 'resumes from its data each time it is opened'(place) {
    await append(place, [first])
    for (let n = 0; n < 3; n++) await append(place, [next([{ collection: 'n', key: `${n}`, after: { n } }])])
    const added = [0, 1, 2].map((n) => ({ collection: 'n', key: `${n}`, after: { n } }))
    requireRecords(stateOf(place.open()).records, [...first.changes, ...added])
  },

  async 'keeps any text, key and number'(place) {
    const texts = ['', "'", '"', '\\', '%', ';--', '\u0000', '\ud800', 'ü€😀', '\u2028', ' x ', '__proto__', 'NULL']
    const after = JSON.parse(JSON.stringify({ texts, numbers: [0, -1, 0.1, 2 ** 53, 1e300], __proto__: null }))
    const changes = texts.map((text, n) => ({ collection: `c${n}`, key: `k${text}`, after }))
    const { sequence } = await requireKept(place, changes, 62 ** 7 - 62 ** 6)
    requireSame(sequence, 62 ** 7 - 62 ** 6)
  },

  async 'keeps a record of a megabyte'(place) {
    const changes = [{ collection: 'one', key: 'large', after: { text: 'x'.repeat(2 ** 20) } }]
    await requireKept(place, changes)
  },

  async 'returns a thousand records, from one collection and from many'(place) {
    const changes = Array.from({ length: 1000 }, (_, n) => {
      return { collection: n < 600 ? 'one of many' : `c${n}`, key: `k${n}`, after: { n } }
    })
    await requireKept(place, changes)
  },

  async 'keeps the latest version of each record when many commits arrive at once'(place) {
    const change = (n: number) => ({ collection: 'many', key: `k${n % 7}`, after: { n } })
    const commits = Array.from({ length: 200 }, (_, n) => next([change(n)], 4 + n))
    await append(place, [first, ...commits])
    const last = [196, 197, 198, 199, 193, 194, 195].map(change)
    const { records, sequence } = stateOf(place.open())
    requireRecords(records, [...first.changes, ...last])
    requireSame(sequence, 203)
  },

  async 'returns copies of its records'(place) {
    await append(place, [first])
    const store = place.open()
    for (const { record } of stateOf(store).records) Object.assign(record, { id: 'changed' })
    requireRecords(stateOf(store).records, first.changes)
  },

  async 'keeps nothing of a commit that it cannot write, and keeps the commits after it'(place) {
    await append(place, [first])
    const store = loadedStore(place)
    const result = await resultOfAppend(store, UNWRITABLE)
    // A store may keep the objects themselves.
    if (result === 'kept') return
    if (result === 'lost') store.load()
    requireSame(await resultOfAppend(store, next(LAST)), 'kept')
    requireRecords(stateOf(place.open()).records, [...first.changes, ...LAST])
  },

  async 'accepts no commit after a loss until it is loaded again'(place) {
    await append(place, [first])
    const store = loadedStore(place)
    if ((await resultOfAppend(store, UNWRITABLE)) !== 'lost') return
    await resultOfAppend(store, next(LAST))
    requireRecords(stateOf(place.open()).records, first.changes)
  },

  async 'lets a gateway resume after a restart as if nothing had happened'(place) {
    const open = (store: Store) => createGateway({ store, clock: manualClock('2026-01-01T00:00:00Z'), seed: 'suite' })
    const twin = open({ load: () => undefined, append: () => undefined })
    const beginning = twin.snapshot()
    const steps: ((gateway: typeof twin) => unknown)[] = [
      (gateway) => gateway.reservedAddrs.create({ description: 'ü', metadata: '{"a": 1}' }),
      (gateway) =>
        gateway.reservedDomains.create({
          domain: 'app.example.com',
          certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
        }),
      (gateway) => gateway.provisioning.script(['DNS_ERROR', 'success']),
      (gateway) => gateway.clock.advance('1s'),
      (gateway) => gateway.clock.advance('29s'),
      (gateway) => gateway.clock.advance('100d'),
      (gateway) => gateway.compression.replace(ROUTE),
      (gateway) => gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: 'known to the store' }),
      (gateway) => gateway.reservedAddrs.delete(gateway.reservedAddrs.list().reserved_addrs[0]?.id ?? ''),
      (gateway) => gateway.restore(beginning),
      (gateway) => gateway.reservedAddrs.create(),
      (gateway) => gateway.reset(),
      (gateway) => gateway.dns.a('a.example.com', '192.0.2.1'),
    ]
    for (const step of steps) {
      const store = place.open()
      step(open(store))
      await store.flushed?.()
      step(twin)
      const again = place.open()
      requireSame(open(again).snapshot({ privateKeys: true }), twin.snapshot({ privateKeys: true }))
      await again.flushed?.()
    }
  },
}

/** Appends the first commit and a second one with these changes. Returns the state. It must contain the records of both commits. */
async function requireKept(place: StorePlace, changes: StoredCommit['changes'], sequence = 4): Promise<StoredState> {
  await append(place, [first, next(changes, sequence)])
  const state = stateOf(place.open())
  requireRecords(state.records, [...first.changes, ...changes])
  return state
}

/** Appends commits to a newly opened store. */
async function append(place: StorePlace, commits: readonly StoredCommit[]): Promise<void> {
  const store = loadedStore(place)
  for (const commit of commits) store.append(commit)
  await store.flushed?.()
}

function loadedStore(place: StorePlace): Store {
  const store = place.open()
  store.load()
  return store
}

/** Appends a commit. Returns `kept` if the store keeps it, `refused` if `append` throws, and `lost` if the flush fails. */
async function resultOfAppend(store: Store, commit: StoredCommit): Promise<'kept' | 'refused' | 'lost'> {
  let failure: 'refused' | 'lost' = 'refused'
  try {
    store.append(commit)
    failure = 'lost'
    await store.flushed?.()
    return 'kept'
  } catch {
    return failure
  }
}

function stateOf(store: Store): StoredState {
  const state = store.load()
  if (!state) throw new Error('The store is empty. Expected: the commits that were appended.')
  return state
}
