import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, type Gateway, manualClock, sqlStore } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import { nodeSqlite, SqliteFile } from '../../../src/server/sqlite/sqlite-file.ts'
import { GroupedStore } from '../../../src/server/sqlite/sqlite-store.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { describeSqlite, memoryDatabase, newFile, withoutSqlite } from '../../support/sqlite.ts'

function openStore(file: string) {
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  return { store, gateway: createGateway({ store, clock: manualClock(CLOCK_START), seed: 'file' }) }
}

const countAddresses = (gateway: Gateway) => gateway.reservedAddrs.list().reserved_addrs.length

const create = (gateway: Gateway) => client(gateway)('POST', '/reserved_addrs', { json: {} })

describe('Without SQLite', () => {
  it('a file is rejected, and the error names the required version of Node', async () => {
    await withoutSqlite(() =>
      expect(() => sqliteStore('never.db')).toThrow(/^A SQLite file requires Node 22\.13 or newer/),
    )
    expect(existsSync('never.db')).toBe(false)
  })
})

describeSqlite('A SQLite file', () => {
  it('is readable only by its owner, and so is its log (rules: stores#sqlite-files)', async () => {
    const file = newFile()
    writeFileSync(file, '', { mode: 0o644 })
    const { gateway, store } = openStore(file)
    await create(gateway)
    for (const name of [file, `${file}-wal`]) expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600])
    expect(existsSync(`${file}-shm`)).toBe(false)
    store.close()
    expect(readdirSync(dirname(file))).toEqual(['gateway.db'])
    // A copy with a log can be opened.
    const reopened = openStore(file)
    await create(reopened.gateway)
    copyFileSync(file, `${file}.copy`)
    copyFileSync(`${file}-wal`, `${file}.copy-wal`)
    openStore(`${file}.copy`).store.close()
    reopened.store.close()
    expect(readdirSync(dirname(file))).toEqual(['gateway.db', 'gateway.db.copy'])
  })

  it('keeps direct calls at the end of the process', () => {
    const file = newFile()
    const { gateway, store } = openStore(file)
    gateway.reservedAddrs.create()
    store.close()
    store.close()
    expect(countAddresses(openStore(file).gateway)).toBe(1)
    expect(() => gateway.reservedAddrs.create()).toThrow('the store is closed')
  })

  it('is refused to a second store, in this process and in another one', () => {
    const file = newFile()
    openStore(file)
    expect(() => sqliteStore(file)).toThrow(`The store ${file} cannot be opened: another process or store has it open.`)
    const script = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}).exec('CREATE TABLE x (y)')`
    expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stderr).toContain('database is locked')
  })

  it.each([
    ['no folder', (file: string) => rmSync(dirname(file), { recursive: true })],
    ['a folder in its place', (file: string) => mkdirSync(file)],
    ['a text', (file: string) => writeFileSync(file, 'not a database, but long enough to be looked at')],
  ])('is rejected with the reason: %s', (_what, prepare) => {
    const file = newFile()
    prepare(file)
    const before = existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined
    const mode = existsSync(file) && statSync(file).mode
    expect(() => sqliteStore(file)).toThrow(/^The store .*gateway\.db cannot be opened: /)
    expect(existsSync(file) && statSync(file).mode).toBe(mode)
    if (before) expect(readFileSync(file)).toEqual(before)
  })

  it('that is damaged is rejected with the error of SQLite, and stays unchanged', async () => {
    const file = newFile()
    const { gateway, store } = openStore(file)
    for (let n = 0; n < 300; n++) gateway.reservedAddrs.create({ description: 'x'.repeat(200) })
    await store.flushed()
    store.close()
    const bytes = readFileSync(file)
    bytes.fill(0xa5, 3 * 4096, 9 * 4096)
    writeFileSync(file, bytes)
    expect(() => sqliteStore(file)).toThrow(/cannot be opened: (it is damaged: |database disk image is malformed)/)
    expect(readFileSync(file)).toEqual(bytes)
  })

  it.each(['deleted', 'replaced'])('that is %s while it is open accepts no more commits', async (how) => {
    const file = newFile()
    const { gateway } = openStore(file)
    await create(gateway)
    renameSync(file, `${file}.away`)
    if (how === 'replaced') copyFileSync(`${file}.away`, file)
    const answer = await create(gateway)
    expect(answer.body).toMatchObject({ error_code: 'ERR_GATEWAY_90507' })
    expect(answer.body.msg).toContain('was deleted or replaced')
    expect((await client(gateway)('GET', '/reserved_addrs')).status).toBe(507)
    rmSync(file, { force: true })
    renameSync(`${file}.away`, file)
    expect((await create(gateway)).status).toBe(201)
    expect(countAddresses(gateway)).toBe(2)
  })

  it('is written once for all requests that arrive together', async () => {
    const statements: string[] = []
    const file = new SqliteFile(newFile(), (name, options) => {
      const database = nodeSqlite()(name, options)
      const exec = database.exec.bind(database)
      return Object.assign(database, {
        exec(sql: string) {
          statements.push(sql)
          exec(sql)
        },
      })
    })
    const store = new GroupedStore(file)
    onTestFinished(() => store.close())
    const gateway = createGateway({ store })
    await store.flushed()
    statements.length = 0
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(gateway)))
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    expect(statements).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  })

  it('on a full disk is named by the error of each call', async () => {
    const name = newFile()
    let database: ReturnType<ReturnType<typeof nodeSqlite>> | undefined
    const file = new SqliteFile(name, (...open) => {
      database = nodeSqlite()(...open)
      return database
    })
    const store = new GroupedStore(file)
    onTestFinished(() => store.close())
    const gateway = createGateway({ store })
    await store.flushed()
    database?.exec('PRAGMA max_page_count = 1')
    const metadata = 'x'.repeat(4096)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client(gateway)('POST', '/reserved_addrs', { json: { metadata } })),
    )
    const full = expect.stringContaining(`Cause: ${name} cannot be written: the disk is full. Free some space on it.`)
    expect(answers.at(-1)).toMatchObject({ status: 507, body: { msg: full } })
  })

  it('that a killed process left with a journal can be opened (rules: stores#sqlite-files)', () => {
    const file = newFile()
    const database = nodeSqlite()(file)
    // Pages go to the file before the end of the transaction, so the journal is hot.
    database.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; CREATE TABLE other (x)')
    for (let n = 0; n < 50; n++) database.exec(`INSERT INTO other VALUES ('${'x'.repeat(3000)}')`)
    const copy = newFile()
    for (const end of ['', '-journal']) copyFileSync(file + end, copy + end)
    database.close()
    const { gateway } = openStore(copy)
    gateway.reservedAddrs.create()
    expect(existsSync(`${copy}-journal`)).toBe(false)
    expect(countAddresses(gateway)).toBe(1)
  })

  it('can be opened through a symbolic link, and a missing log is noticed', async () => {
    const file = newFile()
    const link = `${newFile()}-link`
    writeFileSync(file, '')
    symlinkSync(file, link)
    const { gateway } = openStore(link)
    expect((await create(gateway)).status).toBe(201)
    rmSync(`${file}-wal`)
    expect((await create(gateway)).status).toBe(507)
    rmSync(link)
    symlinkSync(`${file}-gone`, link)
    expect(() => sqliteStore(link)).toThrow('it is a symbolic link to a file that does not exist')
  })

  it('can be one of many open files, without a warning of Node about a leak', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => emitWarning.mockRestore())
    const maxListeners = process.getMaxListeners()
    const stores = Array.from({ length: 12 }, () => sqliteStore(newFile()))
    expect(emitWarning).not.toHaveBeenCalled()
    for (const store of stores) store.close()
    expect(process.getMaxListeners()).toBe(maxListeners)
  })

  it('with a newer version of the tables is rejected', () => {
    const database = memoryDatabase()
    database.exec('CREATE TABLE fauxgate_schema (version INTEGER NOT NULL); INSERT INTO fauxgate_schema VALUES (99)')
    const store = sqlStore(
      (sql, ...values) => database.prepare(sql).all(...values),
      (work) => work(),
    )
    expect(() => createGateway({ store })).toThrow(
      /^The store cannot be read: its tables have version 99\. Allowed: up to 3\./,
    )
  })
})
