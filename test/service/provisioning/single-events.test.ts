import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { timersOn } from '../../../src/testing/clock.ts'
import { certificatePair } from '../../../src/testing/testing.ts'
import { expectError, readResponse } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import {
  addDurations,
  DOMAIN,
  ECDSA,
  openManual,
  openWithCertificate,
  openWithDomain,
  timeAfter,
} from '../../support/provisioning.ts'

const NOW = CLOCK_START

/** Calls a control over HTTP, for a domain. */
async function callOverHttp(gateway: Gateway, path: string, id: string) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id }) }
  return readResponse(await gateway.fetch(`http://localhost/_fauxgate/provisioning/${path}`, init))
}

describe('renewNow advances the clock to the renewal of a domain (rules: time#single-events)', () => {
  test('and returns the domain with the job that has just started', () => {
    const { gateway, id, status, certificate_id } = openWithCertificate()
    const renews_at = status()?.renews_at as string
    const domain = gateway.provisioning.renewNow(id)
    expect(gateway.clock.now).toBe(Date.parse(renews_at))
    expect(domain.certificate?.id).toBe(certificate_id)
    expect(domain.certificate_management_status).toEqual({
      renews_at,
      provisioning_job: expect.objectContaining({ started_at: renews_at, error_code: null }),
    })
    expect(domain).toEqual(gateway.reservedDomains.get(id))
  })

  test('and runs everything that falls due meanwhile, including timers and events of other domains', () => {
    const { gateway, id } = openWithCertificate()
    const other = gateway.reservedDomains.create({ domain: 'b.example.com', certificate_management_policy: ECDSA }).id
    const fired: number[] = []
    timersOn(gateway.clock).setTimeout(() => fired.push(gateway.clock.now - NOW), 86_400_000)
    gateway.provisioning.renewNow(id)
    expect(fired).toEqual([86_400_000])
    expect(gateway.reservedDomains.get(other).certificate).not.toBeNull()
  })

  test('and again to the next renewal, after a certificate was issued', () => {
    const { gateway, id } = openWithCertificate()
    gateway.provisioning.renewNow(id)
    gateway.provisioning.attempt(id)
    gateway.provisioning.renewNow(id)
    expect(gateway.clock.now).toBe(Date.parse(timeAfter('120d')))
  })
})

describe('expireNow advances the clock to the expiry of the certificate in use (rules: time#single-events)', () => {
  test('one second after its not_after, and the certificate stays in use if its renewal fails', () => {
    const { gateway, id, certificate_id } = openWithCertificate()
    gateway.provisioning.failAlways('DNS_ERROR')
    const { not_after } = gateway.tlsCertificates.get(certificate_id)
    const domain = gateway.provisioning.expireNow(id)
    expect(gateway.clock.now).toBe(Date.parse(not_after) + 1000)
    expect([domain.certificate?.id, domain.certificate_management_status?.provisioning_job?.error_code]).toEqual([
      certificate_id,
      'DNS_ERROR',
    ])
  })

  test('and runs a renewal that falls due meanwhile', () => {
    const { gateway, id, certificate_id } = openWithCertificate()
    expect(gateway.provisioning.expireNow(id).certificate?.id).not.toBe(certificate_id)
    expect(gateway.clock.now).toBe(Date.parse(timeAfter('90d')) + 1000)
  })

  test('also for an uploaded certificate', () => {
    const gateway = openManual()
    const pair = certificatePair({ names: [DOMAIN], notBefore: SHOWN_START, notAfter: timeAfter('400d') })
    const { id: certificate_id, not_after } = gateway.tlsCertificates.create(pair)
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    gateway.provisioning.expireNow(id)
    expect(gateway.clock.now).toBe(Date.parse(addDurations(not_after, '1s')))
  })
})

type Case = [what: string, open: () => { gateway: Gateway; id: string }, renewal: string | null, expiry: string | null]

const JOB = 'its provisioning job is still running, and only issued certificates are renewed'
const cases: Case[] = [
  ['whose first job is running', () => openWithDomain(), JOB, 'it uses no certificate'],
  ['whose renewal is running', () => openRenewing(), JOB, null],
  ['without a policy', () => openUnmanaged(), 'it has no certificate management policy', 'it uses no certificate'],
  [
    'whose certificate is expired already',
    () => openExpired(),
    JOB,
    `its certificate has been expired since ${timeAfter('90d', '1s')}`,
  ],
  [
    'whose certificate lasts until the end of the year 9999',
    () => openWithCertificate({ certificates: { validity: '4000000d', renewalLead: '0s' } }),
    'it would be due after the year 9999',
    'its certificate expires after the year 9999',
  ],
]

function openRenewing() {
  const it = openWithCertificate()
  it.gateway.provisioning.renewNow(it.id)
  return it
}

function openExpired() {
  const it = openWithCertificate()
  it.gateway.provisioning.failAlways('INTERNAL_ERROR')
  it.gateway.provisioning.expireNow(it.id)
  return it
}

function openUnmanaged() {
  const gateway = openManual()
  return { gateway, id: gateway.reservedDomains.create({ domain: DOMAIN }).id }
}

describe.each(cases)('For a domain %s', (_what, open, renewal, expiry) => {
  const controls = [
    ['renewNow', 'renew', 'renewal', renewal],
    ['expireNow', 'expire', 'expiry', expiry],
  ] as const
  for (const [name, path, event, reason] of controls) {
    if (reason === null) continue
    test(`${name} says why there is no such event, and does not advance the clock`, async () => {
      const { gateway, id } = open()
      const before = gateway.snapshot()
      const error = expectError(() => gateway.provisioning[name](id))
      expect(error).toMatchObject({ name: 'GatewayError', key: 'nothing_ahead', status: 409 })
      expect(error.message).toBe(`There is no ${event} of ${id} to advance the clock to: ${reason}.`)
      const response = await callOverHttp(gateway, path, id)
      expect([response.status, response.body.error_code]).toEqual([409, 'ERR_GATEWAY_90423'])
      expect(response.body.msg).toBe(error.message)
      expect(gateway.snapshot()).toEqual(before)
    })
  }
})

describe.each(['renewNow', 'expireNow'] as const)('%s', (name) => {
  test('needs a clock that it can advance', () => {
    for (const clock of [undefined, { now: NOW }]) {
      const gateway = createGateway({ seed: 'test', ...(clock && { clock }) })
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
      expect(expectError(() => gateway.provisioning[name](id))).toMatchObject({ key: 'clock_not_manual' })
    }
  })

  test('rejects a text that is neither a name nor an id', () => {
    const gateway = openManual()
    expect(expectError(() => gateway.provisioning[name](5 as never))).toMatchObject({ key: 'field_invalid' })
    expect(gateway.clock.now).toBe(NOW)
  })
})
