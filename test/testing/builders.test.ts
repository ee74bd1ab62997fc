import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type ManualClock, ngrok } from '../../src/index.ts'
import {
  assertStrict,
  expiringDomain,
  failedDomain,
  issuedDomain,
  trippingRoute,
  uploadedDomain,
  weightedRollout,
} from '../../src/testing/testing.ts'
import { refusalKey } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { openManual } from '../support/provisioning.ts'

const OPTIONS = [
  {},
  { provisioningDelay: 0 },
  { dialect: ngrok },
  // Here a domain without a policy would get one, and its certificate at once.
  { dialect: ngrok, provisioningDelay: 0 },
  { dns: 'simulated' },
] as const

describe('The builders', () => {
  for (const options of OPTIONS) {
    describe(`at a gateway with ${JSON.stringify(Object.keys(options))}`, () => {
      test('reserve a domain whose certificate was issued, while no time passes', () => {
        const gateway = openManual(options)
        const { domain, certificate } = issuedDomain(gateway)
        expect(domain).toEqual(gateway.reservedDomains.get(domain.id))
        expect(certificate).toEqual(gateway.tlsCertificates.get(domain.certificate?.id ?? ''))
        expect(domain.certificate_management_status?.provisioning_job).toBeNull()
        expect(gateway.clock.now).toBe(CLOCK_START)
        expect(() => assertStrict(gateway)).not.toThrow()
      })

      for (const error of ['DNS_ERROR', 'INTERNAL_ERROR'] as const) {
        test(`reserve a domain that has failed with ${error}`, () => {
          const gateway = openManual(options)
          const domain = failedDomain(gateway, { domain: 'x.example.com', error })
          expect(domain).toEqual(gateway.reservedDomains.get(domain.id))
          expect(domain.certificate_management_status?.provisioning_job?.error_code).toBe(error)
          expect(gateway.provisioning.timeline(domain.id).map(({ transition }) => transition)).toEqual([
            'started',
            'failed',
          ])
          expect(() => assertStrict(gateway)).not.toThrow()
        })
      }

      test('reserve a domain with an uploaded certificate, which never had another one', () => {
        const gateway = openManual(options)
        const { domain, certificate } = uploadedDomain(gateway)
        expect(domain).toEqual(gateway.reservedDomains.get(domain.id))
        expect(domain.certificate?.id).toBe(certificate.id)
        expect(gateway.provisioning.timeline(domain.id)).toEqual([])
        expect(() => assertStrict(gateway)).not.toThrow()
      })

      test('reserve a domain whose renewal fails and whose certificate expires in a week', () => {
        const gateway = openManual(options)
        const { domain, certificate } = expiringDomain(gateway)
        expect(domain).toEqual(gateway.reservedDomains.get(domain.id))
        expect(domain.certificate).toMatchObject({ id: certificate.id })
        expect(domain.certificate_management_status?.provisioning_job?.error_code).toBe('DNS_ERROR')
        expect(Date.parse(certificate.not_after) - gateway.clock.now).toBe(7 * 86_400_000)
        gateway.provisioning.clear({ domain: domain.domain })
        expect(() => assertStrict(gateway)).not.toThrow()
      })
    })
  }

  test.each<readonly [(gateway: Gateway<ManualClock>, options: never) => unknown, unknown, string]>([
    [issuedDomain, { name: 'a.example.com' }, '"name" is not an option. Supported: domain.'],
    [failedDomain, { err: 'DNS_ERROR' }, '"err" is not an option. Supported: domain, error.'],
    [failedDomain, { error: 'DNS' }, 'error is "DNS". Allowed: "INTERNAL_ERROR" or "DNS_ERROR".'],
    [expiringDomain, 'a.example.com', 'options is "a.example.com". Allowed: an object.'],
    [uploadedDomain, { domain: 7 }, 'domain is 7. Allowed: a string.'],
    [weightedRollout, { weight: { bkdhr_1: 1 } }, '"weight" is not an option. Supported: weights.'],
    [weightedRollout, { weights: 1 }, 'weights is 1. Allowed: an object with IDs as keys and weights as values.'],
  ])('reject options that they would ignore: %o %j', (build, options, message) => {
    expect(() => build(openManual(), options as never)).toThrow(new TypeError(message))
  })

  test('let a failing renewal succeed after `clear`', () => {
    const gateway = openManual()
    const { domain, certificate } = expiringDomain(gateway)
    gateway.provisioning.clear({ domain: domain.domain })
    gateway.clock.advance('1h')
    expect(gateway.reservedDomains.get(domain.id).certificate?.id).not.toBe(certificate.id)
  })

  test('reserve a domain that uses an uploaded certificate, valid now', () => {
    const gateway = openManual()
    const { domain, certificate, pair } = uploadedDomain(gateway, { domain: 'shop.example.com' })
    expect(domain.certificate?.id).toBe(certificate.id)
    expect(certificate).toMatchObject({
      certificate_pem: pair.certificate_pem,
      subject_common_name: 'shop.example.com',
    })
    expect(Date.parse(certificate.not_before)).toBeLessThan(gateway.clock.now)
    expect(Date.parse(certificate.not_after)).toBeGreaterThan(gateway.clock.now)
    expect(refusalKey(() => gateway.tlsCertificates.delete(certificate.id))).toBe('certificate_in_use')
  })

  test('create a weighted rollout and a route with a circuit breaker where references must be declared', () => {
    const gateway = createGateway({ references: 'declared' })
    const backend = weightedRollout(gateway)
    expect(backend.backends).toEqual({ bkdhr_stable: 90, bkdhr_canary: 10 })
    const { route, circuitBreaker } = trippingRoute(gateway)
    expect(gateway.circuitBreaker.get(route)).toEqual(circuitBreaker)
    expect(circuitBreaker).toMatchObject({ enabled: true, volume_threshold: 1 })
    expect(gateway.leftovers()).toHaveLength(2)
  })

  test('leave no resources if the API rejects the domain', () => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.provisioning.failAlways('DNS_ERROR', { domain: 'app.example.com' })
    for (const build of [issuedDomain, failedDomain, expiringDomain, uploadedDomain]) {
      expect(refusalKey(() => build(gateway))).toBe('domain_taken')
      expect(refusalKey(() => build(gateway, { domain: 'bücher.example.com' }))).toBe('domain_character_invalid')
    }
    expect(gateway.leftovers().map((each) => each.id)).toEqual([id])
    // The outcomes of the caller are still there.
    gateway.reservedDomains.update(id, { certificate_management_policy: { authority: 'letsencrypt' } })
    expect(gateway.provisioning.attempt(id).certificate_management_status?.provisioning_job?.error_code).toBe(
      'DNS_ERROR',
    )
    expect(() => assertStrict(gateway)).not.toThrow()
  })

  test('leave no resources if the API rejects a certificate for the domain', () => {
    const gateway = openManual({ dialect: ngrok })
    for (const build of [issuedDomain, failedDomain, expiringDomain, uploadedDomain]) {
      expect(refusalKey(() => build(gateway, { domain: 'app.ngrok.app' }))).toMatch(/_on_service_domain$/)
    }
    expect(gateway.leftovers()).toEqual([])
    expect(() => assertStrict(gateway)).not.toThrow()
  })

  test('reject a name whose outcomes are scripted already, instead of using them', () => {
    const gateway = openManual()
    gateway.provisioning.script(['success'], { domain: 'app.example.com' })
    expect(() => failedDomain(gateway, { domain: 'App.example.com' })).toThrow(
      'Outcomes for App.example.com are already pending',
    )
    gateway.provisioning.script(['DNS_ERROR'])
    expect(issuedDomain(gateway, { domain: 'b.example.com' }).domain.certificate).not.toBeNull()
  })
})

