import { describe, expect, it, vi } from 'vitest'
import {
  createGateway,
  type GatewayOptions,
  type ManualClock,
  manualClock,
  type StoredCommit,
} from '../../../../src/index.ts'
import { client } from '../../../support/client.ts'
import { CLOCK_START } from '../../../support/clock.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { upload } from '../../../support/pem.ts'
import { timeAfter } from '../../../support/provisioning.ts'

const policy = { authority: 'letsencrypt' }
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

function openWithStore(options: GatewayOptions<ManualClock> = {}) {
  const store = memoryStore()
  return { store, gateway: createGateway({ clock: manualClock(CLOCK_START), seed: 'kept', ...options, store }) }
}

const listNames = (commits: readonly StoredCommit[]) => commits.map(({ operation }) => operation)

describe('A store receives (rules: stores#calls)', () => {
  it('the initial state of a new gateway as one commit, which replaces the previous state', () => {
    const { store } = openWithStore({ initial: { reservedAddrs: [{}, { region: 'eu' }] } })
    expect(store.commits).toMatchObject([
      { operation: 'initial', now: CLOCK_START, replaces: { version: 1, seed: 'kept' } },
    ])
    expect(store.commits[0]?.changes.map(({ collection }) => collection)).toEqual([
      'reserved_addrs',
      'reserved_addrs',
      'initial_resources',
      'initial_resources',
    ])
  })

  it('every call that changes something as one commit, and no other call', async () => {
    const { store, gateway } = openWithStore()
    const { id } = gateway.reservedAddrs.create({ description: 'x' })
    gateway.reservedAddrs.get(id)
    gateway.reservedAddrs.list()
    expect(() => gateway.reservedAddrs.get('ra_gone')).toThrow()
    await client(gateway)('PATCH', `/reserved_addrs/${id}`, { json: { description: 'y' } })
    await client(gateway)('GET', '/reserved_addrs')
    gateway.dns.a('a.example.com', '192.0.2.1')
    gateway.snapshot()
    gateway.reservedAddrs.delete(id)
    expect(listNames(store.commits)).toEqual([
      'initial',
      'reserved_addrs.create',
      'reserved_addrs.update',
      'control',
      'reserved_addrs.delete',
    ])
    expect(store.commits[1]).toMatchObject({
      changes: [{ collection: 'reserved_addrs', key: id, after: { id, description: 'x' } }],
    })
    expect(store.commits[1]).not.toHaveProperty('replaces')
    expect(store.commits[4]?.changes).toEqual([{ collection: 'reserved_addrs', key: id, after: null }])
  })

  it('a snapshot that the gateway keeps as one commit, so that it is there after a restart', async () => {
    const { store, gateway } = openWithStore()
    const countBefore = store.commits.length
    const url = 'http://localhost/_fauxgate/snapshots'
    const headers = { 'content-type': 'application/json' }
    const taken = await gateway.fetch(url, { method: 'POST', body: '{"name": "kept"}', headers })
    expect(taken.status).toBe(200)
    expect(store.commits).toHaveLength(countBefore + 1)
    const restarted = createGateway({ store: memoryStore(store.commits), clock: manualClock(CLOCK_START) })
    expect(await (await restarted.fetch(url)).json()).toMatchObject([{ name: 'kept' }])
  })

  it('a request and the fault that applied to it as one commit', async () => {
    const { store, gateway } = openWithStore()
    gateway.faults.add({ operation: 'reserved_addrs.create', phase: 'after', times: 1 })
    const before = store.commits.length
    await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect(store.commits.slice(before).map(({ changes }) => changes.map(({ collection }) => collection))).toEqual([
      ['faults', 'reserved_addrs'],
    ])
  })

  it('a year of many domains as one commit, each record once', () => {
    const { store, gateway } = openWithStore()
    for (let n = 0; n < 20; n++) {
      gateway.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy: policy })
    }
    const before = store.commits.length
    gateway.clock.advance('365d')
    const [commit, ...others] = store.commits.slice(before)
    expect(others).toEqual([])
    expect(commit?.now).toBe(gateway.clock.now)
    expect(commit?.changes).toHaveLength(40)
  })

  it.each(['a read', 'a rejected call'])('due events with the next call: %s', (call) => {
    const clock = { now: CLOCK_START }
    const store = memoryStore()
    const gateway = createGateway({ clock, store })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    clock.now += 60_000
    if (call === 'a read') gateway.reservedDomains.get(id)
    else expect(() => gateway.reservedDomains.get('rd_gone')).toThrow()
    clock.now += 1
    gateway.reservedDomains.get(id)
    expect(listNames(store.commits)).toEqual(['initial', 'reserved_domains.create', 'reserved_domains.due'])
    expect(store.commits[2]).toMatchObject({ now: clock.now - 1 })
  })

  it('every move of a manual clock as one commit, `set` and `reset` too, directly and over HTTP', async () => {
    const { store, gateway } = openWithStore()
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    gateway.clock.advance('1s')
    gateway.clock.set(timeAfter('31d'))
    await client(gateway)('POST', 'http://localhost/_fauxgate/clock', { json: { advance: '100d' } })
    gateway.clock.reset()
    gateway.reset()
    const moves = store.commits.slice(2)
    expect(listNames(moves)).toEqual(['clock', 'reserved_domains.due', 'reserved_domains.due', 'clock', 'reset'])
    expect(moves.map(({ now }) => now)).toEqual([
      CLOCK_START + 1000,
      Date.parse(timeAfter('31d')),
      Date.parse(timeAfter('131d')),
      CLOCK_START,
      CLOCK_START,
    ])
  })

  it('`reset` and `restore` as commits that replace everything', () => {
    const { store, gateway } = openWithStore({ initial: { reservedAddrs: [{}] } })
    const snapshot = gateway.snapshot()
    const { sequence } = snapshot
    gateway.reservedAddrs.create()
    gateway.clock.advance('1h')
    gateway.restore(snapshot)
    expect(store.commits.at(-1)).toMatchObject({ operation: 'restore', now: CLOCK_START, sequence })
    gateway.reset()
    expect(store.commits.at(-1)).toMatchObject({ operation: 'reset', sequence, replaces: { seed: 'kept' } })
    for (const commit of store.commits.slice(-2)) {
      expect(commit.changes.map(({ collection }) => collection)).toEqual(['reserved_addrs', 'initial_resources'])
    }
  })

  it('`reset` as a commit if nothing is left, so that nothing is there after a restart', () => {
    const { store, gateway } = openWithStore()
    gateway.reservedAddrs.create()
    gateway.reset()
    expect(store.commits.at(-1)).toMatchObject({ operation: 'reset', changes: [] })
    const restarted = createGateway({ store: memoryStore(store.commits), clock: manualClock(CLOCK_START) })
    expect(restarted.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it.each(['restore', 'reset'] as const)(
    'nothing if %s fails at the clock, and the next commit has only its own changes',
    (method) => {
      const { store, gateway } = openWithStore()
      const snapshot = gateway.snapshot()
      gateway.reservedAddrs.create({ description: 'stays' })
      gateway.clock.advance('1h')
      const before = gateway.snapshot()
      const countBefore = store.commits.length
      const clockCall = vi.spyOn(gateway.clock, method === 'restore' ? 'set' : 'reset').mockImplementationOnce(() => {
        throw new Error('the clock is broken')
      })
      expect(() => (method === 'restore' ? gateway.restore(snapshot) : gateway.reset())).toThrow('the clock is broken')
      clockCall.mockRestore()
      expect(gateway.snapshot()).toEqual(before)
      gateway.reservedAddrs.create()
      expect(listNames(store.commits.slice(countBefore))).toEqual(['reserved_addrs.create'])
      expect(store.commits.at(-1)?.replaces).toBeUndefined()
      const restarted = createGateway({ store: memoryStore(store.commits), clock: manualClock(CLOCK_START) })
      expect(restarted.snapshot()).toEqual(gateway.snapshot())
    },
  )

  it('secrets, which are in no other output than their commit', () => {
    const { store, gateway } = openWithStore()
    const publicCommits: string[] = []
    gateway.subscribe((commit) => publicCommits.push(JSON.stringify(commit)))
    const { certificate_pem, private_key_pem } = upload()
    gateway.tlsCertificates.create({ certificate_pem, private_key_pem })
    gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: 'hush-hush' })
    const texts = store.commits.slice(1).map((commit) => JSON.stringify(commit))
    expect(texts[0]).toContain(JSON.stringify(private_key_pem).slice(1, -1))
    expect(texts[1]).toContain('hush-hush')
    for (const text of [...publicCommits, JSON.stringify(gateway.snapshot()), JSON.stringify(gateway.requests.all())]) {
      expect(text).not.toContain('PRIVATE KEY-----\\n')
      expect(text).not.toContain('hush-hush')
    }
  })

  it('no fault with a predicate, so the fault is gone after a restart', () => {
    const { store, gateway } = openWithStore()
    gateway.faults.add({ operation: 'reserved_addrs.list', when: () => true })
    const restarted = createGateway({ store: memoryStore(store.commits), clock: manualClock(CLOCK_START) })
    expect(gateway.faults.all()).toHaveLength(1)
    expect(restarted.faults.all()).toEqual([])
  })
})
