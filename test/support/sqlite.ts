import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { type Database, nodeSqlite } from '../../src/server/sqlite/node-sqlite.ts'

/** Whether this Node has SQLite built in. */
export const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined

/** What the names of tests say that have to be left out without it. */
export const needsSqlite = hasSqlite ? '' : ' (left out: node:sqlite is missing)'

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

/** Has something done at the end of the test. */
export function atEnd(work: () => void): void {
  ends.push(work)
}

/** A name for a file, in a folder of its own that goes at the end of the test. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-store-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'gateway.db')
}

/** A database in memory. */
export function memoryDatabase(): Database {
  return nodeSqlite()(':memory:')
}
