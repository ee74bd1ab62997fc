import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MIGRATIONS } from '../../../src/core/engine/persistence/migrations.ts'
import {
  groupByCollection,
  migrate,
  READABLE_VERSIONS,
  RECORDS_VERSION,
} from '../../../src/core/engine/persistence/versions.ts'
import { partsOf } from '../../../src/core/schema/schema-parts.ts'
import { dialectFamilies } from '../../../src/gateway/dialect-families.ts'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { tableOf } from '../../../src/gateway/table.ts'
import { createGateway, type Gateway, type ManualClock, manualClock, type Snapshot } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import { nodeSqlite } from '../../../src/server/sqlite/sqlite-file.ts'
import { dialects } from '../../../src/service/resources/dialects.ts'
import { parseHar } from '../../../src/verify/har-reader.ts'
import { type KnownDifference, replay } from '../../../src/verify/replay.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { runToEnd, startServer } from '../../support/command.ts'
import { deferredStore, memoryStore } from '../../support/memory-store.ts'
import { newFile, testSqlite } from '../../support/sqlite.ts'

const CORPUS = new URL('../../corpus/', import.meta.url)
const versions = readdirSync(CORPUS)

/** The fields of responses that are newer than the recordings, with the reasons. */
const KNOWN: readonly KnownDifference[] = []

/** Returns the snapshot of a version in the corpus, with its secrets. */
function snapshotOf(version: string): Snapshot {
  return JSON.parse(readFileSync(new URL(`${version}/snapshot.json`, CORPUS), 'utf8'))
}

function copyDatabase(version: string): string {
  const file = newFile()
  copyFileSync(new URL(`${version}/gateway.db`, CORPUS), file)
  return file
}

const options = { authorityKeys: 'fresh', dns: 'simulated', clock: manualClock(CLOCK_START) } as const

/** Returns the function that creates gateways with the families of a version's corpus. */
const findCreate = (version: string): CreateGateway => (version.endsWith('-ngrok') ? createNgrok : createGateway)

type CreateGateway = (options: NgrokOptions<ManualClock>) => Gateway<ManualClock>

function openFile(file: string, create: CreateGateway = createGateway) {
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  return { store, gateway: create({ ...options, clock: manualClock(CLOCK_START), store }) }
}

/** Returns the state of a snapshot, without the rate limit, which only memory has. */
function stateOf(gateway: Gateway) {
  const { rateLimit: _, ...state } = gateway.snapshot({ privateKeys: true })
  return dropEmptyCollections(JSON.parse(JSON.stringify(state)))
}

/** Returns a state without its empty collections, because another version has different ones. */
function dropEmptyCollections({ records, ...rest }: Pick<Snapshot, 'records'>) {
  return { ...rest, records: Object.fromEntries(Object.entries(records).filter(([, list]) => list.length > 0)) }
}

/** Returns the stored state in the present form: after the migrations, and with the defaults of newer fields. */
function expectedState(version: string) {
  const { rateLimit: _, records, version: storedVersion, ...state } = snapshotOf(version)
  const name = version.endsWith('-ngrok') ? 'ngrok' : 'standard'
  const { collections } = tableOf(dialects[name], dialectFamilies[name])
  const schemas = new Map(collections.map(({ name, schema }) => [name, schema]))
  const migrated = Object.entries(records).flatMap(([collection, list]) =>
    list.map((record) => migrate({ collection, record }, storedVersion)),
  )
  const withDefaults = migrated.map(({ collection, record }) => {
    const schema = schemas.get(collection)
    return { collection, record: { ...(schema ? listDefaults(schema) : {}), ...record } }
  })
  return { ...state, version: RECORDS_VERSION, records: groupByCollection(withDefaults) }
}

