import { join } from 'node:path'
import { describe, test, vi } from 'vitest'
import { type Database, nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { newFolder } from './folder.ts'
import { titleWithRequirement } from './requirements.ts'

/** True if this Node has SQLite built in. */
export const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined

/** A `describe` of tests that need SQLite, left out where it is missing. */
export function describeSqlite(name: string, tests: () => void): void {
  describe.runIf(hasSqlite)(titleWithRequirement(name, hasSqlite, 'node:sqlite is missing'), tests)
}

/** A test that needs SQLite. */
export function testSqlite(name: string, run: () => void | Promise<void>): void {
  test.runIf(hasSqlite)(titleWithRequirement(name, hasSqlite, 'node:sqlite is missing'), run)
}

/** Runs work like a Node without SQLite. */
export async function withoutSqlite<T>(work: () => T): Promise<Awaited<T>> {
  const { getBuiltinModule } = process
  const hiding = vi.spyOn(process, 'getBuiltinModule')
  hiding.mockImplementation((id: string) => (id === 'node:sqlite' ? undefined : getBuiltinModule?.(id)) as never)
  try {
    return await work()
  } finally {
    hiding.mockRestore()
  }
}

/** Returns the path of a new file, which is deleted at the end of the test. */
export function newFile(): string {
  return join(newFolder(), 'gateway.db')
}

/** Opens a database in memory. */
export function memoryDatabase(): Database {
  return nodeSqlite()(':memory:')
}
