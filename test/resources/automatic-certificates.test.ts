import { describe, expect, test } from 'vitest'
import { client, outcome, refusalOf } from '../support/client.ts'
import { handClock, open, START } from '../support/gateway.ts'
import { upload } from '../support/pem.ts'

const DOMAIN = 'app.example.com'
const RSA = { authority: 'letsencrypt', private_key_type: 'rsa' } as const
const ECDSA = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
const DAY = 86_400_000
/** When an attempt is due that was scheduled at {@link START}: 30 s later, rounded up to a whole second. */
const AFTER_DELAY = START + 30_433

/** A gateway with a managed domain whose certificate was issued at once. */
function managed() {
  const clock = handClock()
  const gateway = open({ clock, provisioningDelay: 0 })
  const domain = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
  const certificate_id = domain.certificate?.id as string
  return { clock, gateway, domain, certificate_id }
}

describe('An automatic certificate (rules: provisioning-jobs#start, provisioning-jobs#success)', () => {
  test('is issued within the answer when the delay is 0, and the job is over', () => {
    const { gateway, domain, certificate_id } = managed()
    expect(domain.certificate).toEqual({
      id: certificate_id,
      uri: `https://api.gateway.test/tls_certificates/${certificate_id}`,
    })
    expect(domain.certificate_management_status).toEqual({
      renews_at: '2025-11-03T10:11:14Z',
      provisioning_job: null,
    })
    expect(gateway.tlsCertificates.get(certificate_id)).toMatchObject({
      issued_at: '2025-09-04T10:11:14Z',
      not_after: '2025-12-03T10:11:14Z',
      private_key_type: 'ecdsa',
      subject_alternative_names: { dns_names: [DOMAIN], ips: [] },
    })
    expect(gateway.tlsCertificates.list().tls_certificates).toHaveLength(1)
  })

  test('is issued 30 seconds after the policy was set by default, at the next whole second, not before', () => {
    const clock = handClock()
    const gateway = open({ clock })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: RSA })
    clock.time = AFTER_DELAY - 1
    expect(gateway.reservedDomains.get(id).certificate).toBeNull()
    clock.time = AFTER_DELAY
    const domain = gateway.reservedDomains.get(id)
    expect(domain.certificate).not.toBeNull()
    expect(domain.certificate_management_status?.provisioning_job).toBeNull()
  })

  test('stays in use until the one of another key type is issued, and is deleted then', () => {
    const clock = handClock()
    const gateway = open({ clock })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    clock.time = AFTER_DELAY
    const old = gateway.reservedDomains.get(id).certificate
    const changed = gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    expect(changed.certificate).toEqual(old)
    expect(changed.certificate_management_status?.provisioning_job).not.toBeNull()
    clock.turn(30_000)
    const renewed = gateway.reservedDomains.get(id).certificate
    expect(renewed?.id).not.toBe(old?.id)
    expect(gateway.tlsCertificates.list().tls_certificates.map((each) => each.id)).toEqual([renewed?.id])
    expect(gateway.tlsCertificates.get(renewed?.id as string).private_key_type).toBe('rsa')
  })

  test('is renewed 30 days before it ends', () => {
    const { clock, gateway, domain, certificate_id } = managed()
    clock.turn(60 * DAY - 1000)
    expect(gateway.reservedDomains.get(domain.id).certificate?.id).toBe(certificate_id)
    clock.turn(1000)
    expect(gateway.reservedDomains.get(domain.id).certificate?.id).not.toBe(certificate_id)
  })

  test('cannot be deleted while it is in use (rules: tls-certificates#deletion)', async () => {
    const { gateway, certificate_id } = managed()
    const answer = await client(gateway)('DELETE', `/tls_certificates/${certificate_id}`)
    expect(outcome(answer)).toBe('409 ERR_GATEWAY_1966')
  })

  test('cannot be named as certificate_id of another domain (rules: domain-certificates#which-certificates)', () => {
    const { gateway, certificate_id } = managed()
    const { id } = gateway.reservedDomains.create({ domain: 'other.example.com' })
    const update = () => gateway.reservedDomains.update(id, { certificate_id })
    expect(refusalOf(update)).toBe('certificate_not_uploaded')
  })

  test('may be sent back by its own domain, beside the policy or alone (rules: domain-certificates#own-certificate)', () => {
    const { gateway, domain, certificate_id } = managed()
    const beside = { certificate_id, certificate_management_policy: ECDSA }
    expect(gateway.reservedDomains.update(domain.id, beside)).toEqual(domain)
    expect(gateway.reservedDomains.update(domain.id, { certificate_id, metadata: 'x' })).toEqual({
      ...domain,
      metadata: 'x',
    })
  })

  test('goes with its domain', () => {
    const { gateway, domain, certificate_id } = managed()
    gateway.reservedDomains.delete(domain.id)
    expect(refusalOf(() => gateway.tlsCertificates.get(certificate_id))).toBe('not_found')
  })

  test('goes with its policy (rules: domain-certificates#detach)', () => {
    const { gateway, domain, certificate_id } = managed()
    gateway.reservedDomains.detachCertificateManagementPolicy(domain.id)
    expect(gateway.reservedDomains.get(domain.id).certificate).toBeNull()
    expect(refusalOf(() => gateway.tlsCertificates.get(certificate_id))).toBe('not_found')
  })

  test('gives way to an uploaded one, and no renewal comes any more', () => {
    const { clock, gateway, domain, certificate_id } = managed()
    const uploaded = gateway.tlsCertificates.create(upload()).id
    const changed = gateway.reservedDomains.update(domain.id, { certificate_id: uploaded })
    expect(changed).toMatchObject({ certificate_management_policy: null, certificate_management_status: null })
    expect(refusalOf(() => gateway.tlsCertificates.get(certificate_id))).toBe('not_found')
    clock.turn(365 * DAY)
    expect(gateway.reservedDomains.get(domain.id).certificate?.id).toBe(uploaded)
  })

  test('never comes for a domain that was deleted while its job ran', () => {
    const clock = handClock()
    const gateway = open({ clock })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: RSA })
    gateway.reservedDomains.delete(id)
    clock.turn(365 * DAY)
    expect(clock.time).toBe(START + 365 * DAY)
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([])
  })
})
