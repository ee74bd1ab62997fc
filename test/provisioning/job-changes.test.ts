import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { client, outcome, refusalOf } from '../support/client.ts'
import { upload } from '../support/pem.ts'
import {
  certificateIds,
  DOMAIN,
  ECDSA,
  issued,
  looksAt,
  managed,
  NEW_YEAR,
  openManual,
  RSA,
  timeAfter,
} from '../support/provisioning.ts'

/** What a domain that is not managed shows. */
const UNMANAGED = { certificate_management_policy: null, certificate_management_status: null }

describe('The policy changed during the first job (rules: domain-certificates#same-policy, provisioning-jobs#cancelled)', () => {
  test('to the same one keeps the job as it is', () => {
    const { gateway, id, domain } = managed()
    gateway.provisioning.failNext('DNS_ERROR')
    gateway.clock.advance('31s')
    const before = domain()
    expect(gateway.reservedDomains.update(id, { certificate_management_policy: ECDSA })).toEqual(before)
    expect(gateway.provisioning.timeline(id)).toHaveLength(2)
  })

  test('to another key type starts a job anew, and only the new key type is ever issued', () => {
    const { gateway, id, job, certificate } = managed()
    gateway.provisioning.failNext('DNS_ERROR')
    gateway.clock.advance('31s')
    const { certificate_management_policy } = gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    expect(certificate_management_policy).toEqual(RSA)
    expect(job()).toMatchObject({ error_code: null, started_at: timeAfter('31s'), retries_at: null })
    gateway.clock.advance('29s')
    expect(certificate()).toBeNull()
    gateway.clock.advance('1s')
    expect(gateway.tlsCertificates.get(certificate() as string).private_key_type).toBe('rsa')
    gateway.clock.advance('2h')
    expect(certificateIds(gateway)).toHaveLength(1)
  })
})

describe('The key type changed once a certificate is in use (rules: domain-certificates#same-policy, provisioning-jobs#cancelled)', () => {
  test('keeps the old certificate and its renewal time until the new one is issued', () => {
    const { gateway, id, status, certificate, certificate_id } = issued()
    gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    const job = { error_code: null, msg: expect.any(String), started_at: NEW_YEAR, retries_at: null }
    expect(status()).toStrictEqual({ renews_at: timeAfter('60d'), provisioning_job: job })
    expect(certificate()).toBe(certificate_id)
    gateway.clock.advance('30s')
    expect(certificateIds(gateway)).toEqual([certificate()])
    expect(certificate()).not.toBe(certificate_id)
    expect(status()?.renews_at).toBe(timeAfter('60d', '30s'))
  })

  test('keeps the old certificate while the new one fails, also past its expiry', () => {
    const { gateway, id, certificate, certificate_id, job } = issued()
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    gateway.clock.advance('120d')
    expect(certificate()).toBe(certificate_id)
    expect(job()).toMatchObject({ error_code: 'INTERNAL_ERROR', started_at: NEW_YEAR })
    expect(gateway.provisioning.timeline(id).map(({ transition }) => transition)).not.toContain('renewal started')
  })

  test('and changed back starts one more job, which ends with one certificate', () => {
    const { gateway, id, certificate, certificate_id, job } = issued()
    gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    gateway.clock.advance('10s')
    gateway.reservedDomains.update(id, { certificate_management_policy: ECDSA })
    expect(job()).toMatchObject({ started_at: timeAfter('10s') })
    gateway.clock.advance('1d')
    expect(certificateIds(gateway)).toEqual([certificate()])
    expect(certificate()).not.toBe(certificate_id)
    expect(gateway.tlsCertificates.get(certificate() as string).private_key_type).toBe('ecdsa')
  })
})

/** A domain at three points of its provisioning. */
const points = {
  'in progress': () => managed(),
  'failing, with a retry to come': () => {
    const it = managed()
    it.gateway.provisioning.failNext('INTERNAL_ERROR')
    it.gateway.clock.advance('31s')
    return it
  },
  'issued, with a renewal to come': () => issued(),
} as const

describe.each(Object.keys(points) as (keyof typeof points)[])('A managed domain that is %s', (point) => {
  const nothingLeft = (gateway: Gateway & ReturnType<typeof openManual>) => {
    expect(gateway.clock.advanceToNext()).toBe(false)
    gateway.clock.advance('365d')
    const { tls_certificates } = gateway.tlsCertificates.list()
    expect(tls_certificates.filter(({ issued_at }) => issued_at !== null)).toEqual([])
  }

  test('takes an uploaded certificate: policy, status, job and automatic certificate go', () => {
    const { gateway, id } = points[point]()
    const certificate_id = gateway.tlsCertificates.create(upload()).id
    const changed = gateway.reservedDomains.update(id, { certificate_id })
    expect(changed).toMatchObject({ ...UNMANAGED, certificate: { id: certificate_id } })
    expect(certificateIds(gateway)).toEqual([certificate_id])
    nothingLeft(gateway)
    expect(gateway.reservedDomains.get(id)).toEqual(changed)
  })

  test('loses its policy: status, job and automatic certificate go too', async () => {
    const { gateway, id, domain } = points[point]()
    const answer = await client(gateway)('DELETE', `/reserved_domains/${id}/certificate_management_policy`)
    expect(outcome(answer)).toBe('204')
    expect(domain()).toMatchObject({ ...UNMANAGED, certificate: null })
    expect(certificateIds(gateway)).toEqual([])
    nothingLeft(gateway)
    expect(domain()).toMatchObject({ ...UNMANAGED, certificate: null })
  })

  test('is deleted with its job and its automatic certificate', () => {
    const { gateway, id } = points[point]()
    gateway.reservedDomains.delete(id)
    expect(certificateIds(gateway)).toEqual([])
    nothingLeft(gateway)
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
  })

  test('refuses to let only its certificate be detached, and nothing changes', () => {
    const { gateway, id } = points[point]()
    const before = gateway.snapshot()
    expect(refusalOf(() => gateway.reservedDomains.detachCertificate(id))).toBe('certificate_managed')
    expect(gateway.snapshot()).toEqual(before)
  })

  test('is not touched by a refused update, not even its job', () => {
    const { gateway, id } = points[point]()
    const before = gateway.snapshot()
    const certificate_id = 'cert_000000000000000000000000000'
    expect(refusalOf(() => gateway.reservedDomains.update(id, { certificate_id }))).toBe('certificate_not_found')
    expect(gateway.snapshot()).toEqual(before)
  })

  test('keeps its job through an update of something else', () => {
    const { gateway, id, domain } = points[point]()
    const before = domain()
    expect(gateway.reservedDomains.update(id, { metadata: 'x' })).toEqual({ ...before, metadata: 'x' })
  })
})

describe('A domain with an uploaded certificate', () => {
  test('gives it up for a policy at once, and the upload itself stays', () => {
    const gateway = openManual()
    const certificate_id = gateway.tlsCertificates.create(upload()).id
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    const changed = gateway.reservedDomains.update(id, { certificate_management_policy: ECDSA })
    expect(changed).toMatchObject({ certificate: null, certificate_management_status: { renews_at: null } })
    gateway.clock.advance('30s')
    const { certificate } = looksAt(gateway, id)
    expect(certificateIds(gateway)).toEqual([certificate_id, certificate()])
    gateway.reservedDomains.delete(id)
    expect(certificateIds(gateway)).toEqual([certificate_id])
  })

  test('has nothing due', () => {
    const gateway = openManual()
    const certificate_id = gateway.tlsCertificates.create(upload()).id
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    expect(gateway.clock.advanceToNext()).toBe(false)
  })
})
