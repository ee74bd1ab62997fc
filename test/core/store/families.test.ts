import * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import type { Families } from '../../../src/core/operation/family.ts'
import { outlineRecord } from '../../../src/core/schema/record-outline.ts'
import { createGateway, type StoredCommit } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import * as kit from '../../../src/service/kit/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { runToEnd } from '../../support/command.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { newFile, testSqlite } from '../../support/sqlite.ts'

/** Makes a family whose records have these fields in addition to the usual ones. */
function createNotes(fields: Readonly<Record<string, v.GenericSchema>> = {}, prefix = 'note') {
  const schema = v.object({
    ...kit.recordHead(prefix, { description: kit.description, metadata: kit.metadata }),
    ...fields,
  })
  const records = kit.collection({ name: 'notes', schema })
  const add = kit.operation({
    name: 'notes.add',
    method: 'POST',
    path: '/notes',
    status: 204,
    summary: 'Add a note',
    ids: {},
    run: (tx) => void tx.put(records, kit.newHead(tx, prefix)),
  })
  return { notes: kit.familyOf({ operations: { add }, errors: {}, prefix, collections: [records] }) }
}

/** Returns the commits of a store after a gateway with these families has used it. */
function write(families: Partial<ReturnType<typeof createNotes>>, commits: readonly StoredCommit[] = []) {
  const store = memoryStore(commits)
  const gateway = createGateway({ store, families })
  gateway.reservedAddrs.create({ description: 'kept' })
  gateway.dispose()
  return store.commits
}

const open = (commits: readonly StoredCommit[], families = {}) =>
  createGateway({ store: memoryStore(commits), families })

const MISSING =
  'This gateway has no family for the store\'s collection "notes". Use the dialect, families, and authorityKeys of the gateway that wrote it, with the same or a newer version of fauxgate.'

