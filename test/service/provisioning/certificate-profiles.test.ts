import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, type GatewayOptions, manualClock } from '../../../src/index.ts'

const DOMAIN = 'app.example.com'
const DAY_MS = 86_400_000

type Options = Pick<GatewayOptions, 'certificates' | 'clock' | 'provisioningDelay'>
type Create = (options: Options) => Pick<Gateway, 'reservedDomains' | 'tlsCertificates'>

const CREATORS: readonly Create[] = [(options) => createGateway(options), (options) => createNgrok(options)]

/** Issues an automatic certificate at a time. Returns the days of its validity in X.509, and the days until its renewal. */
function issue(start: string, certificates?: GatewayOptions['certificates'], create: Create = createGateway) {
  const gateway = create({ certificates, clock: manualClock(start), provisioningDelay: 0 })
  const { certificate_management_status, certificate } = gateway.reservedDomains.create({
    domain: DOMAIN,
    certificate_management_policy: { authority: 'letsencrypt' },
  })
  const { certificate_pem } = gateway.tlsCertificates.get(certificate?.id ?? '')
  const { validFrom, validTo } = new X509Certificate(certificate_pem)
  const countDays = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS
  const { renews_at = '' } = certificate_management_status ?? {}
  return { days: countDays(validFrom, validTo), renewedAfter: countDays(validFrom, renews_at ?? '') }
}

describe('Profiles of automatic certificates (rules: provisioning-jobs#profiles)', () => {
  test.each([
    ['90d', 90, 60],
    ['64d', 64, 64 * (2 / 3)],
    ['45d', 45, 30],
    ['6d', 6, 3],
  ] as const)('%s is valid for %i days and renewed after %d, at any time', (certificates, days, renewedAfter) => {
    for (const start of ['2026-01-01T00:00:00Z', '2028-06-01T00:00:00Z'])
      for (const create of CREATORS)
        expect(issue(start, certificates, create)).toEqual({
          days,
          renewedAfter: expect.closeTo(renewedAfter, 9),
        })
  })

  test.each([
    ['2026-01-01T00:00:00Z', 90],
    ['2027-02-09T23:59:59Z', 90],
    ['2027-02-10T00:00:00Z', 64],
    ['2027-03-15T12:00:00Z', 64],
    ['2028-02-15T23:59:59Z', 64],
    ['2028-02-16T00:00:00Z', 45],
  ])('by default one that is issued at %s is valid for %i days', (start, days) => {
    for (const create of CREATORS) expect(issue(start, undefined, create).days).toBe(days)
  })

  test('a renewal has the default of its own day, and the timeline has the time of the next renewal', () => {
    const clock = manualClock('2027-01-01T00:00:00Z')
    const gateway = createGateway({ clock, provisioningDelay: 0 })
    const { id } = gateway.reservedDomains.create({
      domain: DOMAIN,
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    const readLifetimes = () => {
      const [certificate] = gateway.tlsCertificates.list().tls_certificates
      return [certificate?.not_before, certificate?.not_after]
    }
    expect(readLifetimes()).toEqual(['2027-01-01T00:00:00Z', '2027-04-01T00:00:00Z'])
    gateway.clock.advanceTo('2027-03-02T00:00:00Z')
    expect(readLifetimes()).toEqual(['2027-03-02T00:00:00Z', '2027-05-05T00:00:00Z'])
    const { renews_at } = gateway.reservedDomains.get(id).certificate_management_status ?? {}
    expect(renews_at).toBe('2027-04-13T16:00:00Z')
    expect(gateway.provisioning.timeline(id).at(-1)?.message).toContain(`will be renewed at ${renews_at}`)
  })

  test('with only a validity, the renewal is after two thirds of it, or after half if it is under 10 days', () => {
    expect(issue('2026-01-01T00:00:00Z', { validity: '30d' }).renewedAfter).toBe(20)
    expect(issue('2026-01-01T00:00:00Z', { validity: '8d' }).renewedAfter).toBe(4)
  })

  test('with only a renewal lead, the validity depends on the clock', () => {
    const certificates = { renewalLead: '10d' } as const
    expect(issue('2026-01-01T00:00:00Z', certificates)).toEqual({ days: 90, renewedAfter: 80 })
    expect(issue('2027-03-15T00:00:00Z', certificates)).toEqual({ days: 64, renewedAfter: 54 })
  })
})
