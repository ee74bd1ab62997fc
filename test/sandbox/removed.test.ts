import { describe, expect } from 'vitest'
import { testSqlite } from '../support/sqlite.ts'
import { startedSandboxes, until } from './support/served.ts'

describe('Sandboxes that are gone (rules: sandboxes#removal)', () => {
  testSqlite('leave empty files, which the command removes at its start, after a stop and after a kill', async () => {
    const sandboxes = await startedSandboxes()
    const stays = await sandboxes.create('stays')
    const { body } = await stays.ask('POST', '/reserved_addrs', { description: 'still there' })
    const ending = []
    for (let n = 0; n < 5; n++) {
      const one = await sandboxes.create(`goes-${n}`, n < 2 ? { ttl: '1s' } : {})
      await one.ask('POST', '/reserved_addrs', {})
      if (n < 2) ending.push(one)
      else await sandboxes.account('DELETE', `/s/goes-${n}`)
    }
    const left = () => sandboxes.names()
    await until(left, ({ length }) => length === 1)
    // The account forgets a sandbox before its data is gone. The answer of the sandbox itself comes after that.
    for (const one of ending) expect((await one.ask('GET', '/reserved_addrs')).status).toBe(401)
    expect(sandboxes.files).toHaveLength(6)
    await expect(sandboxes.startedByCommand()).rejects.toThrow('another process, or another store, has it open')
    expect((await sandboxes.account('PUT', '/s/refused', { provisioningDelay: 'soon' })).status).toBe(400)
    await sandboxes.kill('SIGTERM')
    expect(await sandboxes.startedByCommand()).toMatch(/^Removed 6 empty files of sandboxes that are gone\.\n/)
    expect(sandboxes.files).toHaveLength(1)
    await sandboxes.start()
    await sandboxes.create('goes')
    await sandboxes.account('DELETE', '/s/goes')
    await sandboxes.kill('SIGKILL')
    expect(await sandboxes.startedByCommand()).toMatch(/^Removed 1 empty file of sandboxes that are gone\.\n/)
    expect(sandboxes.files).toHaveLength(1)
    await sandboxes.start()
    expect((await stays.ask('GET', `/reserved_addrs/${body.id}`)).body.description).toBe('still there')
    const again = await sandboxes.create('goes-3')
    expect((await again.ask('GET', '/reserved_addrs')).body.reserved_addrs).toEqual([])
  })
})
