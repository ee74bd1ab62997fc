import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import { Bucket } from './support/bucket.ts'
import { MANAGED_DOMAIN, MANUAL_CLOCK, SharedSandboxes, waitUntil } from './support/sandboxes.ts'

// workerd calls its clusters experimental: https://github.com/cloudflare/workerd, ClusterConfig of workerd.capnp
const member = { key: 'a secret of at least 32 bytes, for this test', timesFaster: 2 }

let bucket: Bucket
let instances: readonly [SharedSandboxes, SharedSandboxes, SharedSandboxes]
beforeEach(async () => {
  bucket = new Bucket()
  const env = await bucket.start()
  const startInstance = () => new SharedSandboxes(env, member).start()
  instances = [await startInstance(), await startInstance(), await startInstance()]
})
afterEach(async () => {
  for (const instance of instances) await instance.stop()
  bucket.stop()
})

/** Repeats a request until another instance has taken over the object. */
const waitForResponse = (send: () => Promise<Answer>) => waitUntil(send, ({ status }) => status !== 503)

describe('Instances of a cluster', () => {
  it('share all sandboxes: a sandbox created through one instance can be used through every other', async () => {
    const [first, second, third] = instances
    const sandbox = await first.create('shared', MANUAL_CLOCK)
    const response = await sandbox.in(second).send('POST', '/reserved_addrs', { description: 'by the second' })
    expect(response.body.uri).toBe(`${second.url}/s/shared/reserved_addrs/${response.body.id}`)
    await sandbox.in(third).control('POST', '/clock', { advance: '1h' })
    expect((await sandbox.send('GET', '/reserved_addrs')).body.reserved_addrs).toMatchObject([{ id: response.body.id }])
    expect((await sandbox.control('GET', '/clock')).body.now).toBe('2026-01-01T01:00:00Z')
    expect((await second.callAccount('PUT', '/s/shared', {})).status).toBe(409)
    expect((await third.callAccount('GET', '/s')).body.sandboxes).toMatchObject([{ name: 'shared' }])
    const other = await third.create('other')
    expect((await other.in(first).send('GET', '/reserved_addrs')).status).toBe(200)
    const foreignClient = sandbox.withKeys({ api_key: other.created.api_key })
    expect((await foreignClient.send('GET', '/reserved_addrs')).status).toBe(401)
  })

  it('lose no answered write and repeat no id when one instance is killed and its disk is lost', async () => {
    const [first, second, third] = instances
    const sandboxes = await Promise.all(['one', 'two', 'three', 'four'].map((name) => first.create(name)))
    const ids = new Map(sandboxes.map((sandbox) => [sandbox, new Set<string>()]))
    const writers = sandboxes.map(async (sandbox, n) => {
      const one = sandbox.in(n % 2 === 0 ? second : third)
      const created = ids.get(sandbox) as Set<string>
      for (let isLost = false; created.size < 40; ) {
        const { status, body } = await one.send('POST', '/reserved_addrs', {})
        if (status === 201) created.add(body.id)
        else expect(body.error_code).toBe('ERR_GATEWAY_90605')
        if (created.size < 20 || isLost) continue
        isLost = true
        await first.stop()
      }
    })
    await Promise.all(writers)
    for (const sandbox of sandboxes) {
      const { body } = await waitForResponse(() => sandbox.in(second).send('GET', '/reserved_addrs?limit=100'))
      const storedIds = body.reserved_addrs.map(({ id }: { id: string }) => id)
      expect(new Set(storedIds).size).toBe(storedIds.length)
      expect(storedIds).toEqual(expect.arrayContaining([...(ids.get(sandbox) as Set<string>)]))
    }
  })

  it('run the due events of a sandbox whose instance has ended, without any request', async () => {
    const [first, second] = instances
    const sandbox = await first.create('ends', { ttl: '2s' })
    await first.create('stays')
    await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    await first.stop()
    // This calls only the account, which does not read the time.
    let count = 2
    while (count > 1) count = (await waitForResponse(() => second.callAccount('GET', '/s'))).body.sandboxes.length
    expect((await second.callAccount('GET', '/s')).body.sandboxes).toMatchObject([{ name: 'stays' }])
  })

  it('take over the sandboxes of a stopped instance, with every answered write', async () => {
    const [first, second] = instances
    const sandbox = (await first.create('moved')).in(second)
    const stop = first.kill('SIGTERM').then(() => true)
    const created: string[] = []
    for (let isStopped = false; !isStopped; isStopped = await Promise.race([stop, false])) {
      const { body } = await waitForResponse(() => sandbox.send('POST', '/reserved_addrs', {}))
      created.push(body.id)
    }
    expect((await waitForResponse(() => sandbox.send('POST', '/reserved_addrs', {}))).status).toBe(201)
    for (const id of created) expect((await sandbox.send('GET', `/reserved_addrs/${id}`)).status).toBe(200)
  })
})
