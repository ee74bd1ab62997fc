import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway, manualClock } from '../../../src/index.ts'
import { serve, sqliteStore } from '../../../src/server/node.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { stateWithSecretsOf } from '../../support/gateway.ts'
import { titleWithRequirement } from '../../support/requirements.ts'
import { describeSqlite, hasSqlite, newFile } from '../../support/sqlite.ts'

const mount = (...args: string[]) => spawnSync('mount', args).status === 0

/** Mounts a disk of this many KiB until the end of the test, and returns its folder. */
function mountDisk(kib: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-disk-'))
  expect(mount('-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder)).toBe(true)
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const canMount =
  process.platform === 'linux' &&
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0

const openStore = (file: string) => {
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  return { store, gateway: createGateway({ store, clock: manualClock(CLOCK_START), authorityKeys: 'fresh' }) }
}

describe.runIf(canMount || !hasSqlite)(
  titleWithRequirement('On its own disk', canMount || !hasSqlite, 'no disk can be mounted'),
  () =>
    describeSqlite('a SQLite file', () => {
      it('on a full disk answers 507, loses nothing, and continues once there is space (rules: stores#failures)', async () => {
        const folder = mountDisk(512)
        const file = join(folder, 'gateway.db')
        const ballast = join(folder, 'ballast')
        writeFileSync(ballast, Buffer.alloc(128 * 1024))
        const { gateway, store } = openStore(file)
        const server = await serve(gateway)
        onTestFinished(() => void server.close())
        const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
        const body = JSON.stringify({ description: 'x'.repeat(250) })
        const post = async () => (await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers, body })).status
        const countResources = () => gateway.leftovers().length
        let created = 0
        let refused = 0
        while (refused < 12) {
          for (const status of await Promise.all([post(), post(), post()])) {
            expect([201, 507]).toContain(status)
            created += status === 201 ? 1 : 0
            refused += status === 507 ? 1 : 0
          }
          expect(countResources()).toBe(created)
        }
        const before = stateWithSecretsOf(gateway)
        expect(() => gateway.reservedAddrs.get('ra_gone')).toThrow('ra_gone')
        rmSync(ballast)
        expect(await post()).toBe(201)
        expect(countResources()).toBe(created + 1)
        expect(created).toBeGreaterThan(0)
        await server.close()
        const after = stateWithSecretsOf(gateway)
        store.close()
        expect(before).not.toBe(after)
        expect(stateWithSecretsOf(openStore(file).gateway)).toBe(after)
      })

      it('on a disk without space for it is rejected, with the reason', () => {
        const folder = mountDisk(16)
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(12 * 1024))
        expect(() => sqliteStore(join(folder, 'gateway.db'))).toThrow(
          /gateway\.db cannot be opened: .*(full|disk|ENOSPC)/,
        )
      })

      it('on a read-only disk is rejected, and stays unchanged', async () => {
        const folder = mountDisk(1024)
        const file = join(folder, 'gateway.db')
        const { gateway, store } = openStore(file)
        gateway.reservedAddrs.create()
        await store.flushed()
        store.close()
        const bytes = readFileSync(file)
        expect(mount('-o', 'remount,ro', folder)).toBe(true)
        expect(() => sqliteStore(file)).toThrow(/gateway\.db cannot be opened: its disk is read-only/)
        expect(() => sqliteStore(join(folder, 'new.db'))).toThrow(/new\.db cannot be opened: its disk is read-only/)
        expect(readFileSync(file)).toEqual(bytes)
        expect(readdirSync(folder)).toEqual(['gateway.db'])
        mount('-o', 'remount,rw', folder)
        expect(openStore(file).gateway.leftovers()).toHaveLength(1)
      })
    }),
)

describeSqlite('A SQLite file whose log is gone', () => {
  it('makes the gateway answer 507 and name the log', async () => {
    const file = newFile()
    const { gateway } = openStore(file)
    const send = client(gateway)
    expect((await send('POST', '/reserved_addrs', { json: {} })).status).toBe(201)
    const wal = readFileSync(`${file}-wal`)
    rmSync(`${file}-wal`)
    const answer = await send('POST', '/reserved_addrs', { json: {} })
    expect([answer.status, answer.body.error_code]).toEqual([507, 'ERR_GATEWAY_90507'])
    expect(answer.body.msg).toContain('gateway.db-wal was deleted or replaced')
    expect(wal.length).toBeGreaterThan(0)
    expect(existsSync(file)).toBe(true)
  })
})
