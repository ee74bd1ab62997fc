import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway, manualClock, type Snapshot } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { isDeeplyFrozen, open, stateOf } from '../support/gateway.ts'

const pem = (name: string) => readFileSync(new URL(`../fixtures/x509/${name}.pem`, import.meta.url), 'utf8')
const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const

/** A gateway with something of everything in it. */
function furnished() {
  const gateway = createGateway({ seed: 'furnished', clock: manualClock('2026-01-01T00:00:00Z'), dns: 'simulated' })
  const domain = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
  gateway.dns.cname('a.example.com', domain.cname_target)
  gateway.clock.advance('1m')
  const failing = gateway.reservedDomains.create({ domain: 'b.example.com', certificate_management_policy: policy })
  gateway.reservedAddrs.create({ description: 'x' })
  gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } })
  const upload = gateway.tlsCertificates.create({ certificate_pem: pem('leaf-p256'), private_key_pem: pem('key-p256') })
  gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
  gateway.provisioning.script(['INTERNAL_ERROR'], { domain: 'b.example.com' })
  gateway.faults.add({ operation: 'reserved_addrs.list', times: 1 })
  gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
  return { gateway, domain, failing, upload }
}

const plain = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot))

describe('A snapshot (JSON snapshot and restore including clock, ids and faults)', () => {
  it('survives JSON, and a gateway that is restored from it goes on exactly like the first', async () => {
    const { gateway, domain } = furnished()
    const snapshot = plain(gateway.snapshot())
    const other = createGateway({ seed: 'other', clock: manualClock(0), dns: 'simulated' })
    other.reservedAddrs.create({ description: 'goes' })
    other.restore(snapshot)
    expect(other.snapshot()).toEqual(gateway.snapshot())
    expect(other.clock.now).toBe(gateway.clock.now)
    const certificate = gateway.reservedDomains.get(domain.id).certificate?.id as string
    expect(other.tlsCertificates.get(certificate)).toEqual(gateway.tlsCertificates.get(certificate))
    for (const each of [gateway, other]) each.clock.advance('100d')
    expect(other.snapshot()).toEqual(gateway.snapshot())
    expect(other.reservedAddrs.create().id).toBe(gateway.reservedAddrs.create().id)
    for (const each of [gateway, other]) expect((await client(each)('GET', '/reserved_addrs')).status).toBe(503)
  })

  it('can be restored again and again, whatever happened in between', () => {
    const { gateway, domain } = furnished()
    const before = gateway.snapshot()
    for (let round = 0; round < 3; round++) {
      gateway.reservedDomains.delete(domain.id)
      gateway.clock.advance('40d')
      gateway.restore(before)
      expect(gateway.snapshot()).toEqual(before)
    }
  })

  it('keeps indexes: a restored name is taken, a restored certificate is in use', () => {
    const { gateway, failing, upload } = furnished()
    gateway.reservedDomains.update(failing.id, { certificate_id: upload.id })
    const other = createGateway({ clock: manualClock(0) })
    other.restore(plain(gateway.snapshot()))
    expect(() => other.reservedDomains.create({ domain: 'b.example.com' })).toThrow(/is reserved already/)
    expect(() => other.tlsCertificates.delete(upload.id)).toThrow(/is in use by b.example.com/)
  })

  it('leaves private keys out unless they are asked for (rules: secrets#snapshots)', () => {
    const { gateway, upload } = furnished()
    const inner = pem('key-p256').split('\n')[1] as string
    expect(JSON.stringify(gateway.snapshot())).not.toContain(inner)
    const withKeys = gateway.snapshot({ privateKeys: true })
    expect(JSON.stringify(withKeys)).toContain(inner)
    const other = createGateway({ clock: manualClock(0) })
    other.restore(plain(gateway.snapshot()))
    expect(other.tlsCertificates.get(upload.id)).toEqual(gateway.tlsCertificates.get(upload.id))
    expect(() => other.authority.privateKeyPem(upload.id)).toThrow(/was left out of the snapshot/)
    other.restore(plain(withKeys))
    expect(other.authority.privateKeyPem(upload.id)).toBe(pem('key-p256'))
  })

  it('has its records oldest first', () => {
    const gateway = open({ clock: manualClock('2026-01-01T00:00:00Z') })
    const created = ['c', 'a', 'b'].map((name) => gateway.reservedDomains.create({ domain: `${name}.example.com` }).id)
    expect(gateway.snapshot().records.reserved_domains).toMatchObject(created.map((id) => ({ id })))
  })

  it('has the times that the rate limit counts, and restores them', async () => {
    const limited = () =>
      open({ clock: manualClock('2026-01-01T00:00:00Z'), rateLimit: { requests: 2, window: '10s' } })
    const gateway = limited()
    const ask = async (of: Gateway) => (await client(of)('GET', '/reserved_addrs')).status
    const { now } = gateway.snapshot()
    expect(gateway.snapshot().rateLimit).toEqual([])
    for (const expected of [200, 200, 429]) expect(await ask(gateway)).toBe(expected)
    expect(gateway.snapshot().rateLimit).toEqual([now, now])
    const other = limited()
    other.restore(plain(gateway.snapshot()))
    expect(await ask(other)).toBe(429)
    other.restore({ ...plain(gateway.snapshot()), rateLimit: [now] })
    for (const expected of [200, 429]) expect(await ask(other)).toBe(expected)
  })

  it('leaves out faults with a predicate, which are no data', () => {
    const { gateway } = furnished()
    gateway.faults.add({ when: () => true })
    expect(gateway.faults.all()).toHaveLength(2)
    gateway.restore(gateway.snapshot())
    expect(gateway.faults.all()).toMatchObject([{ operation: 'reserved_addrs.list' }])
  })

  it('is frozen and does not change with the state', () => {
    const { gateway } = furnished()
    const snapshot = gateway.snapshot()
    const text = JSON.stringify(snapshot)
    gateway.clock.advance('100d')
    expect(JSON.stringify(snapshot)).toBe(text)
    expect(isDeeplyFrozen(snapshot)).toBe(true)
  })

  it('goes over HTTP too (rules: control-api#calls)', async () => {
    const { gateway } = furnished()
    const url = 'http://localhost/_fauxgate/state'
    const taken = await gateway.fetch(url)
    const text = await taken.text()
    expect(JSON.parse(text)).toEqual(plain(gateway.snapshot()))
    gateway.reset()
    const headers = { 'content-type': 'application/json' }
    const put = await gateway.fetch(url, { method: 'PUT', headers, body: text })
    expect(put.status).toBe(204)
    expect(plain(gateway.snapshot())).toEqual(JSON.parse(text))
  })
})

