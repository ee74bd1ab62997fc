import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { controlClient, outcome } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { DOMAIN, dueAfter, openManual, openWithCertificate, timeAfter } from '../support/provisioning.ts'

describe('Snapshots that the gateway keeps', () => {
  test('have a name and a time, survive a reset, and restore the whole state, secrets included', async () => {
    const { gateway } = openWithCertificate()
    const send = controlClient(gateway)
    const before = gateway.snapshot({ privateKeys: true })
    const expected = { name: 'Snapshot 1', at: SHOWN_START, records: expect.any(Number) }
    expect((await send('POST', '/snapshots', {})).body).toEqual(expected)
    gateway.reset()
    gateway.clock.advance('1h')
    expect((await send('POST', '/snapshots', { name: 'empty' })).body).toMatchObject({
      at: timeAfter('1h'),
      records: 0,
    })
    expect((await send('POST', '/snapshots/restore', { name: 'Snapshot 1' })).status).toBe(204)
    expect(gateway.snapshot({ privateKeys: true })).toEqual(before)
    await send('DELETE', '/snapshots?name=Snapshot+1')
    expect((await send('GET', '/snapshots')).body).toEqual([{ name: 'empty', at: timeAfter('1h'), records: 0 }])
    await send('DELETE', '/snapshots')
    expect((await send('GET', '/snapshots')).body).toEqual([])
  })

  test('are rejected if the name is taken or unknown, or if there are already 20', async () => {
    const send = controlClient(openManual())
    for (let number = 1; number <= 19; number++) await send('POST', '/snapshots', {})
    const duplicate = await send('POST', '/snapshots', { name: 'Snapshot 3' })
    expect(duplicate.body).toMatchObject({ msg: expect.stringContaining('"Snapshot 3", the name of another snapshot') })
    expect((await send('POST', '/snapshots', {})).status).toBe(200)
    const overLimit = await send('POST', '/snapshots', { name: 'one more' })
    expect(overLimit.body).toMatchObject({ msg: expect.stringContaining('Allowed: at most 20 snapshots') })
    expect(outcome(overLimit)).toBe(outcome(duplicate))
    expect((await send('POST', '/snapshots/restore', { name: 'nobody' })).status).toBe(404)
    expect((await send('GET', '/snapshots/difference?from=nobody')).status).toBe(404)
  })

  test('have a difference in words that names fields but no values', async () => {
    const gateway = openManual()
    const send = controlClient(gateway)
    const readDifference = async (query: string) => (await send('GET', `/snapshots/difference?${query}`)).text
    // The difference shows milliseconds within a second.
    gateway.clock.advanceTo(dueAfter('0s'))
    const start = gateway.clock.now
    const domain = gateway.reservedDomains.create({ domain: DOMAIN })
    const address = gateway.reservedAddrs.create({})
    await send('POST', '/snapshots', { name: 'a' })
    expect(await readDifference('from=a')).toBe('There are no differences.')
    gateway.clock.advance(1)
    expect(await readDifference('from=a')).toBe(
      `The clock: ${new Date(start).toISOString()}, then ${new Date(start + 1).toISOString()}.`,
    )
    gateway.clock.set(start)
    gateway.reservedDomains.update(domain.id, { description: 'a secret plan' })
    gateway.reservedAddrs.delete(address.id)
    gateway.reservedDomains.create({ domain: 'new.example.com' })
    gateway.clock.advance('1h')
    await send('POST', '/snapshots', { name: 'b' })
    gateway.reset()
    const text = await readDifference('from=a&to=b')
    expect(text).toContain(`The clock: ${dueAfter('0s')}, then ${dueAfter('1h')}.`)
    expect(text).toContain('reserved_domains: 1 record created: new.example.com.')
    expect(text).toContain(`reserved_domains: 1 record changed: ${DOMAIN} (description).`)
    expect(text).toContain(`reserved_addrs: 1 record removed: ${address.id}.`)
    expect(text).not.toContain('secret plan')
    expect(await readDifference('from=b')).toContain('reserved_domains: 2 records removed')
  })

  test('have a difference that finds a record by its key, even without an id or with another name', async () => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
    const send = controlClient(gateway)
    const vault = gateway.vaults.create({ name: 'first' })
    const routes = ['one', 'two'].map((name) => ({ edge_id: `edghts_${name}`, id: `edghtsrt_${name}` }))
    for (const route of routes) gateway.circuitBreaker.replace(route, {})
    gateway.dns.a(DOMAIN, '192.0.2.1')
    await send('POST', '/snapshots', { name: 'a' })
    gateway.vaults.update(vault.id, { name: 'second' })
    for (const route of routes) gateway.circuitBreaker.replace(route, { volume_threshold: 3 })
    gateway.dns.cname(DOMAIN, 'other.example.com')
    const { text } = await send('GET', '/snapshots/difference?from=a')
    expect(text.split('\n').sort()).toEqual([
      'circuit_breaker: 2 records changed: edghts_one/edghtsrt_one (module), edghts_two/edghtsrt_two (module).',
      `dns_records: 1 record changed: ${DOMAIN} (type, value).`,
      'vaults: 1 record changed: second (name).',
    ])
  })

  test('survive a restart with a store, however often the state is replaced before', async () => {
    const store = memoryStore()
    const openStored = () => createGateway({ store, seed: 'kept', clock: manualClock(CLOCK_START) })
    const gateway = openStored()
    const send = controlClient(gateway)
    for (let number = 0; number < 150; number++) gateway.reservedDomains.create({ domain: `d${number}.example.com` })
    const before = gateway.snapshot()
    await send('POST', '/snapshots', { name: 'many' })
    await send('POST', '/snapshots', { name: 'gone' })
    await send('DELETE', '/snapshots?name=gone')
    gateway.reset()
    gateway.dispose()
    const newGateway = openStored()
    const sendToNew = controlClient(newGateway)
    expect((await sendToNew('GET', '/snapshots')).body).toMatchObject([{ name: 'many' }])
    await sendToNew('POST', '/snapshots/restore', { name: 'many' })
    expect(newGateway.snapshot()).toEqual(before)
  })

  test('undo returns to the remembered state once, with the time of a manual clock', async () => {
    const { gateway } = openWithCertificate()
    const send = controlClient(gateway)
    expect((await send('POST', '/undo')).status).toBe(404)
    const before = gateway.snapshot()
    await send('PUT', '/undo')
    gateway.clock.advance('365d')
    expect((await send('GET', '/overview')).body).toMatchObject({ undo: SHOWN_START })
    expect((await send('POST', '/undo')).status).toBe(204)
    expect(gateway.snapshot()).toEqual(before)
    expect((await send('GET', '/overview')).body).toMatchObject({ undo: null })
  })

  test.each([
    ['reset', 'POST', '/reset', undefined],
    ['a restore', 'PUT', '/state', undefined],
    ['a restore of a saved snapshot', 'POST', '/snapshots/restore', { name: 'before' }],
  ])(
    '%s forgets the remembered state, and what happened since; the saved snapshots stay',
    async (_, method, path, body) => {
      const { gateway } = openWithCertificate()
      const send = controlClient(gateway)
      const state = gateway.snapshot()
      await send('POST', '/snapshots', { name: 'before' })
      await send('POST', '/clock', { advance: '90d', remember: true })
      expect((await send('GET', '/overview')).body).toHaveProperty('happened')
      expect((await send(method, path, path === '/state' ? state : body)).status).toBe(204)
      const { body: overview } = await send('GET', '/overview')
      expect(overview).toMatchObject({ undo: null })
      expect(overview).not.toHaveProperty('happened')
      expect((await send('POST', '/undo')).status).toBe(404)
      expect((await send('GET', '/snapshots')).body).toMatchObject([{ name: 'before' }])
    },
  )

  test('a restore that is rejected keeps the remembered state', async () => {
    const { gateway } = openWithCertificate()
    const send = controlClient(gateway)
    const before = gateway.snapshot()
    await send('POST', '/clock', { advance: '90d', remember: true })
    expect((await send('PUT', '/state', { ...before, version: 0 })).status).toBe(400)
    expect((await send('GET', '/overview')).body).toMatchObject({ undo: SHOWN_START })
    await send('POST', '/undo')
    expect(gateway.snapshot()).toEqual(before)
  })
})
