import { describe, expect, test } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import { createGateway } from '../../../src/index.ts'
import { client } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import {
  DOMAIN,
  dueAfter,
  ECDSA,
  openManual,
  openWithCertificate,
  openWithDomain,
  timeAfter,
} from '../../support/provisioning.ts'

describe('The timelines of all domains', () => {
  test('have the events, the next due event, and the DNS records that attempts look for', () => {
    const { gateway, id, domain } = openWithDomain({ dns: 'simulated' })
    const value = domain().cname_target
    const found = `no record for ${DOMAIN}`
    const problem = `Expected a CNAME record for ${DOMAIN} with the value ${value}. Found ${found}.`
    const record = { name: DOMAIN, type: 'CNAME', value }
    const due = { at: dueAfter('30s'), event: 'attempt' }
    expect(toInspected(gateway).timelines()).toEqual({
      total: 1,
      states: { provisioning: 1 },
      since: SHOWN_START,
      timelines: [
        {
          id,
          domain: DOMAIN,
          state: 'provisioning',
          due,
          startedAt: SHOWN_START,
          attempts: 0,
          pending: [],
          outcomes: 0,
          certificate: null,
          validFrom: null,
          expiresAt: null,
          problem: null,
          records: [{ ...record, problem, found }],
          timeline: gateway.provisioning.timeline(id),
        },
      ],
    })
    gateway.clock.advanceToNext()
    expect(toInspected(gateway).timelines().timelines[0]).toMatchObject({ state: 'failing' })
    gateway.dns.cname(DOMAIN, value as string)
    gateway.provisioning.attempt(id)
    const [first] = toInspected(gateway).timelines().timelines
    expect(first).toMatchObject({
      state: 'issued',
      due: { event: 'renewal' },
      records: [{ ...record, problem: null, found: null }],
    })
    expect(first?.expiresAt).toBe(gateway.tlsCertificates.get(domain().certificate?.id as string).not_after)
  })

  test('say which transitions were made before the server restarted in the middle of a job', () => {
    const store = memoryStore()
    const { gateway, id } = openWithDomain({ dns: 'simulated', store })
    gateway.clock.advanceToNext()
    const [before] = toInspected(gateway).timelines().timelines
    expect(before).toMatchObject({ state: 'failing', attempts: 1 })
    expect(before).not.toHaveProperty('earlier')
    gateway.dispose()
    const restarted = openManual({ dns: 'simulated', store })
    const read = () => toInspected(restarted).timelines().timelines[0]
    expect(read()).toEqual({ ...before, earlier: 2 })
    // At the same time on the clock.
    restarted.provisioning.attempt(id)
    expect(read()).toMatchObject({ attempts: 2, earlier: 2 })
    expect(read()?.timeline.map(({ transition }) => transition)).toEqual(['started', 'failed', 'retried', 'failed'])
    restarted.clock.advance('80d')
    expect(read()).not.toHaveProperty('earlier')
    restarted.reset()
    restarted.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    expect(read()).not.toHaveProperty('earlier')
  })

  test('have attempts that were due while the server was off at the times at which they were due', () => {
    const store = memoryStore()
    const open = (now: string) => createGateway({ clock: { now: Date.parse(now) }, dns: 'simulated', store })
    const gateway = open(SHOWN_START)
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.dispose()
    const [timeline] = toInspected(open(timeAfter('90m'))).timelines().timelines
    expect(timeline).toMatchObject({ state: 'failing', attempts: 2, earlier: 1 })
    expect(timeline?.timeline.map(({ at, transition }) => `${at} ${transition}`)).toEqual([
      `${SHOWN_START} started`,
      `${timeAfter('30s')} failed`,
      `${timeAfter('30s', '1h')} retried`,
      `${timeAfter('30s', '1h')} failed`,
    ])
  })

  test('count all attempts of a job of 80 days, and say when it started, although its transitions are the last 100', () => {
    const { gateway, id } = openWithDomain({ dns: 'simulated' })
    gateway.clock.advance('80d')
    const before = toInspected(gateway).timelines()
    expect(before.since).toBe(SHOWN_START)
    expect(before.timelines[0]).toMatchObject({ state: 'failing', startedAt: SHOWN_START, attempts: 80 * 24 })
    expect(before.timelines[0]?.timeline).toHaveLength(100)
    gateway.provisioning.failNext('DNS_ERROR', { domain: DOMAIN, times: 30 })
    gateway.provisioning.script(['success'])
    expect(toInspected(gateway).timelines().timelines[0]).toMatchObject({ outcomes: 31, pending: { length: 20 } })
    gateway.clock.advance('31h')
    expect(toInspected(gateway).timelines().timelines[0]).toMatchObject({
      state: 'issued',
      startedAt: null,
      attempts: null,
    })
    gateway.provisioning.script(['INTERNAL_ERROR', 'success'])
    gateway.provisioning.renewNow(id)
    gateway.clock.advance('1h')
    expect(toInspected(gateway).timelines().timelines[0]).toMatchObject({ state: 'issued', attempts: 2 })
  })

  test('of a wildcard also need the record of the ACME challenge, but no record if DNS is not simulated', () => {
    const simulated = toInspected(openWithDomain({ dns: 'simulated' }, '*.example.com').gateway).timelines()
    expect(simulated.timelines[0]?.records.map(({ name }) => name)).toEqual([
      '*.example.com',
      '_acme-challenge.example.com',
    ])
    expect(toInspected(openWithDomain().gateway).timelines().timelines[0]?.records).toEqual([])
  })

  test('leave out domains without events, and begin with the newest domain', () => {
    const { gateway } = openWithCertificate()
    gateway.reservedDomains.create({ domain: 'plain.example.com' })
    gateway.reservedDomains.create({ domain: 'second.example.com', certificate_management_policy: ECDSA })
    const { total, timelines } = toInspected(gateway).timelines()
    expect([total, timelines.map(({ domain }) => domain)]).toEqual([2, ['second.example.com', DOMAIN]])
  })

  test('can be filtered by name, id and state, and read page by page', () => {
    const gateway = openManual()
    const ids = ['a', 'b', 'c', 'd'].map(
      (name) =>
        gateway.reservedDomains.create({ domain: `${name}.example.com`, certificate_management_policy: ECDSA }).id,
    )
    gateway.provisioning.attempt(ids[1] as string)
    const listDomains = (query: object) => {
      const { total, timelines } = toInspected(gateway).timelines(query)
      return [total, timelines.map(({ domain }) => domain.slice(0, 1)).join('')]
    }
    expect(listDomains({})).toEqual([4, 'dcba'])
    expect(listDomains({ skip: 1, limit: 2 })).toEqual([4, 'cb'])
    expect(listDomains({ limit: 0 })).toEqual([4, ''])
    expect(listDomains({ name: 'C.EXAMPLE' })).toEqual([1, 'c'])
    expect(listDomains({ name: ids[0] })).toEqual([1, 'a'])
    expect(listDomains({ state: 'issued' })).toEqual([1, 'b'])
    expect(listDomains({ state: 'provisioning', skip: '1' })).toEqual([3, 'ca'])
    expect(() => listDomains({ skip: -1 })).toThrow(/skip.*-1.*an integer from 0 to/s)
    expect(() => listDomains({ state: 'lost' })).toThrow(/state.*"lost".*renewal failing/s)
  })
})

