import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { serve, sqliteStore } from '../../src/server/node.ts'
import { client } from '../support/client.ts'
import { stateWithSecretsOf } from '../support/gateway.ts'
import { NEW_YEAR } from '../support/provisioning.ts'
import { titleWithRequirement } from '../support/requirements.ts'
import { describeSqlite, hasSqlite, newFile } from '../support/sqlite.ts'

const mounts = (...args: string[]) => spawnSync('mount', args).status === 0

/** A folder that is a disk of its own, of so many KiB, until the end of the test. */
function diskOf(kib: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-disk-'))
  expect(mounts('-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder)).toBe(true)
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const mayMount =
  process.platform === 'linux' &&
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0

const open = (file: string) => {
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  return { store, gateway: createGateway({ store, clock: manualClock(NEW_YEAR), authorityKeys: 'fresh' }) }
}

describe.runIf(mayMount || !hasSqlite)(
  titleWithRequirement('On a disk of its own', mayMount || !hasSqlite, 'no disk can be mounted'),
  () =>
    describeSqlite('a SQLite file', () => {
      it('that is full answers 507, loses nothing, and continues where there is room (rules: stores#failures)', async () => {
        const folder = diskOf(512)
        const file = join(folder, 'gateway.db')
        const ballast = join(folder, 'ballast')
        writeFileSync(ballast, Buffer.alloc(128 * 1024))
        const { gateway, store } = open(file)
        const server = await serve(gateway)
        onTestFinished(() => void server.close())
        const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
        const body = JSON.stringify({ description: 'x'.repeat(250) })
        const post = async () => (await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers, body })).status
        const made = () => gateway.leftovers().length
        let created = 0
        let refused = 0
        while (refused < 12) {
          for (const status of await Promise.all([post(), post(), post()])) {
            expect([201, 507]).toContain(status)
            created += status === 201 ? 1 : 0
            refused += status === 507 ? 1 : 0
          }
          expect(made()).toBe(created)
        }
        const before = stateWithSecretsOf(gateway)
        expect(() => gateway.reservedAddrs.get('ra_gone')).toThrow('ra_gone')
        rmSync(ballast)
        expect(await post()).toBe(201)
        expect(made()).toBe(created + 1)
        expect(created).toBeGreaterThan(0)
        await server.close()
        const after = stateWithSecretsOf(gateway)
        store.close()
        expect(before).not.toBe(after)
        expect(stateWithSecretsOf(open(file).gateway)).toBe(after)
      })

      it('that has no room for it at all is refused, and says why', () => {
        const folder = diskOf(16)
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(12 * 1024))
        expect(() => sqliteStore(join(folder, 'gateway.db'))).toThrow(
          /gateway\.db cannot be opened: .*(full|disk|ENOSPC)/,
        )
      })

      it('that can only be read is refused, and stays as it is', async () => {
        const folder = diskOf(1024)
        const file = join(folder, 'gateway.db')
        const { gateway, store } = open(file)
        gateway.reservedAddrs.create()
        await store.flushed()
        store.close()
        const bytes = readFileSync(file)
        expect(mounts('-o', 'remount,ro', folder)).toBe(true)
        expect(() => sqliteStore(file)).toThrow(/gateway\.db cannot be opened: its disk can only be read/)
        expect(() => sqliteStore(join(folder, 'new.db'))).toThrow(/new\.db cannot be opened: its disk can only be read/)
        expect(readFileSync(file)).toEqual(bytes)
        expect(readdirSync(folder)).toEqual(['gateway.db'])
        mounts('-o', 'remount,rw', folder)
        expect(open(file).gateway.leftovers()).toHaveLength(1)
      })
    }),
)

describeSqlite('A SQLite file whose log is gone', () => {
  it('answers 507 and says so', async () => {
    const file = newFile()
    const { gateway } = open(file)
    const ask = client(gateway)
    expect((await ask('POST', '/reserved_addrs', { json: {} })).status).toBe(201)
    const wal = readFileSync(`${file}-wal`)
    rmSync(`${file}-wal`)
    const answer = await ask('POST', '/reserved_addrs', { json: {} })
    expect([answer.status, answer.body.error_code]).toEqual([507, 'ERR_GATEWAY_90507'])
    expect(answer.body.msg).toContain('gateway.db-wal was deleted or replaced')
    expect(wal.length).toBeGreaterThan(0)
    expect(existsSync(file)).toBe(true)
  })
})