// rules: stores#versions
describe('A store with further families or fields than those of the gateway that opens it', () => {
  it('is rejected by the name of the family, although it has no record of it', () => {
    const commits = write(createNotes())
    const store = memoryStore(commits)
    expect(() => createGateway({ store })).toThrow(MISSING)
    expect(store.commits).toEqual(commits)
    expect(open(commits, createNotes()).reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })

  it.each([
    ['a field', { size: v.optional(v.number()) }, 'size: nothing'],
    ['a field of a part', { box: v.object({ size: v.number() }) }, 'box.size: number'],
    ['a field of items', { parts: v.array(v.object({ size: v.string() })) }, 'parts[].size: string'],
    ['a kind of value', { color: v.nullable(v.picklist(['red'])) }, 'color: null'],
    ['a value', { color: v.picklist(['red', 'blue']) }, 'color: "blue"'],
  ])('is rejected if it may have %s that the gateway does not know', (_, fields, line) => {
    const known = createNotes({ color: v.picklist(['red']) })
    expect(() => open(write(createNotes(fields)), known)).toThrow(
      `The store may contain "notes" records with ${line}, which this version of fauxgate doesn't support. Use the version that wrote the store, or a newer one.`,
    )
  })

  it('is opened if only the order, the words or the bounds of its fields differ', () => {
    const name = v.pipe(v.string(), v.maxLength(9, 'at most 9 letters'))
    const commits = write(createNotes({ name, size: v.number() }))
    const other = createNotes({
      size: kit.documented(v.pipe(v.number(), v.minValue(1)), 'The size.'),
      name: v.string(),
    })
    expect(open(commits, other).reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })
})

describe('A store with fewer families or fields than those of the gateway that opens it', () => {
  const newer = createNotes({ size: v.optional(v.number(), 1) })

  it('is opened, has the new ones from the next commit, and is then rejected by the older gateway', () => {
    const commits = write(newer, write({}))
    expect(
      commits.map(({ operation, replaces }) => [operation, replaces?.fields?.notes?.includes('size: number')]),
    ).toEqual([
      ['initial', undefined],
      ['reserved_addrs.create', undefined],
      ['migration', true],
      ['reserved_addrs.create', undefined],
    ])
    expect(() => open(commits)).toThrow(MISSING)
    expect(() => open(commits, createNotes())).toThrow(
      "with size: nothing, which this version of fauxgate doesn't support",
    )
    expect(write(newer, commits).map(({ operation }) => operation)).toHaveLength(5)
  })

  /** Returns a store with a note. */
  const storeWithNote = (families: ReturnType<typeof createNotes>) => {
    const store = memoryStore()
    const gateway = createGateway({ store, families })
    // The direct API of a family of a test has no type.
    const { notes } = gateway as unknown as { notes: { add(): void } }
    notes.add()
    gateway.dispose()
    return store
  }

  it('is rejected, and not as a damaged one, if its records lack a field that the family needs now', () => {
    const families = createNotes()
    const before = storeWithNote(families)
    const store = memoryStore(before.commits)
    expect(() => createGateway({ store, families: createNotes({ size: v.number() }) })).toThrow(
      /^The fields of this gateway's families have changed since the store was written: the record "note_\w+" of notes: .*size/,
    )
    expect(store.commits).toEqual(before.commits)
    expect(open(before.commits, families).reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('is rejected, and not as a damaged one, if the family has another prefix of ids now', () => {
    const { commits } = storeWithNote(createNotes())
    expect(() => open(commits, createNotes({}, 'memo'))).toThrow(
      /^The store does not match this gateway's families: the ID of the record "note_\w+" of notes has the prefix "note"\. Allowed: "memo", the current prefix of its family\. Use the family definition with the prefix "note", or a new store file\.$/,
    )
    // A record that another prefix would not make right.
    const damaged = commits.map((commit) => ({
      ...commit,
      changes: commit.changes.map((each) => ({ ...each, after: each.after && { ...each.after, created_at: 'never' } })),
    }))
    expect(() => open(damaged, createNotes({}, 'memo'))).toThrow(/^The store is damaged: the record "note_/)
    expect(open(commits, createNotes()).reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('is opened if it was written before stores had a list of fields', () => {
    const commits = write({}).map(({ replaces, ...commit }) => {
      return replaces ? { ...commit, replaces: { version: replaces.version, seed: replaces.seed } } : commit
    })
    expect(open(commits, newer).reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })
})

describe('A SQLite file', () => {
  const openFile = (file: string, families: Families = {}) => {
    const store = sqliteStore(file)
    try {
      return createGateway({ store, families }).reservedAddrs.create()
    } finally {
      store.close()
    }
  }

  testSqlite('of a gateway with a further family is rejected, and opened with it', () => {
    const file = newFile()
    openFile(file, createNotes())
    expect(() => openFile(file)).toThrow(MISSING)
    openFile(file, createNotes())
  })

  testSqlite('of the standard dialect stays one when `migrate` has written it', async () => {
    const file = newFile()
    openFile(file)
    expect((await runToEnd({}, 'migrate', file)).code).toBe(0)
    openFile(file)
    openFile(file, ngrokFamilies)
    expect((await runToEnd({}, 'migrate', file)).code).toBe(0)
    expect(() => openFile(file)).toThrow('This gateway has no family for the store\'s collection "')
  })
})

describe('A snapshot with a family that the gateway does not have', () => {
  it('is rejected by its name if it has a record of the family', () => {
    const gateway = createGateway({ families: createNotes() })
    const copy = () => JSON.parse(JSON.stringify(gateway.snapshot()))
    createGateway().restore(copy())
    gateway.notes.add()
    expect(() => createGateway().restore(copy())).toThrow('records.notes is not a field')
  })
})

test('The outline of records names each field and each of its kinds of values', () => {
  const schema = v.object({
    a: v.nullish(v.string()),
    b: v.array(v.union([v.literal(1), v.object({ c: v.boolean() })])),
    d: v.record(v.string(), v.number()),
    e: v.pipe(v.optional(v.string(), ''), v.metadata({ isDerived: true })),
  })
  expect(outlineRecord(schema)).toEqual([
    'a: nothing',
    'a: null',
    'a: string',
    'b[].c: boolean',
    'b[]: 1',
    'd[]: number',
  ])
})
