import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { runToEnd, startCommand, startProcess } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { listen } from '../support/serve.ts'
import { testSqlite, withoutSqlite } from '../support/sqlite.ts'
import { waitUntil } from '../support/wire.ts'
import { installFakeWorkerd } from '../support/workerd.ts'

let folder: string
beforeEach(() => {
  folder = enterNewFolder()
  installFakeWorkerd(folder)
})

const KEY_FILE = 'fauxgate-sandboxes/account-key'

/** Starts the sandboxes in this process, at any port. A signal ends them, at the latest at the end of the test. */
async function startSandboxes(environment: NodeJS.ProcessEnv = {}, ...args: string[]) {
  const { output, url, stop } = await startCommand(environment, ['sandbox', '--port', '0', ...args], 'curl')
  onTestFinished(async () => void (await stop()))
  return { output, stop, url, readStart: async () => (await fetch(url)).json() }
}

describe('fauxgate sandbox', () => {
  it('creates a key at the first start, prints it once, and stores it for its owner only', async () => {
    const first = await startSandboxes()
    const key = readFileSync(KEY_FILE, 'utf8').trim()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const place = join(folder, 'fauxgate-sandboxes')
    expect(first.output).toEqual({
      stdout: [
        `The account key is ${key}`,
        `It is printed only once, and is stored in ${place}/account-key`,
        `fauxgate sandboxes are listening on ${first.url}`,
        `Their data is in ${place}`,
        'Create a sandbox, in another shell:',
        `  curl -X PUT ${first.url}/s/first -H "Fauxgate-Account-Key: $(cat '${place}/account-key')"`,
        '',
      ].join('\n'),
      stderr: '',
    })
    expect([statSync(place).mode & 0o777, statSync(KEY_FILE).mode & 0o777]).toEqual([0o700, 0o600])
    expect(await first.readStart()).toEqual({ folder: `--directory-path=state=${place}`, key })
    expect(await first.stop('SIGINT')).toBe(0)
    const second = await startSandboxes()
    expect(second.output.stdout).not.toContain(key)
    expect(await second.readStart()).toMatchObject({ key })
  })

  it('prints an expression for the key that a shell can read in a folder with a quote', async () => {
    const { output, readStart } = await startSandboxes({}, '--data', "o'brien")
    const [, expression] = /Account-Key: (.+)"/.exec(output.stdout) ?? []
    const read = execFileSync('sh', ['-c', `printf %s "${expression}"`], { encoding: 'utf8' })
    expect(await readStart()).toMatchObject({ key: read })
  })

  it('uses the key of ACCOUNT_KEY, and neither stores nor prints it', async () => {
    const { output, readStart, stop } = await startSandboxes({ ACCOUNT_KEY: 'hush' }, '--data', 'elsewhere')
    expect(await readStart()).toEqual({ folder: `--directory-path=state=${join(folder, 'elsewhere')}`, key: 'hush' })
    expect(output.stdout).toContain('-H "Fauxgate-Account-Key: $ACCOUNT_KEY"\n')
    expect(output.stdout + output.stderr).not.toContain('hush')
    expect(readdirSync('elsewhere')).toEqual(['lock.sock'])
    expect(await stop('SIGHUP')).toBe(0)
  })

  it('warns when other machines can reach it', async () => {
    const { output, url } = await startSandboxes({}, '--host', '0.0.0.0')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/)
    expect(output.stderr).toMatch(
      /^fauxgate: warning: other machines can reach this address, over plain HTTP\. .*PUBLIC_URL/,
    )
  })

  it('ends immediately at a second signal, if it does not stop after the first one', async () => {
    const { stop } = await startSandboxes({ ENDS: 'late' })
    void stop()
    expect(await stop()).toBe(0)
  })

  it('ends after 3 s, if it does not stop earlier', async () => {
    const { stop } = await startSandboxes({ ENDS: 'late' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const stopped = stop()
    await vi.advanceTimersByTimeAsync(3000)
    expect(await stopped).toBe(0)
  })

  it.each([
    ['crash', 'with code 3'],
    ['killed', 'because of SIGKILL'],
  ])('reports how workerd ended unexpectedly: %s', async (path, how) => {
    const { output, url, stop } = await startSandboxes()
    await fetch(`${url}/${path}`).catch(() => undefined)
    await expect.poll(() => output.stderr).toBe(`fauxgate: workerd exited unexpectedly, ${how}.\n`)
    expect(await stop()).toBe(1)
  })

  it.each<[environment: NodeJS.ProcessEnv, code: number, message: string]>([
    [{ ACCOUNT_KEY: '' }, 2, 'ACCOUNT_KEY is empty. Set a value, or unset it. See "fauxgate help sandbox".'],
    // The Worker rejects the variable.
    [{ MOST_RECORDS: 'many' }, 1, 'MOST_RECORDS is wrong.'],
    // The process of workerd ends early.
    [{ ENDS: 'early' }, 1, 'workerd exited with code 4 before it was listening.'],
  ])('ends with a sentence with %j', async (environment, code, message) => {
    expect(await runToEnd(environment, 'sandbox', '--port', '0')).toMatchObject({
      code,
      stderr: `fauxgate: ${message}\n`,
    })
  })

  it('names a free port if its port is taken', async () => {
    const { port } = new URL(await listen(createServer()))
    const { code, stderr } = await runToEnd({}, 'sandbox', '--port', port)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^fauxgate: Port ${port} on 127.0.0.1 is in use .* --port \\d+, or --port 0`))
    expect(existsSync('fauxgate-sandboxes')).toBe(false)
  })

  it.each([
    ['is a file', 'data', 'FOLDER/data cannot be written: it is a file, not a folder. Choose a folder '],
    ['is in a file', 'data/below', 'FOLDER/data/below cannot be written: part of its path is not a folder. '],
  ])('rejects a folder that %s', async (_what, data, message) => {
    writeFileSync('data', 'mine')
    const { code, stderr } = await runToEnd({}, 'sandbox', '--port', '0', '--data', data)
    expect(code).toBe(1)
    expect(stderr).toContain(`fauxgate: --data: ${message.replace('FOLDER', folder)}`)
  })

  it('rejects an empty key file', async () => {
    mkdirSync('fauxgate-sandboxes')
    writeFileSync(KEY_FILE, '\n')
    const { code, stderr } = await runToEnd({}, 'sandbox', '--port', '0')
    expect([code, stderr]).toEqual([
      1,
      `fauxgate: ${join(folder, KEY_FILE)} is empty. Write the account key into it, or remove it.\n`,
    ])
  })
})

describe('fauxgate sandbox says how to install workerd', () => {
  it('if it is missing', async () => {
    enterNewFolder()
    expect(await runToEnd({}, 'sandbox')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'fauxgate: workerd, which runs the sandboxes, is not installed here. Install it with "npm install --save-dev workerd" (about 120 MB), or run "npx -p fauxgate -p workerd fauxgate sandbox".\n',
    })
  })

  it('and passes on the reason if it cannot run', async () => {
    installFakeWorkerd(folder, "throw new Error('Not this platform.')")
    const { code, stderr } = await runToEnd({}, 'sandbox')
    expect([code, stderr]).toEqual([1, 'fauxgate: workerd cannot run here: Not this platform.\n'])
  })
})

describe('The data folder of sandboxes', () => {
  const objects = 'fauxgate-sandboxes/fauxgate-sandbox'
  const fileOf = (name: string) => `${objects}/${name}.sqlite`

  function openDatabase(name: string, ...statements: string[]) {
    mkdirSync(objects, { recursive: true })
    const database = nodeSqlite()(fileOf(name))
    for (const statement of ['PRAGMA journal_mode = WAL', ...statements]) database.exec(statement)
    return database
  }

  /** Writes the files of a database as a killed process leaves them. */
  function writeKilledDatabase(name: string, ...statements: string[]) {
    const database = openDatabase('bad', ...statements)
    for (const end of ['', '-wal']) copyFileSync(fileOf('bad') + end, fileOf(name) + end)
    database.close()
  }

  const TABLE = 'CREATE TABLE facts (fact TEXT)'

  testSqlite('loses the empty files of removed sandboxes, also after a kill', async () => {
    openDatabase('metadata', TABLE).close()
    openDatabase('a1', TABLE, 'DROP TABLE facts', 'VACUUM').close()
    writeKilledDatabase('a2', TABLE, 'PRAGMA wal_checkpoint', 'DROP TABLE facts')
    writeKilledDatabase('b1', TABLE)
    openDatabase('b2', TABLE).close()
    writeFileSync(fileOf('b3'), 'no database')
    openDatabase('bad', 'DROP TABLE IF EXISTS facts', 'VACUUM').close()
    const { output } = await startSandboxes()
    expect(output.stdout).toMatch(/^Removed 3 empty files of deleted sandboxes\.\n/)
    expect(readdirSync(objects).sort()).toEqual(['b1.sqlite', 'b2.sqlite', 'b3.sqlite', 'metadata.sqlite'])
  })

  testSqlite('is rejected while another process has it open, and stays unchanged', async () => {
    openDatabase('a1').close()
    const other = openDatabase('metadata', TABLE, 'BEGIN IMMEDIATE')
    onTestFinished(() => other.close())
    const { code, stderr } = await runToEnd({}, 'sandbox', '--port', '0')
    expect(code).toBe(1)
    expect(stderr).toContain('metadata.sqlite cannot be opened: another process or store has it open.\n')
    expect(existsSync(fileOf('a1'))).toBe(true)
  })

  it('is rejected while another process serves it, with every Node, and free again after it ended or was killed', async () => {
    const data = join(folder, 'data')
    const run = () => runToEnd({}, 'sandbox', '--port', '0', '--data', data)
    const first = startProcess({}, 'sandbox', '--port', '0', '--data', data)
    await waitUntil(() => first.output.stdout.includes('curl'))
    for (const wrap of [withoutSqlite, (work: () => Promise<void>) => work()]) {
      await wrap(async () => {
        const { code, stderr } = await run()
        expect([code, stderr]).toEqual([
          1,
          `fauxgate: --data: ${data} is in use by another "fauxgate sandbox" process.\n`,
        ])
      })
    }
    first.child.kill('SIGKILL')
    await first.exited
    // The socket of the killed process is still there.
    expect(readdirSync(data)).toContain('lock.sock')
    const second = await startSandboxes({}, '--data', data)
    expect(await second.stop()).toBe(0)
    expect(readdirSync(data)).not.toContain('lock.sock')
  })

  it('may have a path that is too long for a socket', async () => {
    const data = join(folder, 'd'.repeat(100))
    const first = startProcess({}, 'sandbox', '--port', '0', '--data', data)
    await waitUntil(() => first.output.stdout.includes('curl'))
    expect((await runToEnd({}, 'sandbox', '--port', '0', '--data', data)).stderr).toContain(
      'is in use by another "fauxgate sandbox" process',
    )
  })

  it('is no longer used by workerd after the command was killed', async () => {
    const { child, output, exited } = startProcess({}, 'sandbox', '--port', '0')
    await waitUntil(() => output.stdout.includes('curl'))
    const [url = ''] = /http:[^\s]+/.exec(output.stdout) ?? []
    expect((await fetch(url)).status).toBe(200)
    child.kill('SIGKILL')
    await exited
    await waitUntil(() =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    )
  })

  it('is used unchanged by a Node without SQLite', async () => {
    mkdirSync(objects, { recursive: true })
    writeFileSync(fileOf('metadata'), '')
    writeFileSync(fileOf('a1'), '')
    await withoutSqlite(async () => void (await startSandboxes()))
    expect(readdirSync(objects).sort()).toEqual(['a1.sqlite', 'metadata.sqlite'])
  })
})
