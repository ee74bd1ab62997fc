import { describe, expect, test } from 'vitest'
import { createGateway, type GatewayError, manualClock } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'
import { stateOf } from '../../support/gateway.ts'
import { NEW_YEAR, openWithDomain } from '../../support/provisioning.ts'

/** Returns a snapshot as a file would have it: no gateway has checked its records. */
function writeSnapshot() {
  const { gateway } = openWithDomain()
  gateway.reservedAddrs.create({ description: 'first' })
  gateway.clock.advance('1m')
  return JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys: true })))
}

describe('A snapshot whose records do not fit together is refused, and changes nothing', () => {
  const refusalOf = (snapshot: ReturnType<typeof writeSnapshot>): GatewayError => {
    const gateway = createGateway({ seed: 'restored', clock: manualClock(NEW_YEAR) })
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
      `records.reserved_addrs.1 is a second record with the key "${addr.id}". Allowed: each key once.`,
    )
  })

  test('a certificate that is not there', () => {
    const snapshot = writeSnapshot()
    const [{ id }] = snapshot.records.tls_certificates.splice(0)
    expect(refusalOf(snapshot).message).toBe(
      `records.reserved_domains.0.certificate_id is "${id}". Allowed: the id of a TLS certificate that exists.`,
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
