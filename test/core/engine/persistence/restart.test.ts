import { describe, expect, it } from 'vitest'
import { general } from '../../../../src/core/schema/general-errors.ts'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type HttpResponse,
  manualClock,
  type StoredCommit,
} from '../../../../src/index.ts'
import { client } from '../../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../../support/clock.ts'
import { createFullGateway, fullGatewayOptions } from '../../../support/full-gateway.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { dueAfter } from '../../../support/provisioning.ts'

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const

function send(gateway: Gateway, url: string): HttpResponse {
  return gateway.transport.exchange({ method: 'GET', url, header: () => null, body: '' })
}

const stateOf = (gateway: Gateway) => ({ ...gateway.snapshot({ privateKeys: true }), rateLimit: [] })

/** Creates a gateway with the commits of another one. */
function restartFrom(commits: readonly StoredCommit[], options: GatewayOptions = {}) {
  return createGateway({ clock: manualClock('2030-01-01T00:00:00Z'), ...options, store: memoryStore(commits) })
}

describe('A gateway that continues from a store', () => {
  it('has everything that a snapshot has, private keys and the time of a manual clock included, and the same future', async () => {
    const store = memoryStore()
    const gateway = await createFullGateway({ store })
    const restarted = createGateway({ ...fullGatewayOptions(), store: memoryStore(store.commits) })
    expect(restarted.clock.now).toBe(gateway.clock.now)
    expect(stateOf(restarted)).toEqual(stateOf(gateway))
    expect(restarted.provisioning.pendingOutcomes()).toEqual(gateway.provisioning.pendingOutcomes())
    for (const each of [gateway, restarted]) {
      each.clock.advance('200d')
      each.reservedAddrs.create()
    }
    expect(stateOf(restarted)).toEqual(stateOf(gateway))
  })

  it('starts a new window of the rate limit; a restored snapshot continues the old one (rules: stores#omitted-state)', async () => {
    const store = memoryStore()
    const rateLimit = { requests: 2, window: '1m' } as const
    const gateway = createGateway({ clock: manualClock(CLOCK_START), rateLimit, store })
    const listStatuses = async (target: Gateway) => {
      const answers = []
      for (const method of ['POST', 'GET', 'GET']) {
        answers.push(await client(target)(method, '/reserved_addrs', method === 'POST' ? { json: {} } : {}))
      }
      return answers.map(({ status }) => status)
    }
    expect(await listStatuses(gateway)).toEqual([201, 200, 429])
    expect(await listStatuses(restartFrom(store.commits, { rateLimit }))).toEqual([201, 200, 429])
    const restored = restartFrom(store.commits, { rateLimit })
    restored.restore(gateway.snapshot())
    expect(await listStatuses(restored)).toEqual([429, 429, 429])
  })

  it('uses no id again, of resources or of requests, whatever its seed is (rules: stores#ids)', async () => {
    const store = memoryStore()
    const gateway = createGateway({ seed: 'one', store })
    const ids = new Set<string>()
    const request = async (target: typeof gateway, method: string, path: string) => {
      const { headers, body } = await client(target)(method, path, method === 'POST' ? { json: {} } : {})
      for (const id of [headers.get('service-operation-id'), body?.id]) {
        if (!id) continue
        expect(ids).not.toContain(id)
        ids.add(id)
      }
    }
    await request(gateway, 'POST', '/reserved_addrs')
    for (let n = 0; n < 5; n++) await request(gateway, 'GET', '/reserved_addrs')
    gateway.dispose()
    for (const seed of ['one', 'two']) {
      const restarted = createGateway({ seed, store })
      for (let n = 0; n < 3; n++) await request(restarted, 'POST', '/reserved_addrs')
      for (let n = 0; n < 3; n++) await request(restarted, 'GET', '/nothing')
      restarted.dispose()
    }
    expect(ids.size).toBe(6 + 1 + 2 * 9)
  })

  it.each<[string, (gateway: Gateway) => HttpResponse]>([
    ['requests that change nothing', (gateway) => send(gateway, '/nothing')],
    ['calls of a control', (gateway) => send(gateway, '/_fauxgate/clock')],
    ['malformed requests', (gateway) => gateway.transport.refused(general.request_malformed, { problem: 'none' })],
  ])('does not reuse the operation ids of %s', (_what, respond) => {
    const idOf = (gateway: Gateway) => respond(gateway).headers['Service-Operation-Id']
    const store = memoryStore()
    const gateway = createGateway({ seed: 'one', store })
    const ids = new Set(Array.from({ length: 3000 }, () => idOf(gateway)))
    // The store does not get a commit for each id.
    expect(store.commits.length).toBeLessThan(10)
    const restarted = restartFrom(store.commits)
    expect([ids.size, ids.has(idOf(restarted))]).toEqual([3000, false])
  })

  it('does not create `initial` resources again, and still knows which resources are initial', () => {
    const initial = { reservedAddrs: [{}], compression: [{ edge_id: 'edghts_1', id: 'edghtsrt_1' }] }
    const store = memoryStore()
    const gateway = createGateway({ store, initial })
    const { id } = gateway.reservedAddrs.create()
    const restarted = restartFrom(store.commits, { initial })
    expect(restarted.reservedAddrs.list().reserved_addrs).toHaveLength(2)
    expect(restarted.leftovers()).toEqual([{ family: 'reserved_addrs', id }])
    restarted.reset()
    expect(restarted.reservedAddrs.list().reserved_addrs).toHaveLength(1)
    expect(restarted.leftovers()).toEqual([])
  })

  it.each([
    ['test keys', 'test'],
    ['fresh keys', 'fresh'],
    ['keys from a secret', { secret: 'nobody can guess this' }],
  ] as const)('has the same authority and the same certificates with %s', (_name, authorityKeys) => {
    const store = memoryStore()
    const options = { authorityKeys, clock: manualClock(CLOCK_START) }
    const gateway = createGateway({ ...options, store })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    gateway.clock.advanceToNext()
    const { certificate } = gateway.reservedDomains.get(id)
    const restarted = restartFrom(store.commits, { authorityKeys })
    expect(restarted.authority.certificatePem).toBe(gateway.authority.certificatePem)
    const certificateId = certificate?.id as string
    expect(restarted.tlsCertificates.get(certificateId).certificate_pem).toBe(
      gateway.tlsCertificates.get(certificateId).certificate_pem,
    )
    expect(restarted.authority.privateKeyPem(certificateId)).toBe(gateway.authority.privateKeyPem(certificateId))
  })

  it('appends nothing that the store already has: not at the start, at a read, or with a change', () => {
    const clock = manualClock(CLOCK_START)
    const options = { clock, authorityKeys: 'fresh', initial: { reservedAddrs: [{}] } } as const
    const store = memoryStore()
    createGateway({ ...options, store }).dispose()
    const before = store.commits.length
    const restarted = createGateway({ ...options, store })
    restarted.reservedAddrs.list()
    expect(store.commits.slice(before)).toEqual([])
    const { id } = restarted.reservedAddrs.create()
    expect(store.commits.slice(before)).toMatchObject([{ changes: [{ collection: 'reserved_addrs', key: id }] }])
    expect(store.commits.at(-1)?.changes).toHaveLength(1)
  })

  it('has another authority with another secret, and adds fresh keys to a store that had none', () => {
    const store = memoryStore()
    const secret = createGateway({ store, authorityKeys: { secret: 'nobody can guess this' } })
    const other = restartFrom(store.commits, { authorityKeys: { secret: 'nor anybody this one' } })
    expect(other.authority.certificatePem).not.toBe(secret.authority.certificatePem)
    const freshStore = memoryStore(store.commits)
    const first = createGateway({ store: freshStore, authorityKeys: 'fresh' })
    expect(restartFrom(freshStore.commits, { authorityKeys: 'fresh' }).authority.certificatePem).toBe(
      first.authority.certificatePem,
    )
  })

  it('handles events that became due meanwhile at the first call, each at its own time', () => {
    const clock = { now: CLOCK_START }
    const store = memoryStore()
    const gateway = createGateway({ store, clock })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    clock.now += 86_400_000
    const restarted = restartFrom(store.commits, { clock })
    expect(restarted.nextDueAt()).toBe(Date.parse(dueAfter('30s')))
    restarted.transport.settle()
    expect(restarted.nextDueAt()).toBe(Date.parse(dueAfter('30s', '60d')))
    expect(restarted.provisioning.timeline(id).map(({ at }) => at)).toEqual([SHOWN_START, dueAfter('30s')])
  })

  it('rejects records of another version, of an unknown family, and of fresh keys that its options do not request', () => {
    const { commits } = memoryStore()
    const store = memoryStore(commits)
    createGateway({ store })
    const [first] = store.commits as [StoredCommit]
    expect(() => restartFrom([{ ...first, replaces: { version: 2, seed: 'x' } }])).toThrow(
      "The store's records have version 2. Allowed: 1, the version that this fauxgate reads.",
    )
    const formatUnknownCollection = (collection: string) =>
      `This gateway has no family for the store's collection "${collection}". Use the dialect, families, and authorityKeys of the gateway that wrote it, with the same or a newer version of fauxgate.`
    const changes = [{ collection: 'widgets', key: 'w_1', after: {} }]
    expect(() => restartFrom([{ ...first, changes }])).toThrow(formatUnknownCollection('widgets'))
    const freshStore = memoryStore()
    createGateway({ store: freshStore, authorityKeys: 'fresh' })
    expect(() => restartFrom(freshStore.commits)).toThrow(formatUnknownCollection('authority_keys'))
  })
})
