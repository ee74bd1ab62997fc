import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect } from 'vitest'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { testSqlite } from '../support/sqlite.ts'
import { InSandbox, manual, type RawWork, SharedSandboxes } from './support/served.ts'

let sandboxes: SharedSandboxes
afterEach(() => sandboxes.stop())

const OLD = fileURLToPath(new URL('../corpus/0.1.0/gateway.db', import.meta.url))

/** The keys of version 0.1.0, which nothing signed. */
const keys = { api_key: `fgapi_old_${'0a'.repeat(32)}`, control_key: `fgctl_${'0b'.repeat(32)}` }

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
  const digest = (key: string) => createHash('sha256').update(key).digest('hex')
  const digests = { api_key: digest(keys.api_key), control_key: digest(keys.control_key) }
  const options = { start: manual.start, clock: 'manual', dns: 'simulated', seed: 'corpus' }
  const facts = { name: 'old', created_at: manual.start, expires_at: null, dialect: 'standard', clock: 'manual' }
  return [
    ...statements.map((sql): RawWork => ({ of: 'SANDBOXES', name: 'old', sql })),
    { of: 'SANDBOXES', name: 'old', put: ['sandbox', { name: 'old', created: 0, expires: null, options, digests }] },
    { of: 'ACCOUNTS', name: 'account', sql: ['UPDATE sandboxes SET facts = ?', JSON.stringify(facts)] },
  ]
}

/** Creates addresses one after the other, and again whatever was not answered. Adds the ids of the answered ones. */
async function write(sandbox: InSandbox, count: number, ids: string[]): Promise<void> {
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
    sandboxes = await new SharedSandboxes({ MOST_REQUESTS: '999999999' }).start()
    const { created } = await sandboxes.create('old', manual)
    await sandboxes.withStorage(stored())
    const sandbox = new InSandbox(sandboxes, { ...created, url: `${sandboxes.url}/s/old`, ...keys })
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