/** Returns the defaults of the fields of a schema that have one. */
function listDefaults(schema: v.GenericSchema): object {
  const fields = Object.entries(partsOf(schema).entries ?? {}).map(([name, each]) => [name, v.getDefault(each)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

describe.each(versions)('The stored state of fauxgate %s', (version) => {
  it('is restored from its snapshot (rules: stores#versions)', () => {
    const gateway = findCreate(version)({ ...options, rateLimit: { requests: 1000 } })
    gateway.restore(snapshotOf(version))
    expect(stateOf(gateway)).toEqual(expectedState(version))
  })

  testSqlite('is loaded from its SQLite file, which then has the present version', async () => {
    const file = copyDatabase(version)
    const { gateway, store } = openFile(file, findCreate(version))
    expect(stateOf(gateway)).toEqual(expectedState(version))
    expect(gateway.leftovers().filter(({ family }) => family === 'reserved_addrs')).toHaveLength(1)
    gateway.reservedAddrs.create()
    await store.flushed()
    store.close()
    expect(openFile(file, findCreate(version)).gateway.reservedAddrs.list().reserved_addrs).toHaveLength(3)
  })
})

const recordedVersions = versions.filter((version) => existsSync(new URL(`${version}/recording.har`, CORPUS)))

describe.each(recordedVersions)('The recording of fauxgate %s', (version) => {
  const text = readFileSync(new URL(`${version}/recording.har`, CORPUS), 'utf8')

  it('can be replayed: each of its exchanges is compared, and none differs', async () => {
    const recording = parseHar(text, 'recording.har')
    const { compared, differing } = await replay(recording, { now: CLOCK_START, known: KNOWN })
    expect([compared, differing]).toEqual([JSON.parse(text).log.entries.length, []])
  })

  it('is rejected if its format is newer, and the error says what to do', () => {
    const newerRecording = JSON.parse(text)
    newerRecording.log._fauxgate.format = 2
    expect(() => parseHar(JSON.stringify(newerRecording), 'recording.har')).toThrow(
      'recording.har has format version 2; only 1 is supported. Update fauxgate, or record it again with this version.',
    )
  })
})

describe('The file of an older version', () => {
  testSqlite('is migrated to the present version by `migrate` and by `serve`, and both print it', async () => {
    const file = copyDatabase('0.1.0')
    const migration = await runToEnd({}, 'migrate', file)
    expect([migration.code, migration.stdout]).toEqual([0, 'gateway.db: tables from version 1 to 3\n'])
    expect((await runToEnd({}, 'migrate', file)).stdout).toBe('gateway.db is already up to date.\n')
    const { output, stop } = await startServer({}, '--data', copyDatabase('0.1.0'))
    expect(output.stdout).toContain('gateway.db: tables from version 1 to 3')
    await stop()
  })

  testSqlite('must be named, must exist, and must have a state', async () => {
    expect((await runToEnd({}, 'migrate')).stderr).toContain('migrate needs FILE')
    const file = newFile()
    expect((await runToEnd({}, 'migrate', file)).stderr).toContain('gateway.db cannot be read: there is no such file.')
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, '')
    const emptyFile = await runToEnd({}, 'migrate', file)
    expect([emptyFile.code, emptyFile.stderr]).toEqual([1, expect.stringContaining('contains no state')])
  })
})

const NEXT_VERSION = RECORDS_VERSION + 1

/** Imports fauxgate with one more version of the records, in which every description ends with "!". */
async function importNextVersion(): Promise<typeof createGateway> {
  vi.resetModules()
  vi.doMock('../../../src/core/engine/persistence/migrations.ts', () => ({
    MIGRATIONS: [
      ...MIGRATIONS,
      ({ collection, record }: { collection: string; record: { description?: string } }) => ({
        collection,
        record: record.description === undefined ? record : { ...record, description: `${record.description}!` },
      }),
    ],
  }))
  onTestFinished(() => {
    vi.doUnmock('../../../src/core/engine/persistence/migrations.ts')
    vi.resetModules()
  })
  return (await import('../../../src/index.ts')).createGateway as typeof createGateway
}

const listDescriptions = (gateway: Gateway) =>
  gateway.reservedAddrs.list().reserved_addrs.map((each) => each.description)

describe('A next version of the records', () => {
  it('restores snapshots of this version, and this version rejects those of the next one', async () => {
    const create = await importNextVersion()
    const gateway = create({ ...options })
    gateway.restore(snapshotOf('0.1.0'))
    expect(listDescriptions(gateway)).toEqual(['ü!', 'initial!'])
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    expect(snapshot.version).toBe(NEXT_VERSION)
    expect(() => createGateway().restore(snapshot)).toThrow(
      `version is ${NEXT_VERSION}. Allowed: ${READABLE_VERSIONS}.`,
    )
  })

  it('writes all records of a store as one commit, and then this version rejects the store', async () => {
    const create = await importNextVersion()
    const olderStore = memoryStore()
    createGateway({ store: olderStore }).reservedAddrs.create({ description: 'x' })
    const store = memoryStore(olderStore.commits)
    const gateway = create({ store })
    expect(listDescriptions(gateway)).toEqual(['x!'])
    expect(store.commits.slice(olderStore.commits.length)).toMatchObject([
      { operation: 'migration', replaces: { version: NEXT_VERSION }, changes: [{ collection: 'reserved_addrs' }] },
    ])
    expect(() => createGateway({ store: memoryStore(store.commits) })).toThrow(`records have version ${NEXT_VERSION}`)
  })

  it('writes that commit again if the store lost it and then rejected another one', async () => {
    const consoleError = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => consoleError.mockRestore())
    const create = await importNextVersion()
    const olderStore = memoryStore()
    createGateway({ store: olderStore }).reservedAddrs.create({ description: 'x' })
    const store = deferredStore(olderStore.commits)
    const gateway = create({ store })
    store.lose(new Error('disk full'))
    await new Promise<void>((resolve) => setImmediate(resolve))
    const append = vi.spyOn(store, 'append').mockImplementationOnce(() => {
      throw new Error('disk full')
    })
    expect(() => gateway.reservedAddrs.create()).toThrow('disk full')
    append.mockRestore()
    gateway.reservedAddrs.create()
    store.flush()
    expect(store.safe.commits.slice(olderStore.commits.length)).toMatchObject([
      { operation: 'migration', replaces: { version: NEXT_VERSION }, changes: [{}, {}] },
    ])
  })

  testSqlite('keeps a copy of the older tables until its first good commit; a downgrade changes nothing', async () => {
    const file = copyDatabase('0.1.0')
    const create = await importNextVersion()
    const { gateway, store } = openFile(file, create)
    await store.flushed()
    const listTables = () => {
      const database = nodeSqlite()(file, { readOnly: true })
      const rows = database.prepare("SELECT name FROM sqlite_master WHERE name LIKE '%_before' ORDER BY name").all()
      database.close()
      return rows.map((row) => ({ ...row }))
    }
    store.close()
    expect(listTables()).toEqual([{ name: 'fauxgate_facts_before' }, { name: 'fauxgate_records_before' }])
    const bytes = readFileSync(file)
    const { sqliteStore: openPresentStore } = await import('../../../src/server/node.ts')
    const presentStore = openPresentStore(file)
    expect(() => createGateway({ ...options, store: presentStore })).toThrow(`records have version ${NEXT_VERSION}`)
    presentStore.close()
    expect(readFileSync(file).equals(bytes)).toBe(true)
    const reopened = openFile(file, create)
    expect(listDescriptions(reopened.gateway)).toEqual(listDescriptions(gateway))
    reopened.gateway.reservedAddrs.create()
    await reopened.store.flushed()
    reopened.store.close()
    expect(listTables()).toEqual([])
  })
})
