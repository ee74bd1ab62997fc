import { describe, expect, it } from 'vitest'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type HttpResponse,
  manualClock,
  type StoredCommit,
} from '../../src/index.ts'
import { general } from '../../src/schema/general-errors.ts'
import { client } from '../support/client.ts'
import { createFullGateway, fullGatewayOptions } from '../support/full-gateway.ts'
import { memoryStore } from '../support/memory-store.ts'
import { NEW_YEAR } from '../support/provisioning.ts'

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const

function send(gateway: Gateway, url: string): HttpResponse {
  return gateway.transport.exchange({ method: 'GET', url, header: () => null, body: '' })
}

const stateOf = (gateway: Gateway) => ({ ...gateway.snapshot({ privateKeys: true }), rateLimit: [] })

/** A gateway with what another one has told its store. */
function restartFrom(commits: readonly StoredCommit[], options: GatewayOptions = {}) {
  return createGateway({ clock: manualClock('2030-01-01T00:00:00Z'), ...options, store: memoryStore(commits) })
}

describe('A gateway that continues from a store', () => {
  it('has everything that a snapshot has, private keys and the time of a manual clock included, and the same future', async () => {
    const store = memoryStore()
    const gateway = await createFullGateway({ store })
    const again = createGateway({ ...fullGatewayOptions(), store: memoryStore(store.commits) })
    expect(again.clock.now).toBe(gateway.clock.now)
    expect(stateOf(again)).toEqual(stateOf(gateway))
    expect(again.provisioning.pendingOutcomes()).toEqual(gateway.provisioning.pendingOutcomes())
    for (const each of [gateway, again]) {
      each.clock.advance('200d')
      each.reservedAddrs.create()
    }
    expect(stateOf(again)).toEqual(stateOf(gateway))
  })

  it('begins the window of the rate limit anew, which a snapshot continues with (rules: stores#what-is-not-kept)', async () => {
    const store = memoryStore()
    const rateLimit = { requests: 2, window: '1m' } as const
    const gateway = createGateway({ clock: manualClock(NEW_YEAR), rateLimit, store })
    const statuses = async (on: Gateway) => {
      const answers = []
      for (const method of ['POST', 'GET', 'GET']) {
        answers.push(await client(on)(method, '/reserved_addrs', method === 'POST' ? { json: {} } : {}))
      }
      return answers.map(({ status }) => status)
    }
    expect(await statuses(gateway)).toEqual([201, 200, 429])
    expect(await statuses(restartFrom(store.commits, { rateLimit }))).toEqual([201, 200, 429])
    const restored = restartFrom(store.commits, { rateLimit })
    restored.restore(gateway.snapshot())
    expect(await statuses(restored)).toEqual([429, 429, 429])
  })

  it('gives no id again, of resources or of requests, whichever seed it is given now (rules: stores#ids)', async () => {
    const store = memoryStore()
    const gateway = createGateway({ seed: 'one', store })
    const seen = new Set<string>()
    const ask = async (on: typeof gateway, method: string, path: string) => {
      const { headers, body } = await client(on)(method, path, method === 'POST' ? { json: {} } : {})
      for (const id of [headers.get('service-operation-id'), body?.id]) {
        if (!id) continue
        expect(seen).not.toContain(id)
        seen.add(id)
      }
    }
    await ask(gateway, 'POST', '/reserved_addrs')
    for (let n = 0; n < 5; n++) await ask(gateway, 'GET', '/reserved_addrs')
    gateway.dispose()
    for (const seed of ['one', 'two']) {
      const again = createGateway({ seed, store })
      for (let n = 0; n < 3; n++) await ask(again, 'POST', '/reserved_addrs')
      for (let n = 0; n < 3; n++) await ask(again, 'GET', '/nothing')
      again.dispose()
    }
    expect(seen.size).toBe(6 + 1 + 2 * 9)
  })

  it.each<[string, (gateway: Gateway) => HttpResponse]>([
    ['requests that change nothing', (gateway) => send(gateway, '/nothing')],
    ['calls of a control', (gateway) => send(gateway, '/_fauxgate/clock')],
    ['what is no request', (gateway) => gateway.transport.refused(general.request_malformed, { problem: 'none' })],
  ])('gives none of the ids again that %s were answered with', (_what, answered) => {
    const idOf = (gateway: Gateway) => answered(gateway).headers['Service-Operation-Id']
    const store = memoryStore()
    const gateway = createGateway({ seed: 'one', store })
    const ids = new Set(Array.from({ length: 3000 }, () => idOf(gateway)))
    // The store does not hear of each one.
    expect(store.commits.length).toBeLessThan(10)
    const again = restartFrom(store.commits)
    expect([ids.size, ids.has(idOf(again))]).toEqual([3000, false])
  })

  it('makes nothing of `initial` a second time, and still knows what was there at the beginning', () => {
    const initial = { reservedAddrs: [{}], compression: [{ edge_id: 'edghts_1', id: 'edghtsrt_1' }] }
    const store = memoryStore()
    const gateway = createGateway({ store, initial })
    const { id } = gateway.reservedAddrs.create()
    const again = restartFrom(store.commits, { initial })
    expect(again.reservedAddrs.list().reserved_addrs).toHaveLength(2)
    expect(again.leftovers()).toEqual([{ family: 'reserved_addrs', id }])
    again.reset()
    expect(again.reservedAddrs.list().reserved_addrs).toHaveLength(1)
    expect(again.leftovers()).toEqual([])
  })

  it.each([
    ['test keys', 'test'],
    ['fresh keys', 'fresh'],
    ['keys from a secret', { secret: 'nobody can guess this' }],
  ] as const)('has the same authority and the same certificates with %s', (_name, authorityKeys) => {
    const store = memoryStore()
    const options = { authorityKeys, clock: manualClock(NEW_YEAR) }
    const gateway = createGateway({ ...options, store })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    gateway.clock.advance('30s')
    const { certificate } = gateway.reservedDomains.get(id)
    const again = restartFrom(store.commits, { authorityKeys })
    expect(again.authority.certificatePem).toBe(gateway.authority.certificatePem)
    const certificateId = certificate?.id as string
    expect(again.tlsCertificates.get(certificateId).certificate_pem).toBe(
      gateway.tlsCertificates.get(certificateId).certificate_pem,
    )
    expect(again.authority.privateKeyPem(certificateId)).toBe(gateway.authority.privateKeyPem(certificateId))
  })

  it('tells the store nothing that it knows: not when it begins, nor when it is read, nor beside a change', () => {
    const clock = manualClock(NEW_YEAR)
    const options = { clock, authorityKeys: 'fresh', initial: { reservedAddrs: [{}] } } as const
    const store = memoryStore()
    createGateway({ ...options, store }).dispose()
    const before = store.commits.length
    const again = createGateway({ ...options, store })
    again.reservedAddrs.list()
    expect(store.commits.slice(before)).toEqual([])
    const { id } = again.reservedAddrs.create()
    expect(store.commits.slice(before)).toMatchObject([{ changes: [{ collection: 'reserved_addrs', key: id }] }])
    expect(store.commits.at(-1)?.changes).toHaveLength(1)
  })

  it('has another authority with another secret, and fresh keys are kept by a store that had none', () => {
    const store = memoryStore()
    const secret = createGateway({ store, authorityKeys: { secret: 'nobody can guess this' } })
    const other = restartFrom(store.commits, { authorityKeys: { secret: 'nor anybody this one' } })
    expect(other.authority.certificatePem).not.toBe(secret.authority.certificatePem)
    const fresh = memoryStore(store.commits)
    const first = createGateway({ store: fresh, authorityKeys: 'fresh' })
    expect(restartFrom(fresh.commits, { authorityKeys: 'fresh' }).authority.certificatePem).toBe(
      first.authority.certificatePem,
    )
  })

  it('does what became due meanwhile when it is first looked at, each event at its own time', () => {
    const clock = { now: Date.parse(NEW_YEAR) }
    const store = memoryStore()
    const gateway = createGateway({ store, clock })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    clock.now += 86_400_000
    const again = restartFrom(store.commits, { clock })
    expect(again.nextDueAt()).toBe(Date.parse('2026-01-01T00:00:30Z'))
    again.transport.settle()
    expect(again.nextDueAt()).toBe(Date.parse('2026-03-02T00:00:30Z'))
    expect(again.provisioning.timeline(id).map(({ at }) => at)).toEqual([
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:30Z',
    ])
  })

  it('refuses records of another version, of a family that it does not have, and of fresh keys that it was not asked for', () => {
    const { commits } = memoryStore()
    const store = memoryStore(commits)
    createGateway({ store })
    const [first] = store.commits as [StoredCommit]
    expect(() => restartFrom([{ ...first, replaces: { version: 2, seed: 'x' } }])).toThrow(
      'The store holds records of the version 2. Allowed: 1, the version this fauxgate reads.',
    )
    const notKept = (collection: string) =>
      `This gateway does not keep the collection "${collection}". Allowed: the dialect, the families and the authorityKeys of the gateway that stored it.`
    const changes = [{ collection: 'widgets', key: 'w_1', after: {} }]
    expect(() => restartFrom([{ ...first, changes }])).toThrow(notKept('widgets'))
    const fresh = memoryStore()
    createGateway({ store: fresh, authorityKeys: 'fresh' })
    expect(() => restartFrom(fresh.commits)).toThrow(notKept('authority_keys'))
  })
})
