import { describe, expect, test, vi } from 'vitest'
import { createGateway, type GatewayError, manualClock } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { stateOf } from '../../support/gateway.ts'
import { openWithDomain } from '../../support/provisioning.ts'

/** Returns a snapshot as a file would have it: no gateway has checked its records. */
function writeSnapshot() {
  const { gateway } = openWithDomain()
  gateway.reservedAddrs.create({ description: 'first' })
  gateway.clock.advance('1m')
  return JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys: true })))
}

describe('A snapshot whose records do not fit together is rejected, and changes nothing', () => {
  const refusalOf = (snapshot: ReturnType<typeof writeSnapshot>): GatewayError => {
    const gateway = createGateway({ seed: 'restored', clock: manualClock(CLOCK_START) })
    gateway.reservedAddrs.create()
    const before = stateOf(gateway)
    const error = expectError(() => gateway.restore(snapshot))
    expect(stateOf(gateway)).toBe(before)
    return error
  }

  test('a key that two records have', () => {
    const snapshot = writeSnapshot()
    const [addr] = snapshot.records.reserved_addrs
    snapshot.records.reserved_addrs.push({ ...addr, description: 'second' })
    expect(refusalOf(snapshot).message).toBe(
      `records.reserved_addrs.1 is a duplicate of the record with the key "${addr.id}". Allowed: one record per key.`,
    )
  })

  test('a certificate that is not there', () => {
    const snapshot = writeSnapshot()
    const [{ id }] = snapshot.records.tls_certificates.splice(0)
    expect(refusalOf(snapshot).message).toBe(
      `records.reserved_domains.0.certificate_id is "${id}". Allowed: the ID of a TLS certificate that exists.`,
    )
  })

  test('two mistakes are both named', () => {
    const snapshot = writeSnapshot()
    const [addr] = snapshot.records.reserved_addrs
    snapshot.records.reserved_addrs.push(addr, addr)
    const { details } = refusalOf(snapshot)
    expect(Object.keys(details)).toEqual(
      expect.arrayContaining(['field:records.reserved_addrs.1', 'field:records.reserved_addrs.2']),
    )
  })
})

test.each(['restore', 'reset'] as const)('A %s that fails at the clock changes nothing', (method) => {
  const gateway = createGateway({ clock: manualClock(CLOCK_START) })
  const snapshot = gateway.snapshot()
  gateway.reservedAddrs.create()
  const before = stateOf(gateway)
  vi.spyOn(gateway.clock, method === 'restore' ? 'set' : 'reset').mockImplementationOnce(() => {
    throw new Error('the clock is broken')
  })
  expect(() => (method === 'restore' ? gateway.restore(snapshot) : gateway.reset())).toThrow('the clock is broken')
  expect(stateOf(gateway)).toBe(before)
})

test('Records whose events have the same time and place in a snapshot keep an event each', () => {
  const { gateway } = openWithDomain()
  const domains = ['b.example.com', 'c.example.com'].map((domain) =>
    gateway.reservedDomains.create({ domain, certificate_management_policy: { authority: 'letsencrypt' } }),
  )
  const snapshot = JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys: true })))
  for (const { due } of snapshot.records.reserved_domains) due.order = 3
  for (const deleted of domains) {
    gateway.restore(snapshot)
    gateway.reservedDomains.delete(deleted.id)
    gateway.clock.advance('1h')
    const { reserved_domains: left } = gateway.reservedDomains.list()
    expect(left.map(({ certificate }) => certificate !== null)).toEqual([true, true])
  }
})
