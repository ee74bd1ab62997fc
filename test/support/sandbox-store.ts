import type { Store } from '../../src/index.ts'
import type { ObjectStorage } from '../../src/sandbox/objects.ts'
import { limitedStore } from '../../src/sandbox/store.ts'
import type { Database } from '../../src/server/sqlite/sqlite-file.ts'

/** Creates a function that runs work as one transaction; inside another one, as a part of it. */
export function createTransaction(database: Database) {
  let depth = 0
  return <T>(work: () => T): T => {
    const name = `level_${depth}`
    database.exec(`SAVEPOINT ${name}`)
    depth++
    try {
      const result = work()
      database.exec(`RELEASE ${name}`)
      return result
    } catch (error) {
      try {
        database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      } catch {
        // A killed process rolls nothing back. SQLite does that when it opens the file.
      }
      throw error
    } finally {
      depth--
    }
  }
}

/** Creates the store of a sandbox, with a database instead of the object's storage. */
export function createSandboxStore(database: Database): Store {
  const exec = (statement: string, ...values: never[]) => database.prepare(statement).all(...values)
  // A store uses no other parts of the storage.
  const storage = {
    sql: { exec, databaseSize: 0 },
    transactionSync: createTransaction(database),
  } as unknown as ObjectStorage
  return limitedStore(storage, { records: 2000, bytes: 100_000_000 })
}
