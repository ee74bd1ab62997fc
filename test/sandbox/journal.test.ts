import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredJournal } from '../../src/sandbox/journal.ts'
import type { ObjectStorage } from '../../src/sandbox/objects.ts'
import { MANAGED_DOMAIN, MANUAL_CLOCK, type SandboxClient, useSandboxes } from './support/sandboxes.ts'

const sandboxes = useSandboxes()

type Entry = Readonly<Record<string, unknown>>

const listEntries = async (sandbox: SandboxClient): Promise<readonly Entry[]> =>
  (await sandbox.control('GET', '/requests')).body

/** Kills the process once the storage has the journal's entry of a request, and starts it again. */
async function killWhenStored({ operationId }: Entry): Promise<void> {
  const { objectFolder } = sandboxes
  const hasEntry = (name: string) => readFileSync(join(objectFolder, name)).includes(String(operationId))
  while (!readdirSync(objectFolder).some((name) => !name.endsWith('-shm') && hasEntry(name))) {
    await sandboxes.callAccount('GET', '/s')
  }
  await sandboxes.kill()
  await sandboxes.start()
}

describe('The journal of a sandbox (rules: sandboxes#journal)', () => {
  it('survives a kill of the process, without secrets, and continues', async () => {
    const sandbox = await sandboxes.create('ci', MANUAL_CLOCK)
    await sandbox.control('POST', '/faults', { operation: 'reserved_addrs.create', status: 503, times: 1 })
    await sandbox.send('POST', '/reserved_addrs', { description: 'refused' })
    const { body: domain } = await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    await sandbox.send('GET', '/nowhere')
    const before = await sandbox.control('GET', '/requests')
    expect(before.body).toHaveLength(3)
    await killWhenStored(before.body[2])
    const after = await sandbox.control('GET', '/requests')
    expect(after.body).toEqual(before.body)
    expect(after.text).not.toContain(sandbox.created.api_key)
    expect(after.body[0].fault).not.toBeNull()
    await sandbox.send('GET', `/reserved_domains/${domain.id}`)
    const all = await listEntries(sandbox)
    expect(all.map(({ path }) => path)).toEqual([
      '/reserved_addrs',
      '/reserved_domains',
      '/nowhere',
      `/reserved_domains/${domain.id}`,
    ])
    const since = await sandbox.control('GET', `/requests?after=${all[2]?.operationId}`)
    expect(since.body).toEqual(all.slice(3))
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(4)
  })

  it('is written by an alarm, not by a timer, which would keep the object awake', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const journal = new StoredJournal({} as ObjectStorage)
    journal.storeLater()
    expect([vi.getTimerCount(), journal.dueAt]).toEqual([0, Date.now() + 1000])
  })

  it('has the last 200 requests, also those from before a restart', async () => {
    const sandbox = await sandboxes.create('many', MANUAL_CLOCK)
    for (let n = 0; n < 150; n++) await sandbox.send('GET', `/nowhere/${n}`)
    await killWhenStored((await listEntries(sandbox)).at(-1) as Entry)
    for (let n = 150; n < 250; n++) await sandbox.send('GET', `/nowhere/${n}`)
    const all = await listEntries(sandbox)
    expect(all.map(({ path }) => path)).toEqual(Array.from({ length: 200 }, (_, n) => `/nowhere/${n + 50}`))
    await killWhenStored(all.at(-1) as Entry)
    expect(await listEntries(sandbox)).toEqual(all)
  })

  it('stays empty after it was cleared, and is deleted with its sandbox', async () => {
    const sandbox = await sandboxes.create('emptied', MANUAL_CLOCK)
    await sandbox.send('GET', '/nowhere/before')
    await killWhenStored((await listEntries(sandbox))[0] as Entry)
    await sandbox.control('DELETE', '/requests')
    await sandbox.send('GET', '/nowhere/after')
    const all = await listEntries(sandbox)
    expect(all.map(({ path }) => path)).toEqual(['/nowhere/after'])
    await killWhenStored(all[0] as Entry)
    expect(await listEntries(sandbox)).toEqual(all)
    await sandboxes.callAccount('DELETE', '/s/emptied')
    expect(await listEntries(await sandboxes.create('emptied', MANUAL_CLOCK))).toEqual([])
  })
})
