import { describe, expect, test } from 'vitest'
import { refusalOf, thrownBy } from '../support/client.ts'
import {
  certificateIds,
  issued,
  managed,
  NEW_YEAR,
  openManual,
  passUnseen,
  timeAfter,
} from '../support/provisioning.ts'

describe('An attempt that the test runs now', () => {
  test('issues at the current time, before it was due, and nothing more comes of the job', () => {
    const { gateway, id, domain } = managed()
    gateway.clock.advance('10s')
    const answered = gateway.provisioning.attempt(id)
    expect(answered.certificate?.id).toBe(certificateIds(gateway)[0])
    expect(answered.certificate_management_status).toEqual({
      renews_at: timeAfter('10s', '60d'),
      provisioning_job: null,
    })
    expect(domain()).toEqual(answered)
    gateway.clock.advance('1d')
    expect(domain()).toEqual(answered)
    expect(certificateIds(gateway)).toHaveLength(1)
  })

  test('can fail, and its retry counts from now and replaces the one that was due', () => {
    const { gateway, id, job } = managed()
    gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR'])
    gateway.clock.advance('10s')
    gateway.provisioning.attempt(id)
    expect(job()).toMatchObject({ error_code: 'INTERNAL_ERROR', started_at: NEW_YEAR, retries_at: timeAfter('70s') })
    gateway.clock.advance('30s')
    gateway.provisioning.attempt(id)
    expect(job()?.retries_at).toBe(timeAfter('40s', '2m'))
    gateway.clock.advance('119s')
    expect(job()).not.toBeNull()
    gateway.clock.advance('1s')
    expect(job()).toBeNull()
  })

  test('runs a renewal before its attempt is due', () => {
    const { gateway, id, certificate, certificate_id } = issued()
    gateway.clock.advance('60d')
    const { certificate: renewed } = gateway.provisioning.attempt(id)
    expect(renewed?.id).not.toBe(certificate_id)
    expect(certificateIds(gateway)).toEqual([certificate()])
  })

  test('finds what was due settled first: the attempt of that time counts, not another one', () => {
    const { gateway, id, certificate } = managed()
    passUnseen(gateway.clock, '31s')
    expect(refusalOf(() => gateway.provisioning.attempt(id))).toBe('not_found')
    expect(gateway.tlsCertificates.get(certificate() as string).issued_at).toBe(timeAfter('30s'))
  })

  test('needs a job: there is none for a domain that is issued, or not managed', () => {
    const { gateway, id } = issued()
    const unmanaged = gateway.reservedDomains.create({ domain: 'b.example.com' }).id
    const before = gateway.snapshot()
    for (const each of [id, unmanaged]) {
      const error = thrownBy(() => gateway.provisioning.attempt(each))
      expect(error).toMatchObject({ name: 'GatewayError', key: 'not_found', status: 404 })
      expect(error.message).toContain(each)
      expect(error.message).toContain('provisioning job')
    }
    expect(gateway.snapshot()).toEqual(before)
  })

  test.each([
    ['rd_000000000000000000000000000', 'not_found'],
    ['cert_00000000000000000000000000', 'not_found'],
    ['app.example.com', 'not_found'],
    ['', 'not_found'],
    [undefined, 'field_invalid'],
  ])('refuses the domain %j as %s', (id, key) => {
    const gateway = openManual()
    expect(refusalOf(() => gateway.provisioning.attempt(id as string))).toBe(key)
  })
})
