import { describe, expect, it } from 'vitest'
import { createGateway, type RunSql, type Store, sqlStore } from '../../../src/index.ts'
import { type SqliteStore, sqliteStore } from '../../../src/server/node.ts'
import type { Database } from '../../../src/server/sqlite/sqlite-file.ts'
import { type StorePlace, storeSuite } from '../../../src/testing/testing.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { createSandboxStore, createTransaction } from '../../support/sandbox-store.ts'
import { describeSqlite, memoryDatabase, newFile } from '../../support/sqlite.ts'

function createMemoryPlace(): StorePlace {
  const { commits } = memoryStore()
  return { open: () => Object.assign(memoryStore(), { commits }) }
}

/** Creates a place in a database that also has a table of its owner. */
function createDatabasePlace(createStore: (database: Database) => Store): StorePlace {
  const database = memoryDatabase()
  database.exec('CREATE TABLE others (id INTEGER); INSERT INTO others VALUES (1)')
  return {
    open: () => createStore(database),
    close: () => expect(database.prepare('SELECT id FROM others').all()).toHaveLength(1),
  }
}

const createSqlStore = (database: Database) =>
  sqlStore((sql, ...values) => database.prepare(sql).all(...values), createTransaction(database))

function createFilePlace(): StorePlace {
  const file = newFile()
  let store: SqliteStore | undefined
  return {
    open() {
      store = sqliteStore(file)
      return store
    },
    close: () => store?.close(),
  }
}

describe('A store in memory', () => {
  for (const { name, run } of storeSuite(createMemoryPlace)) it(name, run)
})

describeSqlite('A store on a SQL database', () => {
  for (const { name, run } of storeSuite(() => createDatabasePlace(createSqlStore))) it(name, run)
})

describeSqlite('The store of a sandbox', () => {
  for (const { name, run } of storeSuite(() => createDatabasePlace(createSandboxStore))) it(name, run)
})

describeSqlite('A store in a SQLite file', () => {
  for (const { name, run } of storeSuite(createFilePlace)) it(name, run)
})

describe('A store that cannot work is rejected, and the error names the wrong function:', () => {
  const noRows: RunSql = () => []
  const runNow = (work: () => void) => work()

  // The types reject most of these, but JavaScript does not.
  it.each<[what: string, message: string, use: () => unknown]>([
    ['no statements', 'run is missing. Allowed: a function.', () => sqlStore(undefined as never, runNow)],
    ['no transactions', 'atomically is an object. Allowed: a function.', () => sqlStore(noRows, {} as never)],
    [
      'async statements',
      '`run` returned a promise. Allowed: a function that is not async.',
      () => createGateway({ store: sqlStore((async () => []) as never, runNow) }),
    ],
    [
      'statements without rows',
      '`run` returned nothing. Allowed: an iterable of rows',
      () => createGateway({ store: sqlStore((() => undefined) as never, runNow) }),
    ],
    [
      'a transaction that is async',
      '`atomically` returned a promise. Allowed: a function that is not async.',
      () => createGateway({ store: sqlStore(noRows, async (work) => work()) }),
    ],
    [
      'a transaction that nobody runs',
      '`atomically` did not run the work.',
      () => createGateway({ store: sqlStore(noRows, (work) => () => work()) }),
    ],
    [
      'a suite without a function',
      'newPlace is an object. Allowed: a function.',
      () => storeSuite(createMemoryPlace() as never),
    ],
    ['no path', 'file is missing. Allowed: the path of a file.', () => sqliteStore(undefined as never)],
    ['an empty path', 'file is "". Allowed: the path of a file.', () => sqliteStore('')],
  ])('%s', (_what, message, use) => {
    expect(use).toThrow(message)
  })

  it('a suite whose place has no function `open`', async () => {
    const [first] = storeSuite(memoryStore as never)
    await expect(first?.run()).rejects.toThrow('newPlace returned an object. Allowed: an object with the function open')
  })
})
