import { describe, expect, it } from 'vitest'
import { type Store, sqlStore } from '../../src/index.ts'
import { type SqliteStore, sqliteStore } from '../../src/server/node.ts'
import type { Database } from '../../src/server/sqlite/sqlite-file.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { sandboxStore, transactionsOf } from '../support/sandbox-store.ts'
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
  sqlStore((sql, ...values) => database.prepare(sql).all(...values), transactionsOf(database))

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
  for (const { name, run } of storeSuite(() => placeInDatabase(sandboxStore))) it(name, run)
})

describeSqlite('A store in a SQLite file', () => {
  for (const { name, run } of storeSuite(placeInFile)) it(name, run)
})