describe('The overview', () => {
  test('has the time, the counts, and the next due event', () => {
    const { gateway, id } = openWithDomain()
    gateway.reservedAddrs.create()
    gateway.provisioning.script(['DNS_ERROR', 'success'])
    gateway.faults.add({ operation: 'reserved_addrs.list', status: 503, times: 1 })
    expect(toInspected(gateway).overview()).toMatchObject({
      now: SHOWN_START,
      manual: true,
      dns: 'off',
      next: { at: dueAfter('30s'), collection: 'reserved_domains', key: id, domain: DOMAIN, event: 'attempt' },
      counts: { reserved_domains: 1, reserved_addrs: 1, tls_certificates: 0 },
      outcomes: 2,
      faults: 1,
      requests: 0,
    })
  })

  test('names a renewal as the next event, and has none if nothing is due', () => {
    expect(toInspected(openWithCertificate().gateway).overview().next).toMatchObject({
      domain: DOMAIN,
      event: 'renewal',
    })
    expect(toInspected(createGateway()).overview()).toMatchObject({ manual: false, next: null, requests: 0 })
  })
})

test('The journal calls its subscribers with every entry, and when it was emptied, until the subscription ends', async () => {
  const gateway = openManual()
  const entries: unknown[] = []
  const end = gateway.requests.subscribe((entry) => entries.push(entry))
  await client(gateway)('POST', '/reserved_addrs', { json: {} })
  expect(entries).toEqual(gateway.requests.all())
  gateway.requests.clear()
  expect(entries).toEqual([expect.anything(), undefined])
  end()
  await client(gateway)('GET', '/reserved_addrs')
  expect(entries).toHaveLength(2)
})
