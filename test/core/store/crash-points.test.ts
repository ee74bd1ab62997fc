import { copyFileSync, existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock, type Store, sqlStore } from '../../../src/index.ts'
import { type Database, nodeSqlite, SqliteFile } from '../../../src/server/sqlite/sqlite-file.ts'
import { GroupedStore } from '../../../src/server/sqlite/sqlite-store.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { stateWithSecretsOf } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'
import { propertyOptions } from '../../support/property.ts'
import { createSandboxStore, createTransaction } from '../../support/sandbox-store.ts'
import { describeSqlite, newFile } from '../../support/sqlite.ts'

/** Counts the statements of a database. One of them can fail, or be the last one of the process. */
class Fuse {
  count = 0
  /** The number of statements that still succeed; undefined if all do. */
  #remaining: number | undefined
  #isKill = false
  #isDead = false

  /** Makes the statement fail that follows this number of statements. */
  set(successes: number, isKill = false): void {
    this.#remaining = successes
    this.#isKill = isKill
  }

  /** Removes the fuse. Returns true if a statement has failed. */
  remove(): boolean {
    const hasFailed = this.#remaining === undefined
    this.#remaining = undefined
    return hasFailed
  }

  readonly run = <T>(statement: () => T): T => {
    this.count++
    if (this.#isDead) throw new Error('the process is dead')
    if (this.#remaining === undefined || this.#remaining-- > 0) return statement()
    this.#remaining = undefined
    this.#isDead = this.#isKill
    throw new Error('disk I/O error')
  }
}

/** A database with a fuse. It syncs nothing to the disk: a kill of the process loses no writes. */
function addFuse(database: Database, { run }: Fuse): Database {
  return {
    exec: (sql) => run(() => database.exec(sql.replace('synchronous = FULL', 'synchronous = OFF'))),
    prepare(sql) {
      const statement = database.prepare(sql)
      return { all: (...values) => run(() => statement.all(...values)) }
    },
    close: () => database.close(),
  }
}

/** A store with a fuse, in a file. */
interface Place {
  readonly file: string
  readonly store: Store
  readonly fuse: Fuse
  /** Runs the statements that only the first change after a start has. */
  readonly prepare?: () => void
}

/** Copies a file in its present state, to continue with the copy as after a kill. */
function copyFile(file: string): string {
  const copy = newFile()
  for (const end of ['', '-wal', '-journal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end)
  return copy
}

function openDatabase(file: string, fuse: Fuse): Database {
  const database = nodeSqlite()(file)
  onTestFinished(() => database.close())
  database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL')
  return addFuse(database, fuse)
}

const PLACES: Readonly<Record<string, (file: string) => Place>> = {
  sqlStore(file) {
    const fuse = new Fuse()
    const database = openDatabase(file, fuse)
    const store = sqlStore((sql, ...values) => database.prepare(sql).all(...values), createTransaction(database))
    return { file, store, fuse }
  },

  sqliteStore(file) {
    const fuse = new Fuse()
    const database = new SqliteFile(file, (...args) => addFuse(nodeSqlite()(...args), fuse))
    const store = new GroupedStore(database)
    onTestFinished(() => store.close())
    return { file, store, fuse, prepare: () => database.markAsOpen() }
  },

  'the storage of a sandbox': (file) => {
    const fuse = new Fuse()
    return { file, store: createSandboxStore(openDatabase(file, fuse)), fuse }
  },
}

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const createManagedBody = (name: string) => ({
  domain: `${name}.example.com`,
  certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const,
})

type TestGateway = Gateway<ManualClock>

const findAddressId = ({ reservedAddrs }: TestGateway) => reservedAddrs.list().reserved_addrs[0]?.id ?? 'ra_none'
const findDomainId = ({ reservedDomains }: TestGateway) => reservedDomains.list().reserved_domains[0]?.id ?? 'rd_none'

/** At least one step for each kind of commit: of one record, of several, of none, and of all. */
const STEPS: readonly ((gateway: TestGateway) => unknown)[] = [
  (gateway) => gateway.reservedAddrs.create(),
  (gateway) => gateway.reservedAddrs.create({ description: 'ü', metadata: '{"a": 1}' }),
  (gateway) => gateway.reservedDomains.create(createManagedBody('a')),
  (gateway) => gateway.reservedDomains.create(createManagedBody('b')),
  (gateway) => gateway.provisioning.script(['DNS_ERROR', 'success']),
  (gateway) => gateway.clock.advance('30s'),
  (gateway) => gateway.clock.advance('1s'),
  (gateway) => gateway.provisioning.failAlways('INTERNAL_ERROR', { domain: 'b.example.com' }),
  (gateway) => gateway.clock.advance('1h'),
  (gateway) => gateway.provisioning.clear(),
  (gateway) => gateway.reservedAddrs.update(findAddressId(gateway), { description: 'changed' }),
  (gateway) => gateway.faults.add({ operation: 'reserved_addrs.list', times: 3 }),
  (gateway) => gateway.dns.a('a.example.com', '192.0.2.1'),
  (gateway) => gateway.dns.cname('b.example.com', 'c.example.com'),
  (gateway) => gateway.tlsCertificates.create(upload()),
  (gateway) => gateway.compression.replace(ROUTE),
  (gateway) => gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: 'known to the store' }),
  (gateway) => gateway.webhookVerification.delete(ROUTE),
  (gateway) => gateway.weightedBackends.create({ backends: { bkdhr_1: 1, bkdhr_2: 2 } }),
  (gateway) => gateway.reservedDomains.create({ domain: 'plain.example.com' }),
  (gateway) => gateway.reservedDomains.detachCertificateManagementPolicy(findDomainId(gateway)),
  (gateway) => gateway.clock.advance('100d'),
  (gateway) => gateway.reservedAddrs.delete(findAddressId(gateway)),
  (gateway) => gateway.restore(gateway.snapshot({ privateKeys: true })),
  (gateway) => gateway.clock.set('2026-08-01T00:00:00Z'),
  (gateway) => gateway.reservedAddrs.create({ description: 'x'.repeat(200) }),
  (gateway) => gateway.reset(),
  (gateway) => gateway.reservedAddrs.create(),
  (gateway) => gateway.reservedDomains.create(createManagedBody('a')),
  (gateway) => gateway.clock.advance('1d'),
  (gateway) => gateway.faults.clear(),
  (gateway) => gateway.reservedDomains.delete(findDomainId(gateway)),
]

const initial = { reservedAddrs: [{ description: 'initial' }], reservedDomains: [{ domain: 'initial.example.com' }] }
const startGateway = (store?: Store): TestGateway =>
  createGateway({ clock: manualClock(CLOCK_START), seed: 'crash', initial, ...(store && { store }) })

/** Runs a step until it is flushed. Returns the outcome and the number of its statements. */
async function runStep(step: () => unknown, { store, fuse }: Place) {
  const before = fuse.count
  try {
    step()
    await store.flushed?.()
    return { isAcknowledged: true, statements: fuse.count - before }
  } catch {
    return { isAcknowledged: false, statements: fuse.count - before }
  }
}

/** Expects that a step is rejected if one of its statements fails. */
async function expectRefused(step: () => unknown, at: number, place: Place, isKill = false): Promise<void> {
  place.fuse.set(at, isKill)
  const { isAcknowledged } = await runStep(step, place)
  expect([place.fuse.remove(), isAcknowledged], `statement ${at}`).toEqual([true, false])
}

const listNumbers = (count: number) => Array.from({ length: count }, (_, number) => number)

/** Draws two statements that fail after another one. They differ in each run, since all pairs would take a minute. */
const drawStatements = (statements: number) => {
  const count = Math.min(2, statements)
  const subsets = fc.shuffledSubarray(listNumbers(statements), { minLength: count, maxLength: count })
  return fc.sample(subsets, propertyOptions({ numRuns: 1 }))[0] ?? []
}

/** Fails every statement of the creation of a gateway and of all steps. Returns the number of failures. */
async function explore(openPlace: (file: string) => Place): Promise<number> {
  const createBranch = (file: string) => {
    const place = openPlace(copyFile(file))
    place.prepare?.()
    return { place, gateway: startGateway(place.store) }
  }
  const twin = startGateway()
  const creation = await createDespiteFailures(openPlace, stateWithSecretsOf(twin))
  const { place, gateway } = creation
  let { points } = creation
  for (const step of STEPS) {
    const before = stateWithSecretsOf(gateway)
    const run = () => step(gateway)
    const rehearsal = createBranch(place.file)
    const { statements } = await runStep(() => step(rehearsal.gateway), rehearsal.place)
    step(twin)
    const after = stateWithSecretsOf(twin)

    for (const at of listNumbers(statements)) {
      for (const second of [undefined, ...drawStatements(statements)]) {
        await expectRefused(run, at, place)
        if (second !== undefined) await expectRefused(run, second, place)
        expect(stateWithSecretsOf(gateway), `${step} at ${at} and ${second}`).toBe(before)
        points++
      }
      const branch = createBranch(place.file)
      await expectRefused(() => step(branch.gateway), at, branch.place, true)
      expect(stateWithSecretsOf(createBranch(branch.place.file).gateway), `${step} killed at ${at}`).toBe(before)
      points++
    }
    await runStep(run, place)
    expect(stateWithSecretsOf(gateway), `${step}`).toBe(after)
    expect(stateWithSecretsOf(createBranch(place.file).gateway), `${step} and a restart`).toBe(after)
  }
  return points
}

/** Creates a gateway after failures at every statement of its creation. After a loss it is created again. */
async function createDespiteFailures(openPlace: (file: string) => Place, expectedState: string) {
  for (let points = 0; ; points++) {
    const place = openPlace(newFile())
    const gateways: TestGateway[] = []
    const create = () => void gateways.push(startGateway(place.store))
    place.fuse.set(points)
    const { isAcknowledged } = await runStep(create, place)
    const hasFailed = place.fuse.remove()
    expect(isAcknowledged).toBe(!hasFailed)
    if (gateways.length === 0) create()
    const [gateway] = gateways as [TestGateway]
    expect(stateWithSecretsOf(gateway)).toBe(expectedState)
    await place.store.flushed?.()
    if (!hasFailed) return { place, gateway, points }
    gateway.reservedAddrs.create()
    await place.store.flushed?.()
    expect(stateWithSecretsOf(startGateway(openPlace(copyFile(place.file)).store))).toBe(stateWithSecretsOf(gateway))
  }
}

describeSqlite('A store that fails at any statement of the creation of a gateway and of thirty calls', () => {
  it.each(Object.entries(PLACES))(
    'once, twice, or together with its process, keeps exactly the acknowledged changes: %s (rules: stores#failures)',
    async (_name, openPlace) => {
      // The gateway prints lost changes of direct calls.
      const consoleError = vi.spyOn(console, 'error').mockReturnValue()
      onTestFinished(() => consoleError.mockRestore())
      const points = await explore(openPlace)
      expect(points).toBeGreaterThan(700)
    },
    // Hundreds of files are written.
    180_000,
  )
})
