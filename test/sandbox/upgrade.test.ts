import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { TABLES_VERSION } from '../../src/core/store/sql-tables.ts'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { testSqlite } from '../support/sqlite.ts'
import { createDowngrade, OLD_KEYS } from './support/old-sandbox.ts'
import { MANUAL_CLOCK, type SandboxClient, type StorageCommand, startSandboxes } from './support/sandboxes.ts'

const OLD = fileURLToPath(new URL('../corpus/0.1.0/gateway.db', import.meta.url))

/** Returns the changes that replace the storage of a sandbox with the storage of version 0.1.0. */
function readOldStorage(): StorageCommand[] {
  const database = nodeSqlite()(OLD, { readOnly: true })
  const rows = (statement: string) => database.prepare(statement).all() as Readonly<Record<string, string | number>>[]
  const tables = rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
  const statements = tables.flatMap(({ name, sql }) => [
    [`DROP TABLE IF EXISTS ${name}`] as const,
    [String(sql)] as const,
    ...rows(`SELECT * FROM ${name}`).map((row) => {
      const values = Object.values(row)
      return [`INSERT INTO ${name} VALUES (${values.map(() => '?').join(', ')})`, ...values] as const
    }),
  ])
  database.close()
  return [
    ...statements.map((sql): StorageCommand => ({ namespace: 'SANDBOXES', name: 'old', sql })),
    ...createDowngrade({ dns: 'simulated', seed: 'corpus' }),
  ]
}

/** Creates addresses one after the other, and adds their ids to `ids`. Repeats requests without a response. */
async function createAddresses(sandbox: SandboxClient, count: number, ids: string[]): Promise<void> {
  for (let createdCount = 0; createdCount < count; ) {
    const answer = await sandbox.send('POST', '/reserved_addrs', {}).catch(() => undefined)
    // Between two processes there is no response.
    if (answer?.status === 201) {
      ids.push(answer.body.id)
      createdCount++
    } else if (answer && answer.status !== 503) throw new Error(answer.text)
  }
}

describe('An upgrade that follows docs/sandbox.md (rules: sandboxes#versions)', () => {
  testSqlite('brings a sandbox of 0.1.0 to the present version while 20 clients write, and loses nothing', async () => {
    const sandboxes = await startSandboxes({ MOST_REQUESTS: '999999999' })
    const sandbox = (await sandboxes.create('old', MANUAL_CLOCK)).withKeys(OLD_KEYS)
    await sandboxes.runInStorage(readOldStorage())
    await sandboxes.kill('SIGTERM')
    const written: string[] = []
    const clients = Array.from({ length: 20 }, () => createAddresses(sandbox, 15, written))
    await sandboxes.start()
    while (written.length === 0) await sandbox.control('GET', '/clock')
    const restart = sandboxes.restart({})
    expect(written.length).toBeLessThan(300)
    await Promise.all([restart, ...clients])
    expect(new Set(written).size).toBe(300)
    // The injected failure from before the upgrade still exists.
    expect((await sandbox.control('GET', '/faults')).body).toHaveLength(1)
    await sandbox.control('DELETE', '/faults')
    const addresses: Record<string, { id: string; description: string }> = {}
    let next = '/reserved_addrs?limit=100'
    while (next) {
      const { body } = await sandbox.send('GET', next)
      for (const each of body.reserved_addrs) addresses[each.id] = each
      next = body.next_page_uri?.slice(sandbox.created.url.length)
    }
    expect(written.filter((id) => !addresses[id])).toEqual([])
    const before = Object.values(addresses).filter(({ description }) => description)
    expect(before.map(({ description }) => description).sort()).toEqual(['initial', 'ü'])
    expect((await sandbox.control('GET', '/clock')).body.now).toBe('2026-03-03T00:00:30Z')
    const domains = (await sandbox.send('GET', '/reserved_domains')).body.reserved_domains
    expect(domains.map(({ domain }: { domain: string }) => domain)).toContain('issued.example.com')
    const sql = ['SELECT version FROM fauxgate_schema'] as const
    expect(await sandboxes.runInStorage([{ namespace: 'SANDBOXES', name: 'old', sql }])).toEqual([
      [{ version: TABLES_VERSION }],
    ])
  })
})
