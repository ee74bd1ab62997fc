import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import { client, expectError } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { copyAsJson, createFullGateway } from '../support/full-gateway.ts'
import { isDeeplyFrozen, open, stateOf } from '../support/gateway.ts'

describe('A snapshot (JSON snapshot and restore including clock, ids and faults)', () => {
  it('keeps indexes: a restored name is taken, a restored certificate is in use', async () => {
    const other = createGateway({ clock: manualClock(CLOCK_START) })
    other.restore(copyAsJson((await createFullGateway()).snapshot()))
    const domain = 'uploaded.example.com'
    expect(expectError(() => other.reservedDomains.create({ domain })).key).toBe('domain_taken')
    const { certificate } = other.reservedDomains.list().reserved_domains.find((each) => each.domain === domain) ?? {}
    expect(() => other.tlsCertificates.delete(certificate?.id as string)).toThrow(/is in use by uploaded.example.com/)
  })

  it('has its records oldest first', () => {
    const gateway = open({ clock: manualClock(CLOCK_START) })
    const ids = ['c', 'a', 'b'].map((name) => gateway.reservedDomains.create({ domain: `${name}.example.com` }).id)
    expect(gateway.snapshot().records.reserved_domains).toMatchObject(ids.map((id) => ({ id })))
  })

  it('has the times that the rate limit counts, and restores them', async () => {
    const openLimited = () => open({ clock: manualClock(CLOCK_START), rateLimit: { requests: 2, window: '10s' } })
    const gateway = openLimited()
    const send = async (of: Gateway) => (await client(of)('GET', '/reserved_addrs')).status
    const { now } = gateway.snapshot()
    expect(gateway.snapshot().rateLimit).toEqual([])
    for (const expected of [200, 200, 429]) expect(await send(gateway)).toBe(expected)
    expect(gateway.snapshot().rateLimit).toEqual([now, now])
    const other = openLimited()
    other.restore(copyAsJson(gateway.snapshot()))
    expect(await send(other)).toBe(429)
    other.restore({ ...copyAsJson(gateway.snapshot()), rateLimit: [now] })
    for (const expected of [200, 429]) expect(await send(other)).toBe(expected)
  })

  it('leaves out faults with a predicate, which are not data', () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.list' })
    gateway.faults.add({ when: () => true })
    gateway.restore(gateway.snapshot())
    expect(gateway.faults.all()).toMatchObject([{ operation: 'reserved_addrs.list' }])
  })

  it('is frozen and does not change with the state', async () => {
    const gateway = await createFullGateway()
    const snapshot = gateway.snapshot()
    const text = JSON.stringify(snapshot)
    gateway.clock.advance('100d')
    expect(JSON.stringify(snapshot)).toBe(text)
    expect(isDeeplyFrozen(snapshot)).toBe(true)
  })

  it('can be read and restored over HTTP (rules: control-api#calls)', async () => {
    const gateway = await createFullGateway()
    const url = 'http://localhost/_fauxgate/state'
    const response = await gateway.fetch(url)
    const text = await response.text()
    expect(JSON.parse(text)).toEqual(copyAsJson(gateway.snapshot()))
    gateway.reset()
    const headers = { 'content-type': 'application/json' }
    const putResponse = await gateway.fetch(url, { method: 'PUT', headers, body: text })
    expect(putResponse.status).toBe(204)
    expect(copyAsJson(gateway.snapshot())).toEqual(JSON.parse(text))
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
    const initialState = stateOf(gateway)
    expect(gateway.reservedAddrs.list().reserved_addrs.map(({ region }) => region)).toEqual(['us', 'eu'])
    expect(gateway.circuitBreaker.get({ edge_id: 'edghts_1', id: 'edghtsrt_1' }).num_buckets).toBe(5)
    gateway.reservedDomains.create({ domain: 'b.example.com' })
    gateway.reset()
    expect(stateOf(gateway)).toBe(initialState)
  })

  it('must follow the rules of the API', () => {
    expect(() => open({ initial: { reservedDomains: [{ domain: 'a_b.com' }] } })).toThrow(/a name without "_"/)
    for (const name of ['tunnels', 'toString']) {
      expect(() => open({ initial: { [name]: [{}] } as never }), name).toThrow(
        `initial: "${name}" is not a family in which resources can be created. Allowed: reservedAddrs, reservedDomains, `,
      )
    }
    expect(() => open({ initial: { weightedB: [{}] } as never })).toThrow('Did you mean weightedBackends?')
    expect(() => open({ initial: { reservedAddrs: {} } as never })).toThrow(
      'initial: reservedAddrs is an object. Allowed: an array of bodies.',
    )
    expect(() => open({ initial: { compression: [null] } as never })).toThrow(
      'initial.compression[0]: the body is null. Allowed: an object.',
    )
    expect(() => createNgrok({ initial: { tunnels: [{}] } as never })).toThrow(
      'initial: "tunnels" is not a family in which resources can be created. Allowed: reservedAddrs, ',
    )
  })

  it.each<[initial: object, message: string]>([
    [{ reservedAddrs: [{}, undefined] }, 'initial.reservedAddrs[1]: the body is missing. Allowed: an object.'],
    [{ reservedAddrs: [['eu']] }, 'initial.reservedAddrs[0]: the body is an array of 1 item. Allowed: an object.'],
    [{ circuitBreaker: [null] }, 'initial.circuitBreaker[0]: the body is null. Allowed: an object.'],
  ])('is rejected if an entry is no body: %j', (initial, message) => {
    expect(() => open({ initial })).toThrow(new TypeError(message))
  })
})
