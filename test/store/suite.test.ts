import { describe, expect, it } from 'vitest'
import { sqlStore } from '../../src/index.ts'
import { type SqliteStore, sqliteStore } from '../../src/server/node.ts'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { describeSqlite, memoryDatabase, newFile } from '../support/sqlite.ts'

function placeInMemory(): StorePlace {
  const { commits } = memoryStore()
  return { open: () => Object.assign(memoryStore(), { commits }) }
}

function placeInDatabase(): StorePlace {
  const database = memoryDatabase()
  database.exec('CREATE TABLE others (id INTEGER); INSERT INTO others VALUES (1)')
  const atomically = (work: () => void) => {
    database.exec('BEGIN')
    try {
      work()
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  return {
    open: () => sqlStore((sql, ...values) => database.prepare(sql).all(...values), atomically),
    close: () => expect(database.prepare('SELECT id FROM others').all()).toHaveLength(1),
  }
}

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
  for (const { name, run } of storeSuite(placeInDatabase)) it(name, run)
})

describeSqlite('A store in a SQLite file', () => {
  for (const { name, run } of storeSuite(placeInFile)) it(name, run)
})
