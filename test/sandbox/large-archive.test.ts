import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sqlStore } from '../../src/core/store/sql-store.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import {
  ACCOUNT_KEY,
  MANUAL_CLOCK,
  runMany,
  type SharedSandboxes,
  type StorageCommand,
  startSandboxes,
} from './support/sandboxes.ts'

const account = { 'fauxgate-account-key': ACCOUNT_KEY }

/** The number of records in one statement. The platform accepts up to 2 MB in a value. */
const RECORDS_IN_STATEMENT = 300

/** Returns the changes that make a sandbox as large as sandboxes could be before their size had a limit: 10,000 records of 4 KB. */
function createLargeStorage(name: string): StorageCommand[] {
  const run: [statement: string, values: (string | number | null)[]][] = []
  const store = sqlStore(
    (statement, ...values) => {
      run.push([statement, values])
      return []
    },
    (work) => work(),
  )
  const large = createGateway({ seed: 'large', clock: manualClock(MANUAL_CLOCK.start) })
  for (let n = 0; n < 10_000; n++) large.reservedAddrs.create({ metadata: `${n}`.padEnd(4000, '.') })
  const stored = createGateway({ clock: manualClock(MANUAL_CLOCK.start), store })
  // The next commit replaces all that is stored.
  run.length = 0
  stored.restore(large.snapshot())
  const rows = run.filter(([statement]) => /^INSERT .*fauxgate_records/.test(statement)).map(([, values]) => values)
  const facts = run.findLast(([statement]) => /^INSERT .*fauxgate_facts/.test(statement))
  if (!facts || rows.length < 10_000) throw new Error('The store has not written what it should.')
  const columns = [0, 1, 2, 3].map((n) => `json_extract(value, '$[${n}]')`)
  const insert = `INSERT INTO fauxgate_records (collection, key, record, checksum) SELECT ${columns} FROM json_each(?)`
  const inserts = Array.from({ length: Math.ceil(rows.length / RECORDS_IN_STATEMENT) }, (_, n) => {
    return [insert, JSON.stringify(rows.slice(n * RECORDS_IN_STATEMENT, (n + 1) * RECORDS_IN_STATEMENT))] as const
  })
  const statements = [['DELETE FROM fauxgate_records'] as const, ...inserts, [facts[0], ...facts[1]] as const]
  return statements.map((sql) => ({ namespace: 'SANDBOXES', name, sql }))
}

/** Returns the first command of the page's section about upgrades, which makes a backup and checks it. */
function readBackupCommand(): string {
  const page = readFileSync(fileURLToPath(new URL('../../docs/sandbox.md', import.meta.url)), 'utf8')
  const [, command = ''] = /^## Upgrading$.*?```sh\n(.*?)```/ms.exec(page) ?? []
  expect(command).toContain('/backup')
  return command
}

/** Runs the documented backup. Returns its exit code and the archive. */
function runBackup({ url, folder }: SharedSandboxes): Promise<{ code: number; archive: string }> {
  const env = { PATH: process.env.PATH, URL: url, KEY: ACCOUNT_KEY }
  return new Promise((resolve) => {
    execFile('sh', ['-c', readBackupCommand()], { cwd: folder, env }, (error) => {
      resolve({ code: Number(error?.code ?? 0), archive: readFileSync(join(folder, 'before.ndjson'), 'utf8') })
    })
  })
}

// rules: sandboxes#backup
describe('A backup of 51 sandboxes', () => {
  it('has one of 40 MB whole, and a restore restores all others and names it', async () => {
    const from = await startSandboxes()
    await runMany(50, (n) => from.create(`s-${n}`, MANUAL_CLOCK))
    const large = await from.create('s-25-large', MANUAL_CLOCK)
    await from.runInStorage(createLargeStorage('s-25-large'))
    expect((await large.send('GET', '/reserved_addrs?limit=1')).body.reserved_addrs).toHaveLength(1)
    const { code, archive } = await runBackup(from)
    const lines = archive.trim().split('\n')
    expect([code, lines.length, lines.at(-1)]).toEqual([0, 52, '{"end":true,"sandboxes":51,"left_out":0}'])
    const at = lines.findIndex((line) => line.startsWith('{"name":"s-25-large"'))
    expect(lines[at]?.length).toBeGreaterThan(40_000_000)
    const { records } = JSON.parse(lines[at] ?? '').state
    expect(records.filter((each: { collection: string }) => each.collection === 'reserved_addrs')).toHaveLength(10_000)
    const to = await startSandboxes()
    const { status, body } = await to.send('POST', '/restore', { headers: account, body: archive })
    expect([status, body.error_code]).toEqual([409, 'ERR_GATEWAY_90622'])
    expect(body.details).toMatchObject({
      restored: '50',
      [`line ${at + 1}`]: expect.stringContaining('the sandbox s-25-large is larger than 29360128 bytes'),
    })
    const expected = (await from.listNames()).filter((name) => name !== 's-25-large')
    expect(await to.listNames()).toEqual(expected)
  })
})

describe('A backup that leaves out a sandbox', () => {
  it('names it, and the documented command fails', async () => {
    const from = await startSandboxes()
    for (const name of ['one', 'two', 'three']) await from.create(name, MANUAL_CLOCK)
    expect((await runBackup(from)).code).toBe(0)
    const sql = ['UPDATE fauxgate_schema SET version = 99'] as const
    await from.runInStorage([{ namespace: 'SANDBOXES', name: 'two', sql }])
    const { code, archive } = await runBackup(from)
    expect(code).not.toBe(0)
    expect(archive).toContain('{"name":"two","error":"')
    expect(archive).toMatch(/\n\{"end":true,"sandboxes":2,"left_out":1\}\n$/)
  })

  it('names a sandbox whose line has more than 28 MiB in a restore, and takes the lines after it', async () => {
    const from = await startSandboxes()
    await from.create('later', MANUAL_CLOCK)
    const line = (await from.send('GET', '/backup', { headers: account })).text
    const to = await startSandboxes()
    const long = `{"name":"early","long":"${'x'.repeat(28 * 1024 * 1024)}"}`
    const { status, body } = await to.send('POST', '/restore', { headers: account, body: `${long}\n${line}` })
    expect([status, body.details.restored]).toEqual([409, '1'])
    expect(body.details['line 1']).toContain('the sandbox early is larger than')
    expect(await to.listNames()).toEqual(['later'])
  })
})

describe('A failure of a call of the account', () => {
  it('is counted and has an entry in the audit log (rules: sandboxes#audit-log)', async () => {
    const sandboxes = await startSandboxes()
    await sandboxes.create('one', MANUAL_CLOCK)
    // The account cannot read this.
    const sql = ['UPDATE sandboxes SET facts = ?', 'no JSON'] as const
    await sandboxes.runInStorage([{ namespace: 'ACCOUNTS', name: 'account', sql }])
    const answers = [
      await sandboxes.callAccount('GET', '/backup'),
      await sandboxes.callAccount('POST', '/s/one/fork', { name: 'two' }),
      await sandboxes.callAccount('GET', '/s'),
    ]
    for (const { status, body } of answers) expect([status, body.error_code]).toEqual([500, 'ERR_GATEWAY_90501'])
    const { text } = await sandboxes.send('GET', '/metrics', { headers: account })
    expect(text).toContain('\nfauxgate_requests_total{status="5xx"} 3\n')
    const { body } = await sandboxes.callAccount('GET', '/s/_audit')
    expect(body.entries.map(({ call, status }: { call: string; status: number }) => [call, status])).toEqual([
      ['fork', 500],
      ['backup', 500],
      ['create', 201],
    ])
  })
})
