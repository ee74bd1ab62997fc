import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { testSqlite } from '../support/sqlite.ts'
import { OLD_KEYS, oldSandbox } from './support/old.ts'
import { manual, type RawWork, type SandboxClient, startedSandboxes } from './support/served.ts'

const OLD = fileURLToPath(new URL('../corpus/0.1.0/gateway.db', import.meta.url))

/** Everything that version 0.1.0 stored of a sandbox, in the place of what its object stores. */
function stored(): RawWork[] {
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
    ...statements.map((sql): RawWork => ({ of: 'SANDBOXES', name: 'old', sql })),
    ...oldSandbox({ dns: 'simulated', seed: 'corpus' }),
  ]
}

/** Creates addresses one after the other, and again whatever was not answered. Adds the ids of the answered ones. */
async function write(sandbox: SandboxClient, count: number, ids: string[]): Promise<void> {
  for (let answered = 0; answered < count; ) {
    const answer = await sandbox.ask('POST', '/reserved_addrs', {}).catch(() => undefined)
    // Between two processes nobody answers.
    if (answer?.status === 201) {
      ids.push(answer.body.id)
      answered++
    } else if (answer && answer.status !== 503) throw new Error(answer.text)
  }
}

describe('An upgrade as docs/sandbox.md says (rules: sandboxes#versions)', () => {
  testSqlite('brings a sandbox of 0.1.0 to the present version while 20 clients write, and loses nothing', async () => {
    const sandboxes = await startedSandboxes({ MOST_REQUESTS: '999999999' })
    const sandbox = (await sandboxes.create('old', manual)).by(OLD_KEYS)
    await sandboxes.withStorage(stored())
    await sandboxes.kill('SIGTERM')
    const written: string[] = []
    const clients = Array.from({ length: 20 }, () => write(sandbox, 15, written))
    await sandboxes.start()
    while (written.length === 0) await sandbox.control('GET', '/clock')
    const restarted = sandboxes.restart({})
    expect(written.length).toBeLessThan(300)
    await Promise.all([restarted, ...clients])
    expect(new Set(written).size).toBe(300)
    // The injected failure of before is there too.
    expect((await sandbox.control('GET', '/faults')).body).toHaveLength(1)
    await sandbox.control('DELETE', '/faults')
    const present: Record<string, { id: string; description: string }> = {}
    let next = '/reserved_addrs?limit=100'
    while (next) {
      const { body } = await sandbox.ask('GET', next)
      for (const each of body.reserved_addrs) present[each.id] = each
      next = body.next_page_uri?.slice(sandbox.created.url.length)
    }
    expect(written.filter((id) => !present[id])).toEqual([])
    const before = Object.values(present).filter(({ description }) => description)
    expect(before.map(({ description }) => description).sort()).toEqual(['initial', 'ü'])
    expect((await sandbox.control('GET', '/clock')).body.now).toBe('2026-03-03T00:00:30Z')
    const domains = (await sandbox.ask('GET', '/reserved_domains')).body.reserved_domains
    expect(domains.map(({ domain }: { domain: string }) => domain)).toContain('issued.example.com')
    const sql = ['SELECT version FROM fauxgate_schema'] as const
    expect(await sandboxes.withStorage([{ of: 'SANDBOXES', name: 'old', sql }])).toEqual([[{ version: 2 }]])
  })
})