describe('A builder names what it received instead of', () => {
  const builders = [issuedDomain, failedDomain, expiringDomain, uploadedDomain, weightedRollout, trippingRoute]

  test.each([undefined, null, {}, 'app.example.com'])('a gateway: %j', (received) => {
    for (const build of builders) {
      expect(() => build(received as never)).toThrow(new RegExp(`^${build.name} received .+\\. Allowed: a gateway\\.$`))
    }
  })

  test('a gateway that was not awaited', () => {
    expect(() => issuedDomain(Promise.resolve(createGateway()) as never)).toThrow('a promise: await it first')
  })

  test('a gateway with a manual clock', () => {
    expect(() => expiringDomain(createGateway() as never)).toThrow(
      'expiringDomain received a gateway whose clock it cannot advance. Allowed: a gateway with a manualClock().',
    )
  })

  test.each([
    [null, 'route is null. Allowed: an object with edge_id and id.'],
    ['edghtsrt_1', 'route is "edghtsrt_1". Allowed: an object with edge_id and id.'],
    [{ edge_id: 'edghts_1' }, 'id is missing. Allowed: an object with edge_id and id.'],
    [{ edge_id: 'edghts_1', id: 1 }, 'id is 1. Allowed: a string.'],
  ])('a route: %j', (route, message) => {
    expect(() => trippingRoute(createGateway(), route as never)).toThrow(message)
  })
})
