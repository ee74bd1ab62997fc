import { afterEach, describe, expect, it } from 'vitest'
// No types come with it.
// @ts-expect-error
import { removeEmptied } from '../../examples/sandbox/emptied.mjs'
import { SharedSandboxes, until } from './support/served.ts'

let sandboxes: SharedSandboxes
afterEach(() => sandboxes.stop())

describe('Sandboxes that are gone (rules: sandboxes#removal)', () => {
  it('leave an empty file each, which the example removes while nothing runs, and says how many', async () => {
    sandboxes = await new SharedSandboxes().start()
    const stays = await sandboxes.create('stays')
    const { body } = await stays.ask('POST', '/reserved_addrs', { description: 'still there' })
    for (let n = 0; n < 5; n++) {
      const one = await sandboxes.create(`goes-${n}`, n < 2 ? { ttl: '1s' } : {})
      await one.ask('POST', '/reserved_addrs', {})
      if (n >= 2) await sandboxes.account('DELETE', `/s/goes-${n}`)
    }
    expect((await sandboxes.account('PUT', '/s/refused', { provisioningDelay: 'soon' })).status).toBe(400)
    const left = async () => (await sandboxes.account('GET', '/s')).body.sandboxes
    await until(left, ({ length }) => length === 1)
    expect(sandboxes.files).toHaveLength(7)
    expect(removeEmptied(sandboxes.folderOfFiles)).toBe(0)
    await sandboxes.kill('SIGTERM')
    expect(removeEmptied(sandboxes.folderOfFiles)).toBe(6)
    expect(sandboxes.files).toHaveLength(1)
    await sandboxes.start()
    expect((await stays.ask('GET', `/reserved_addrs/${body.id}`)).body.description).toBe('still there')
    const again = await sandboxes.create('goes-3')
    expect((await again.ask('GET', '/reserved_addrs')).body.reserved_addrs).toEqual([])
  })
})
