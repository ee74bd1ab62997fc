import { describe, expect } from 'vitest'
import { testSqlite } from '../support/sqlite.ts'
import { startSandboxes, waitUntil } from './support/sandboxes.ts'

describe('Removed sandboxes (rules: sandboxes#removal)', () => {
  testSqlite('leave empty files, which the command removes at its start, after a stop and after a kill', async () => {
    const sandboxes = await startSandboxes()
    const survivor = await sandboxes.create('stays')
    const { body } = await survivor.send('POST', '/reserved_addrs', { description: 'still there' })
    const ending = []
    for (let n = 0; n < 5; n++) {
      const one = await sandboxes.create(`goes-${n}`, n < 2 ? { ttl: '1s' } : {})
      await one.send('POST', '/reserved_addrs', {})
      if (n < 2) ending.push(one)
      else await sandboxes.callAccount('DELETE', `/s/goes-${n}`)
    }
    const listRemaining = () => sandboxes.listNames()
    await waitUntil(listRemaining, ({ length }) => length === 1)
    // The account removes the name before the data is deleted. The sandbox itself responds after that.
    for (const one of ending) expect((await one.send('GET', '/reserved_addrs')).status).toBe(401)
    expect(sandboxes.files).toHaveLength(6)
    await expect(sandboxes.startByCommand()).rejects.toThrow('another process or store has it open')
    expect((await sandboxes.callAccount('PUT', '/s/refused', { provisioningDelay: 'soon' })).status).toBe(400)
    await sandboxes.kill('SIGTERM')
    expect(await sandboxes.startByCommand()).toMatch(/^Removed 6 empty files of deleted sandboxes\.\n/)
    expect(sandboxes.files).toHaveLength(1)
    await sandboxes.start()
    await sandboxes.create('goes')
    await sandboxes.callAccount('DELETE', '/s/goes')
    await sandboxes.kill('SIGKILL')
    expect(await sandboxes.startByCommand()).toMatch(/^Removed 1 empty file of deleted sandboxes\.\n/)
    expect(sandboxes.files).toHaveLength(1)
    await sandboxes.start()
    expect((await survivor.send('GET', `/reserved_addrs/${body.id}`)).body.description).toBe('still there')
    const again = await sandboxes.create('goes-3')
    expect((await again.send('GET', '/reserved_addrs')).body.reserved_addrs).toEqual([])
  })
})
