import { readdirSync, statSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { runToEnd, startServer, startServerProcess } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { testSqlite, withoutSqlite } from '../support/sqlite.ts'

beforeEach(() => void enterNewFolder())

const headers = { authorization: 'Bearer k', 'service-version': '2' }
const SERVE = ['serve', '--port', '0', '--data', 'gateway.db']

describe('fauxgate serve --data', () => {
  testSqlite('resumes where a killed server left off, with the same certificate authority', async () => {
    const first = await startServerProcess(...SERVE)
    const response = await fetch(`${first.url}/reserved_addrs`, { method: 'POST', headers })
    const { id, addr } = (await response.json()) as { id: string; addr: string }
    const root = await (await fetch(`${first.url}/_fauxgate/authority.pem`)).text()
    first.child.kill('SIGKILL')
    await first.exited
    const second = await startServer({}, '--data', 'gateway.db')
    expect(await (await fetch(`${second.url}/reserved_addrs/${id}`, { headers })).json()).toMatchObject({ addr })
    expect(await (await fetch(`${second.url}/_fauxgate/authority.pem`)).text()).toBe(root)
    expect(await second.stop()).toBe(0)
    expect(readdirSync('.')).toEqual(['gateway.db'])
    expect(statSync('gateway.db').mode & 0o777).toBe(0o600)
  })

  testSqlite('says which options apply only after a reset, once the file has a state', async () => {
    const options = ['--data', 'gateway.db', '--clock', 'manual', '--seed', 'other', '--start', '2027-01-01T00:00:00Z']
    const first = await startServer({}, ...options)
    expect(await first.stop()).toBe(0)
    expect(first.output.stdout).not.toContain('reset')
    const second = await startServer({}, ...options)
    expect(await second.stop()).toBe(0)
    const notice = 'gateway.db already has a state: --seed, --start apply only after a reset.'
    expect(second.output.stdout.split(notice)).toHaveLength(2)
    // Programs read the URL from the first line.
    expect(second.output.stdout).toMatch(/^fauxgate \(standard\) listens on /)
    const third = await startServer({}, '--data', 'gateway.db', '--clock', 'manual')
    expect(await third.stop()).toBe(0)
    expect(third.output.stdout).not.toContain('reset')
  })

  testSqlite('locks its file', async () => {
    await startServerProcess(...SERVE)
    const { code, stderr } = await runToEnd({}, ...SERVE)
    expect(code).toBe(1)
    // Node 22 first prints that its SQLite is an experiment.
    expect(stderr).toMatch(/^fauxgate: --data: The store gateway\.db cannot be opened: .+$/m)
  })

  testSqlite('closes the file if the gateway cannot be created', async () => {
    const wrong = await runToEnd({}, ...SERVE, '--renewal-lead', '90d')
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect((await runToEnd({}, ...SERVE)).code).toBe(0)
  })

  it('says which Node version has SQLite', async () => {
    const { code, stdout, stderr } = await withoutSqlite(() => runToEnd({}, ...SERVE))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `fauxgate: --data: A SQLite file requires Node 22.13 or newer, which has SQLite built in. This is Node ${process.version}. On the command line, --state saves to a JSON file instead.\n`,
    )
  })

  it('cannot be combined with --state', async () => {
    const { code, stderr } = await runToEnd({ FAUXGATE_STATE: 's.json' }, ...SERVE)
    expect(code).toBe(2)
    expect(stderr).toBe(
      'fauxgate: --data and FAUXGATE_STATE were both set. The state can be stored in only one place. Omit one. See "fauxgate help serve".\n',
    )
  })
})
