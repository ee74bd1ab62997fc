import { describe, expect, test } from 'vitest'
import { client, outcome, refusalOf } from '../support/client.ts'
import { certificateIds, issued, later, NEW_YEAR, RSA, timeAfter } from '../support/provisioning.ts'

/** A domain whose certificate was issued at the new year and is due for renewal. */
function due(options: Parameters<typeof issued>[0] = {}) {
  const it = issued(options)
  it.gateway.clock.advance('60d')
  return it
}

const RENEWS_AT = timeAfter('60d')

describe('A renewal (rules: provisioning-jobs#renewal)', () => {
  test('starts at renews_at to the millisecond, with a job in progress and renews_at kept', () => {
    const { gateway, status, certificate, certificate_id } = issued()
    const before = status()
    expect(before).toEqual({ renews_at: RENEWS_AT, provisioning_job: null })
    gateway.clock.advance(60 * 86_400_000 - 1)
    expect(status()).toEqual(before)
    gateway.clock.advance(1)
    const job = { error_code: null, msg: expect.stringMatching(/in progress/), started_at: RENEWS_AT, retries_at: null }
    expect(status()).toStrictEqual({ renews_at: RENEWS_AT, provisioning_job: job })
    expect(certificate()).toBe(certificate_id)
  })

  test('is issued a provisioning delay later, and the certificate it replaces is gone', async () => {
    const { gateway, certificate, certificate_id, status } = due()
    gateway.clock.advance(29_999)
    expect(certificate()).toBe(certificate_id)
    gateway.clock.advance(1)
    const renewed = certificate() as string
    expect(renewed).not.toBe(certificate_id)
    expect(certificateIds(gateway)).toEqual([renewed])
    const issued_at = later(RENEWS_AT, '30s')
    expect(gateway.tlsCertificates.get(renewed)).toMatchObject({ issued_at, not_after: later(issued_at, '90d') })
    expect(status()).toStrictEqual({ renews_at: later(issued_at, '60d'), provisioning_job: null })
    expect(outcome(await client(gateway)('GET', `/tls_certificates/${certificate_id}`))).toBe('404 ERR_GATEWAY_90404')
    expect(refusalOf(() => gateway.authority.privateKeyPem(certificate_id))).toBe('not_found')
  })

  test('has a key and a serial number of its own', () => {
    const { gateway, certificate, certificate_id } = issued()
    const before = gateway.tlsCertificates.get(certificate_id)
    const keyBefore = gateway.authority.privateKeyPem(certificate_id)
    gateway.clock.advance('61d')
    const renewed = certificate() as string
    expect(gateway.tlsCertificates.get(renewed).serial_number).not.toBe(before.serial_number)
    expect(gateway.authority.privateKeyPem(renewed)).not.toBe(keyBefore)
  })

  test('repeats for years, each one 60 days and 30 seconds after the last', () => {
    const { gateway, id } = issued({ certificates: '90d' })
    gateway.clock.advance('730d')
    const renewals = gateway.provisioning.timeline(id).filter(({ transition }) => transition === 'renewed')
    const times = Array.from({ length: 12 }, (_, i) => timeAfter(`${60 * (i + 1)}d`, `${30 * (i + 1)}s`))
    expect(renewals.map(({ at }) => at)).toEqual(times)
    expect(certificateIds(gateway)).toHaveLength(1)
  })
})

describe('A renewal that fails (rules: provisioning-jobs#failure)', () => {
  test('keeps the certificate and renews_at, and says when it retries', () => {
    const { gateway, status, certificate, certificate_id } = due()
    gateway.provisioning.failNext('INTERNAL_ERROR')
    gateway.clock.advance('30s')
    expect(status()).toStrictEqual({
      renews_at: RENEWS_AT,
      provisioning_job: {
        error_code: 'INTERNAL_ERROR',
        msg: expect.any(String),
        started_at: RENEWS_AT,
        retries_at: later(RENEWS_AT, '90s'),
      },
    })
    expect(certificate()).toBe(certificate_id)
  })

  test('keeps the certificate in use even past its expiry, with the job of the first day', async () => {
    const { gateway, job, certificate, certificate_id } = due()
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('300d')
    expect(certificate()).toBe(certificate_id)
    const { body } = await client(gateway)('GET', `/tls_certificates/${certificate_id}`)
    expect(body.not_after).toBe(timeAfter('90d'))
    expect(job()).toMatchObject({ error_code: 'DNS_ERROR', started_at: RENEWS_AT })
    expect(job()?.retries_at).toBe(later(RENEWS_AT, '300d', '30s'))
  })
})

test('The first certificate of a domain that is set up again starts over with renews_at null', () => {
  const { gateway, id, status } = issued()
  expect(status()?.renews_at).toBe(later(NEW_YEAR, '60d'))
  gateway.reservedDomains.detachCertificateManagementPolicy(id)
  gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
  expect(status()).toMatchObject({ renews_at: null, provisioning_job: { started_at: NEW_YEAR } })
})
