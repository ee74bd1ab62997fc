import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'
import { replaceAt, valueAt } from '../support/damage.ts'
import { copyAsJson, createFullGateway } from '../support/full-gateway.ts'
import { upload } from '../support/pem.ts'
import { RSA } from '../support/provisioning.ts'

describe('A snapshot is accepted', () => {
  it('with any id up to the last created one', async () => {
    const gateway = await createFullGateway()
    const snapshot = { ...copyAsJson(gateway.snapshot()), sequence: 100 }
    const row = { ...snapshot.records.reserved_addrs?.[0], id: `ra_000001b${'a'.repeat(20)}` }
    gateway.restore({ ...snapshot, records: { reserved_addrs: [row] } })
    expect(gateway.reservedAddrs.list().reserved_addrs).toMatchObject([{ id: row.id }])
    expect(gateway.reservedAddrs.create().id > row.id).toBe(true)
  })

  it('without some of the collections', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    gateway.restore({ version: 1, now: 5, seed: 's', sequence: 0, rateLimit: [], records: {} })
    expect(gateway.clock.now).toBe(5)
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('with records that a gateway with other rules accepted', () => {
    const config = { type: 'juggle' }
    const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    const lenient = createGateway({ clock: manualClock(CLOCK_START), unknownActions: 'accept' })
    lenient.trafficPolicy.replace(route, { inbound: [{ actions: [config] }] })
    const strict = createGateway({ clock: manualClock(CLOCK_START), references: 'declared' })
    strict.restore(copyAsJson(lenient.snapshot()))
    expect(strict.snapshot()).toEqual(lenient.snapshot())
  })

  it.each<[string, GatewayOptions, renewsAt: string | undefined]>([
    ['a job whose first attempt', { provisioningDelay: '9999999d' }, undefined],
    [
      'a certificate whose end',
      { provisioningDelay: 0, certificates: { validity: '9999999d' } },
      '9999-12-31T23:59:59Z',
    ],
  ])('with %s is after the last possible time', (_what, options, renewsAt) => {
    const openEmpty = () => createGateway({ ...options, clock: manualClock(CLOCK_START) })
    const gateway = openEmpty()
    const { id } = gateway.reservedDomains.create({ domain: 'never.example.com', certificate_management_policy: RSA })
    const other = openEmpty()
    other.restore(copyAsJson(gateway.snapshot()))
    expect(other.snapshot()).toEqual(gateway.snapshot())
    expect(other.reservedDomains.get(id).certificate_management_status?.renews_at ?? undefined).toBe(renewsAt)
    expect(other.clock.advanceToNext()).toBe(false)
  })

  it('with the private key of an uploaded certificate, if the key fits', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    gateway.tlsCertificates.create(upload('p256'))
    const snapshot = copyAsJson(gateway.snapshot({ privateKeys: true }))
    const place = ['records', 'tls_certificates', 0, 'upload', 'private_key_pem'] as const
    const other = upload('p384').private_key_pem
    expect(() => gateway.restore(replaceAt(snapshot, place, other))).toThrow(
      /^records\.tls_certificates\.0\.upload\.private_key_pem is .*Allowed: a chain or a key that can be uploaded/,
    )
    expect(() => gateway.restore(replaceAt(snapshot, place, ''))).toThrow(/private_key_pem is/)
    gateway.restore(snapshot)
    expect(gateway.snapshot({ privateKeys: true })).toEqual(snapshot)
  })

  it('with the PEM of an uploaded certificate alone: its fields are read again', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    const created = gateway.tlsCertificates.create(upload('p256'))
    const snapshot = copyAsJson(gateway.snapshot())
    expect(valueAt(snapshot, ['records', 'tls_certificates', 0, 'upload'])).toEqual({
      certificate_pem: created.certificate_pem,
    })
    gateway.restore(snapshot)
    expect(gateway.tlsCertificates.get(created.id)).toEqual(created)
    const place = ['records', 'tls_certificates', 0, 'upload', 'certificate_pem'] as const
    expect(() => gateway.restore(replaceAt(snapshot, place, upload('p256').private_key_pem))).toThrow(
      /^records\.tls_certificates\.0\.upload\.certificate_pem is .*Allowed: a chain or a key that can be uploaded/,
    )
  })
})
