import { describe, expect, test } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { client } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import {
  DOMAIN,
  dueAfter,
  ECDSA,
  listCertificateIds,
  openManual,
  openWithCertificate,
  openWithDomain,
  RSA,
  timeAfter,
} from '../../support/provisioning.ts'

const CREATE = { domain: DOMAIN, certificate_management_policy: ECDSA }

describe('With provisioningDelay 0 (rules: provisioning-jobs#start)', () => {
  test('a creation responds with the certificate in use and no job', async () => {
    const gateway = openManual({ provisioningDelay: 0 })
    const { body } = await client(gateway)('POST', '/reserved_domains', { json: CREATE })
    expect(body.certificate.id).toBe(listCertificateIds(gateway)[0])
    const status = { renews_at: timeAfter('60d'), provisioning_job: null }
    expect(body.certificate_management_status).toStrictEqual(status)
  })

  test('a creation can also fail its first attempt within the response', async () => {
    const gateway = openManual({ provisioningDelay: '0s' })
    gateway.provisioning.script(['DNS_ERROR'])
    const { status, body } = await client(gateway)('POST', '/reserved_domains', { json: CREATE })
    expect(status).toBe(201)
    expect(body.certificate).toBeNull()
    expect(body.certificate_management_status.provisioning_job).toMatchObject({
      error_code: 'DNS_ERROR',
      started_at: SHOWN_START,
      retries_at: dueAfter('1h'),
    })
    gateway.clock.advanceToNext()
    expect(gateway.reservedDomains.get(body.id).certificate?.id).toBe(listCertificateIds(gateway)[0])
  })

  test('the update that sets a policy, or another key type, responds with the new certificate', () => {
    const gateway = openManual({ provisioningDelay: 0 })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    const first = gateway.reservedDomains.update(id, { certificate_management_policy: ECDSA })
    const second = gateway.reservedDomains.update(id, { certificate_management_policy: RSA })
    expect(second.certificate_management_status?.provisioning_job).toBeNull()
    expect(second.certificate?.id).not.toBe(first.certificate?.id)
    expect(listCertificateIds(gateway)).toEqual([second.certificate?.id])
  })

  test('a renewal that is due also ends at once', () => {
    const { gateway, id } = openWithCertificate({ provisioningDelay: 0 })
    gateway.clock.advance('60d')
    const last = gateway.provisioning.timeline(id).slice(-2)
    expect(last.map(({ at, transition }) => [at, transition])).toEqual([
      [timeAfter('60d'), 'renewal started'],
      [timeAfter('60d'), 'renewed'],
    ])
  })
})

describe('The options for provisioning (rules: provisioning-jobs#options)', () => {
  test('provisioningDelay sets the time to the first attempt of a job and of a renewal', () => {
    const { gateway, id } = openWithDomain({ provisioningDelay: '10m' })
    gateway.clock.advance('61d')
    const attempts = gateway.provisioning.timeline(id).filter(({ outcome }) => outcome !== null)
    expect(attempts.map(({ at }) => at)).toEqual([dueAfter('10m'), dueAfter('60d', '20m')])
  })

  test('certificates sets not_after and renews_at', () => {
    const { gateway, status, certificate_id } = openWithCertificate({
      certificates: { validity: '47d', renewalLead: '16h' },
    })
    expect(gateway.tlsCertificates.get(certificate_id).not_after).toBe(timeAfter('47d'))
    expect(status()?.renews_at).toBe(timeAfter('46d', '8h'))
  })

  test('certificates.renewalLead 0 renews at the expiry itself', () => {
    expect(openWithCertificate({ certificates: { renewalLead: 0 } }).status()?.renews_at).toBe(timeAfter('90d'))
  })

  test('internalErrorBackoff sets the first wait and the longest one', () => {
    const { gateway, id } = openWithDomain({
      provisioningDelay: '1s',
      internalErrorBackoff: { first: '3s', most: '10s' },
    })
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    gateway.clock.advanceTo(dueAfter('40s'))
    const attempts = gateway.provisioning.timeline(id).filter(({ outcome }) => outcome !== null)
    const seconds = [1, 4, 10, 20, 30, 40]
    expect(attempts.map(({ at }) => at)).toEqual(seconds.map((s) => dueAfter(`${s}s`)))
  })

  test.each([
    [{ first: '32m' }, [32, 64, 64]],
    [{ most: '3m' }, [1, 2, 3]],
    [{}, [1, 2, 4]],
  ] as const)('internalErrorBackoff %j has the defaults for the rest', (internalErrorBackoff, minutes) => {
    const { gateway, id } = openWithDomain({ provisioningDelay: '1s', internalErrorBackoff })
    gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR', 'INTERNAL_ERROR'])
    gateway.clock.advance('3h')
    const attempts = gateway.provisioning.timeline(id).filter(({ outcome }) => outcome !== null)
    const times = attempts.map(({ at }) => Date.parse(at) / 60_000)
    expect(times.slice(1).map((at, i) => at - (times[i] ?? 0))).toEqual(minutes)
  })

  test('dnsErrorRetry sets the wait after a DNS_ERROR', () => {
    const { gateway, job } = openWithDomain({ dnsErrorRetry: '5m' })
    gateway.provisioning.failNext('DNS_ERROR')
    gateway.clock.advanceToNext()
    expect(job()?.retries_at).toBe(dueAfter('30s', '5m'))
  })

  const wrongOptions: [keyof GatewayOptions, unknown, RegExp][] = [
    [
      'certificates',
      '30d',
      /^certificates is "30d"\. Allowed: "90d" or "64d" or "45d" or "6d", or an object with "validity"/,
    ],
    ['certificates', { validity: 0 }, /^certificates\.validity is 0\. Allowed: .*at least 1000 ms/],
    [
      'certificates',
      { renewalLead: '45d' },
      /^certificates\.renewalLead is "45d"\. Allowed: less than certificates\.validity, "45d", its shortest default\.$/,
    ],
    [
      'certificates',
      { validity: '10d', renewalLead: '240h' },
      /^certificates\.renewalLead is "240h"\. Allowed: less than certificates\.validity, "10d"\.$/,
    ],
    ['dnsErrorRetry', 0, /^dnsErrorRetry is 0\. Allowed: .*at least 1000 ms/],
    [
      'internalErrorBackoff',
      { most: '59s' },
      /^internalErrorBackoff\.first is "1m", its default\. Allowed: at most internalErrorBackoff\.most, "59s"\.$/,
    ],
    [
      'authorityKeys',
      'own',
      /^authorityKeys is a string of 3 characters\. Allowed: "test", "fresh", or an object with "secret", /,
    ],
  ]
  test.each(wrongOptions)('%s rejects %j, and names what is allowed', (name, value, message) => {
    expect(() => createGateway({ [name]: value })).toThrow(TypeError)
    expect(() => createGateway({ [name]: value })).toThrow(message)
  })
})
