import { expect } from 'vitest'
import type { SqlValue } from '../../src/index.ts'
import { memoryStore } from '../support/memory-store.ts'
import { hasSqlite, memoryDatabase } from '../support/sqlite.ts'

/** Creates the storage of a Durable Object: a database in memory, or none on a Node without SQLite. */
function createDurableObject() {
  const database = hasSqlite ? memoryDatabase() : undefined
  return {
    storage: {
      sql: { exec: (text: string, ...values: SqlValue[]) => database?.prepare(text).all(...values) ?? [] },
      transactionSync: (work: () => void) => work(),
    },
  }
}

/** Returns the names that a fragment may use. */
export const surroundings = () => ({
  expect,
  ctx: createDurableObject(),
  yourOwnPlace() {
    const { commits } = memoryStore()
    return { open: () => Object.assign(memoryStore(), { commits }) }
  },
})
