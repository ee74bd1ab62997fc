import { describe, expect, it } from 'vitest'
import { createGateway, type RunSql, type Store, sqlStore } from '../../src/index.ts'
import { type SqliteStore, sqliteStore } from '../../src/server/node.ts'
import type { Database } from '../../src/server/sqlite/sqlite-file.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { createSandboxStore, createTransaction } from '../support/sandbox-store.ts'
import { describeSqlite, memoryDatabase, newFile } from '../support/sqlite.ts'

function placeInMemory(): StorePlace {
  const { commits } = memoryStore()
  return { open: () => Object.assign(memoryStore(), { commits }) }
}

/** A database that has a table of its owner's too. */
function placeInDatabase(storeOf: (database: Database) => Store): StorePlace {
  const database = memoryDatabase()
  database.exec('CREATE TABLE others (id INTEGER); INSERT INTO others VALUES (1)')
  return {
    open: () => storeOf(database),
    close: () => expect(database.prepare('SELECT id FROM others').all()).toHaveLength(1),
  }
}

const storeOnSql = (database: Database) =>
  sqlStore((sql, ...values) => database.prepare(sql).all(...values), createTransaction(database))

function placeInFile(): StorePlace {
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
  for (const { name, run } of storeSuite(placeInMemory)) it(name, run)
})

describeSqlite('A store on a SQL database', () => {
  for (const { name, run } of storeSuite(() => placeInDatabase(storeOnSql))) it(name, run)
})

describeSqlite('The store of a sandbox', () => {
  for (const { name, run } of storeSuite(() => placeInDatabase(createSandboxStore))) it(name, run)
})

describeSqlite('A store in a SQLite file', () => {
  for (const { name, run } of storeSuite(placeInFile)) it(name, run)
})

describe('A store that cannot keep anything is refused, and the wrong function is named:', () => {
  const noRows: RunSql = () => []
  const atOnce = (work: () => void) => work()

  // The types refuse most of these, but JavaScript does not.
  it.each<[what: string, message: string, use: () => unknown]>([
    ['no statements', 'run is missing. Allowed: a function.', () => sqlStore(undefined as never, atOnce)],
    ['no transactions', 'atomically is an object. Allowed: a function.', () => sqlStore(noRows, {} as never)],
    [
      'async statements',
      '`run` returned a promise. Allowed: a function that is not async.',
      () => createGateway({ store: sqlStore((async () => []) as never, atOnce) }),
    ],
    [
      'statements without rows',
      '`run` returned nothing. Allowed: an iterable of rows',
      () => createGateway({ store: sqlStore((() => undefined) as never, atOnce) }),
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
    ['a suite of no place', 'newPlace is an object. Allowed: a function.', () => storeSuite(placeInMemory() as never)],
    ['no path of a file', 'file is missing. Allowed: the path of a file.', () => sqliteStore(undefined as never)],
    ['an empty path', 'file is "". Allowed: the path of a file.', () => sqliteStore('')],
  ])('%s', (_what, message, use) => {
    expect(use).toThrow(message)
  })

  it('a suite whose place opens nothing', async () => {
    const [first] = storeSuite(memoryStore as never)
    await expect(first?.run()).rejects.toThrow('newPlace returned an object. Allowed: an object with the function open')
  })
})
