import { describe, expect, it } from 'vitest'
import { MANAGED_DOMAIN, type SandboxClient, startSandboxes, waitUntil } from './support/sandboxes.ts'

/** Returns the ids of all addresses of a sandbox. */
async function listAddresses(sandbox: SandboxClient): Promise<string[]> {
  const ids: string[] = []
  for (let page = '/reserved_addrs?limit=100'; page; ) {
    const { body } = await sandbox.send('GET', page)
    ids.push(...body.reserved_addrs.map(({ id }: { id: string }) => id))
    page = body.next_page_uri?.slice(body.next_page_uri.indexOf('/reserved_addrs')) ?? ''
  }
  return ids
}

describe('A process that is killed', () => {
  it('has lost no answered write, and repeats no id', async () => {
    const sandboxes = await startSandboxes()
    const all = await Promise.all(['one', 'two', 'three'].map((name) => sandboxes.create(name)))
    const idsBySandbox = new Map(all.map((sandbox) => [sandbox, new Set<string>()]))
    for (let round = 0; round < 10; round++) {
      const writers = all.map(async (sandbox) => {
        for (;;) {
          const { status, body } = await sandbox.send('POST', '/reserved_addrs', {})
          if (status !== 201) throw new Error(JSON.stringify(body))
          const ids = idsBySandbox.get(sandbox) as Set<string>
          expect(ids).not.toContain(body.id)
          ids.add(body.id)
          // The first writer with enough addresses ends the round of all.
          if (ids.size >= (round + 1) * 12) await sandboxes.kill()
        }
      })
      await Promise.allSettled(writers)
      await sandboxes.start()
    }
    for (const sandbox of all) {
      const storedIds = await listAddresses(sandbox)
      expect(new Set(storedIds).size).toBe(storedIds.length)
      expect(storedIds).toEqual(expect.arrayContaining([...(idsBySandbox.get(sandbox) as Set<string>)]))
    }
  })

  it('runs events that fell due while it was down, each at its own time, after it has started again', async () => {
    const sandboxes = await startSandboxes()
    const sandbox = await sandboxes.create('asleep', { provisioningDelay: '1s', seed: 'due' })
    const { body: domain } = await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    await sandboxes.kill()
    await sandboxes.start()
    const getDomain = () => sandbox.send('GET', `/reserved_domains/${domain.id}`)
    const { body } = await waitUntil(getDomain, ({ body }) => body.certificate !== null)
    const { body: timeline } = await sandbox.control('GET', `/provisioning/timeline?id=${domain.id}`)
    const issuedEntry = timeline.find(({ transition }: { transition: string }) => transition === 'issued')
    expect(Date.parse(issuedEntry.at) - Date.parse(domain.created_at)).toBeLessThanOrEqual(2000)
    expect(body.certificate_management_status.renews_at).not.toBeNull()
  })

  it('removes a sandbox that ended while it was down, without any request', async () => {
    const sandboxes = await startSandboxes()
    await sandboxes.create('stays')
    const sandbox = await sandboxes.create('ends', { ttl: '1s' })
    await sandboxes.kill()
    await sandboxes.start()
    // This calls only the account, which does not read the time.
    const listRemaining = () => sandboxes.listNames()
    expect(await waitUntil(listRemaining, ({ length }) => length < 2)).toEqual(['stays'])
    expect((await sandbox.send('GET', '/reserved_addrs')).body.error_code).toBe('ERR_GATEWAY_90606')
    expect((await sandboxes.callAccount('PUT', '/s/ends', {})).status).toBe(201)
  })
})
