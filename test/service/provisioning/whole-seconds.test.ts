import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGateway, type GatewayOptions, manualClock } from '../../../src/index.ts'
import { check } from '../../support/property.ts'
import { createDomainReaders, DOMAIN, ECDSA } from '../../support/provisioning.ts'

const DAY = 86_400_000
const LATEST = '9999-12-31T23:59:59Z'

/** Opens a gateway with one managed domain that was created at a time in ms. */
function openCreatedAt(now: number, options: Omit<GatewayOptions, 'clock'> = {}) {
  const gateway = createGateway({ seed: 'seconds', clock: manualClock(now), ...options })
  const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
  const listTransitions = () => gateway.provisioning.timeline(id).map(({ at, transition }) => [at, transition])
  return { gateway, id, ...createDomainReaders(gateway, id), transitions: listTransitions }
}

type OpenGateway = ReturnType<typeof openCreatedAt>

/** Expects the domain to stay unchanged until the expected time, and to change at exactly that time. */
function expectChangeAt({ gateway, domain, transitions }: OpenGateway, expected: string): void {
  const before = domain()
  gateway.clock.advanceTo(Date.parse(expected) - 1)
  expect(domain()).toEqual(before)
  gateway.clock.advanceTo(expected)
  expect(domain()).not.toEqual(before)
  expect(transitions().at(-1)?.[0]).toBe(expected)
}

describe('A scheduled event happens at exactly the time that responses show (rules: time#whole-seconds)', () => {
  const start = Date.UTC(2026, 0, 1) + 900

  const options = fc
    .record({
      delay: fc.oneof(fc.constant(30_000), fc.nat(100_000)),
      life: fc.oneof(fc.constant(60 * DAY), fc.integer({ min: 1, max: 5000 }), fc.nat(90 * DAY)),
      lead: fc.oneof(fc.constant(30 * DAY), fc.integer({ min: 1000, max: 5000 }), fc.nat(60 * DAY)),
      first: fc.integer({ min: 1000, max: 100_000 }),
      dns: fc.integer({ min: 1000, max: 10_000_000 }),
    })
    .map(({ delay, life, lead, first, dns }) => ({
      provisioningDelay: delay,
      certificates: { validity: Math.max(1000, life + 1 + lead), renewalLead: lead },
      internalErrorBackoff: { first, most: 4 * first },
      dnsErrorRetry: dns,
    }))
  const outcomes = fc.array(fc.constantFrom('INTERNAL_ERROR' as const, 'DNS_ERROR' as const), { maxLength: 5 })

  test('for any start, delays, validity and lead', () => {
    check(
      fc.property(fc.nat(200 * 365 * DAY), options, outcomes, outcomes, (now, times, failures, laterFailures) => {
        const it = openCreatedAt(now, times)
        const { provisioning, tlsCertificates } = it.gateway
        const runAttempts = (list: typeof failures) => {
          provisioning.script([...list, 'success'])
          for (let left = list.length; left > 0; left--) expectChangeAt(it, it.job()?.retries_at as string)
        }
        const formatAfter = (ms: number) => new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace('.000', '')
        if (times.provisioningDelay > 0) {
          provisioning.script(failures.slice(0, 1))
          expectChangeAt(it, formatAfter(now + times.provisioningDelay))
          if (it.job()) runAttempts(failures.slice(1))
          while (it.job()) expectChangeAt(it, it.job()?.retries_at as string)
        }
        provisioning.clear()
        const issued = tlsCertificates.get(it.certificate() as string)
        const renews_at = it.status()?.renews_at as string
        const expiry = Date.parse(issued.issued_at as string) + times.certificates.validity
        expect(renews_at).toBe(formatAfter(expiry - times.certificates.renewalLead))
        provisioning.script(laterFailures)
        expectChangeAt(it, renews_at)
        expect(it.status()?.renews_at === renews_at || times.provisioningDelay === 0).toBe(true)
      }),
    )
  })

  test('on a clock that is only a number', () => {
    const clock = { now: start }
    const gateway = createGateway({ clock, seed: 'seconds' })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    const { job, certificate } = createDomainReaders(gateway, id)
    gateway.provisioning.failNext('INTERNAL_ERROR')
    clock.now = start + 30_100
    const retryTime = Date.parse(job()?.retries_at as string)
    clock.now = retryTime - 0.5
    expect(certificate()).toBeNull()
    clock.now = retryTime
    expect(certificate()).not.toBeNull()
  })
})

describe('An event after the year 9999 is shown at the last second of that year and never happens', () => {
  const end = Date.parse(LATEST)

  test.each<[string, (it: OpenGateway) => string | null | undefined]>([
    ['the renewal', ({ status }) => status()?.renews_at],
    [
      'the retry',
      ({ gateway, id, job }) => {
        gateway.reservedDomains.detachCertificateManagementPolicy(id)
        gateway.provisioning.failNext('DNS_ERROR')
        gateway.reservedDomains.update(id, { certificate_management_policy: ECDSA })
        return job()?.retries_at
      },
    ],
  ])('%s', (_what, readTime) => {
    const it = openCreatedAt(end - 1500, { provisioningDelay: 0 })
    expect(readTime(it)).toBe(LATEST)
    const before = it.transitions()
    expect(it.gateway.clock.advanceToNext()).toBe(false)
    it.gateway.clock.advanceTo(LATEST)
    expect(it.transitions()).toEqual(before)
    expect(it.gateway.reservedDomains.list().reserved_domains).toEqual([it.domain()])
  })

  test('the first attempt; waiting for it returns at once', async () => {
    const it = openCreatedAt(end - 1500)
    expect(it.gateway.clock.advanceToNext()).toBe(false)
    expect(await it.gateway.provisioning.settled(it.id)).toEqual(it.domain())
    expect(it.job()).toMatchObject({ error_code: null, retries_at: null })
    expect(it.gateway.clock.now).toBe(end - 1500)
    expect(it.gateway.provisioning.attempt(it.id).certificate).not.toBeNull()
  })

  test('but an event in the last second itself happens', () => {
    const it = openCreatedAt(end - 1500, { provisioningDelay: '1s' })
    expectChangeAt(it, LATEST)
    const { not_before, not_after } = it.gateway.tlsCertificates.get(it.certificate() as string)
    expect([not_before, not_after, it.status()?.renews_at]).toEqual([LATEST, LATEST, LATEST])
    expect(it.gateway.provisioning.timeline(it.id).at(-1)?.message).toContain(`will be renewed at ${LATEST}.`)
  })
})