describe('The initial state (reset to seed)', () => {
  const initial = {
    reservedAddrs: [{ region: 'eu' }, {}],
    reservedDomains: [{ domain: 'a.example.com' }],
    circuitBreaker: [{ edge_id: 'edghts_1', id: 'edghtsrt_1', num_buckets: 5 }],
  } as const

  it('is there from the beginning and again after a reset', () => {
    const gateway = open({ initial })
    const beginning = stateOf(gateway)
    expect(gateway.reservedAddrs.list().reserved_addrs.map(({ region }) => region)).toEqual(['us', 'eu'])
    expect(gateway.circuitBreaker.get({ edge_id: 'edghts_1', id: 'edghtsrt_1' }).num_buckets).toBe(5)
    gateway.reservedDomains.create({ domain: 'b.example.com' })
    gateway.reset()
    expect(stateOf(gateway)).toBe(beginning)
  })

  it('is held to the rules of the API', () => {
    expect(() => open({ initial: { reservedDomains: [{ domain: 'a_b.com' }] } })).toThrow(/a name without "_"/)
    expect(() => open({ initial: { tunnels: [] } as never })).toThrow(
      /initial.tunnels cannot be created.* reservedAddrs, .*reservedDomains, /,
    )
  })
})

describe('A reset gateway equals a new one (style.md, 2)', () => {
  it('in everything that has state', async () => {
    const options = () => ({
      seed: 'same',
      clock: manualClock('2026-01-01T00:00:00Z'),
      dns: 'simulated' as const,
      rateLimit: { requests: 3 },
    })
    const [used, fresh] = [createGateway(options()), createGateway(options())]
    used.provisioning.failAlways('DNS_ERROR')
    used.dns.a('a.example.com', '1.2.3.4')
    used.declare.backend('bkdhr_1')
    used.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    used.faults.add({ status: 500 })
    used.clock.advance('3d')
    for (let i = 0; i < 4; i++) await client(used)('GET', '/reserved_addrs')
    used.reset()
    const seen = async (gateway: Gateway) => ({
      snapshot: gateway.snapshot(),
      requests: gateway.requests.all(),
      faults: gateway.faults.all(),
      pending: gateway.provisioning.pendingOutcomes(),
      created: (await client(gateway)('POST', '/reserved_addrs', { json: {} })).text,
    })
    expect(await seen(used)).toEqual(await seen(fresh))
    expect(used.clock.now).toBe(fresh.clock.now)
  })
})
