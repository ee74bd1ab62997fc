import { describe, expect, test } from 'vitest'
import { client } from '../support/client.ts'
import {
  certificateIds,
  DOMAIN,
  ECDSA,
  later,
  looksAt,
  managed,
  NEW_YEAR,
  openManual,
  passUnseen,
  timeAfter,
} from '../support/provisioning.ts'

const MINUTE = 60_000
const IN_PROGRESS = {
  error_code: null,
  msg: 'Managed certificate provisioning in progress.',
  started_at: NEW_YEAR,
  retries_at: null,
}

/** When the attempts of a timeline ended, in minutes after the first one. */
function minutesOfAttempts(timeline: readonly { at: string; outcome: string | null }[]): number[] {
  const times = timeline.filter(({ outcome }) => outcome !== null).map(({ at }) => Date.parse(at))
  return times.map((time) => (time - (times[0] as number)) / MINUTE)
}

describe('A provisioning job that has started (rules: provisioning-jobs#start)', () => {
  test('is in progress from the creating response on, until the first attempt is due', () => {
    const gateway = openManual()
    const create = { domain: DOMAIN, certificate_management_policy: ECDSA }
    const domain = gateway.reservedDomains.create(create)
    expect(domain.certificate).toBeNull()
    expect(domain.certificate_management_status).toEqual({ renews_at: null, provisioning_job: IN_PROGRESS })
    gateway.clock.advance(29_999)
    expect(gateway.reservedDomains.get(domain.id)).toEqual(domain)
    expect(certificateIds(gateway)).toEqual([])
  })

  test('starts just so when the policy comes with a later update', () => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    gateway.clock.advance('1h')
    const { certificate_management_status } = gateway.reservedDomains.update(id, {
      certificate_management_policy: ECDSA,
    })
    const job = { ...IN_PROGRESS, started_at: timeAfter('1h') }
    expect(certificate_management_status).toEqual({ renews_at: null, provisioning_job: job })
    gateway.clock.advance('30s')
    expect(looksAt(gateway, id).certificate()).not.toBeNull()
  })
})

describe('A provisioning job that succeeds (rules: provisioning-jobs#success)', () => {
  test('leaves a certificate in use, the renewal 30 days before its expiry, and no job', async () => {
    const { gateway, id, domain } = managed()
    gateway.clock.advance('30s')
    const [certificate_id] = certificateIds(gateway)
    const uri = `${gateway.url}/tls_certificates/${certificate_id}`
    expect(domain().certificate).toEqual({ id: certificate_id, uri })
    const renews_at = timeAfter('30s', '60d')
    expect(domain().certificate_management_status).toStrictEqual({ renews_at, provisioning_job: null })
    const api = client(gateway)
    expect((await api('GET', `/reserved_domains/${id}`)).body).toEqual(domain())
    const { body } = await api('GET', `/tls_certificates/${certificate_id}`)
    expect(body).toMatchObject({ issued_at: timeAfter('30s'), created_at: timeAfter('30s') })
    expect(later(body.not_after, '-30d')).toBe(renews_at)
    expect(body.not_after).toBe(timeAfter('30s', '90d'))
  })

  const looks: [string, (gateway: ReturnType<typeof openManual>, id: string) => boolean][] = [
    ['the domain', (gateway, id) => gateway.reservedDomains.get(id).certificate !== null],
    ['the list of domains', (gateway) => gateway.reservedDomains.list().reserved_domains[0]?.certificate !== null],
    ['the list of certificates', (gateway) => gateway.tlsCertificates.list().tls_certificates.length === 1],
    ['the timeline', (gateway, id) => gateway.provisioning.timeline(id).at(-1)?.at === timeAfter('30s')],
    ['the pending outcomes', (gateway) => gateway.provisioning.pendingOutcomes().length === 0],
    ['a snapshot', (gateway) => gateway.snapshot().records.tls_certificates?.length === 1],
  ]
  test.each(looks)(
    'is over at its own time whoever looks first, here at %s (rules: time#settling)',
    (_what, isOver) => {
      const { gateway, id } = managed()
      gateway.provisioning.script(['success'])
      passUnseen(gateway.clock, '31s')
      expect(isOver(gateway, id)).toBe(true)
    },
  )
})

describe('A provisioning job whose attempts fail (rules: provisioning-jobs#failure, provisioning-jobs#renewal)', () => {
  test('keeps started_at and says why and when the next attempt comes', () => {
    const { gateway, status, certificate } = managed()
    gateway.provisioning.failNext('INTERNAL_ERROR')
    gateway.clock.advance('30s')
    expect(status()).toStrictEqual({
      renews_at: null,
      provisioning_job: {
        error_code: 'INTERNAL_ERROR',
        msg: expect.stringMatching(/./),
        started_at: NEW_YEAR,
        retries_at: timeAfter('90s'),
      },
    })
    expect(status()?.provisioning_job?.msg).not.toBe(IN_PROGRESS.msg)
    expect(certificate()).toBeNull()
    expect(certificateIds(gateway)).toEqual([])
  })

  test('retries an INTERNAL_ERROR after 1, 2, 4, 8, 16, 32, 64, 64 minutes', () => {
    const { gateway, id, job } = managed()
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    const waits: number[] = []
    gateway.clock.advance('30s')
    for (let i = 0; i < 9; i++) {
      const retries_at = Date.parse(job()?.retries_at as string)
      waits.push((retries_at - gateway.clock.now) / MINUTE)
      gateway.clock.advance(retries_at - gateway.clock.now - 1)
      expect(job()?.retries_at).toBe(new Date(retries_at).toISOString().replace('.000', ''))
      gateway.clock.advance(1)
      expect(job()?.started_at).toBe(NEW_YEAR)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64])
    const ends = [0, 1, 3, 7, 15, 31, 63, 127, 191, 255]
    expect(minutesOfAttempts(gateway.provisioning.timeline(id))).toEqual(ends)
  })

  test('retries a DNS_ERROR every hour', () => {
    const { gateway, id, job } = managed()
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('5h')
    expect(minutesOfAttempts(gateway.provisioning.timeline(id))).toEqual([0, 60, 120, 180, 240])
    expect(job()).toMatchObject({ error_code: 'DNS_ERROR', retries_at: timeAfter('5h', '30s') })
  })

  test('waits by the error of its last attempt, and longer only after an INTERNAL_ERROR', () => {
    const { gateway, id } = managed()
    const { provisioning } = gateway
    provisioning.script(['INTERNAL_ERROR', 'DNS_ERROR', 'INTERNAL_ERROR', 'DNS_ERROR', 'INTERNAL_ERROR', 'success'])
    gateway.clock.advance('5h')
    expect(minutesOfAttempts(provisioning.timeline(id))).toEqual([0, 1, 61, 63, 123, 127])
  })

  test('starts its backoff anew with the next job', () => {
    const { gateway, job } = managed()
    gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR', 'INTERNAL_ERROR', 'success', 'INTERNAL_ERROR'])
    const issued_at = timeAfter('30s', '7m')
    gateway.clock.advanceTo(later(issued_at, '60d', '30s'))
    expect(job()).toMatchObject({ error_code: 'INTERNAL_ERROR', retries_at: later(issued_at, '60d', '90s') })
  })
})

describe('The jobs of several domains', () => {
  test('run in the order of their due times, ties in the order they were scheduled, whatever the step', () => {
    const gateway = openManual()
    const create = (domain: string) => gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    const [a, b] = [create('a.example.com'), create('b.example.com')]
    gateway.clock.advance('10s')
    const c = create('c.example.com')
    // a and b are due at 30 s, c at 40 s, and a again at 90 s: the script for any domain tells the order.
    gateway.provisioning.script(['INTERNAL_ERROR', 'success', 'DNS_ERROR', 'DNS_ERROR', 'success'])
    gateway.clock.advance('1d')
    const outcomes = ({ id }: { id: string }) =>
      gateway.provisioning.timeline(id).flatMap(({ at, outcome }) => (outcome ? [[at, outcome]] : []))
    expect(outcomes(b)).toEqual([[timeAfter('30s'), 'success']])
    expect(outcomes(c).slice(0, 2)).toEqual([
      [timeAfter('40s'), 'DNS_ERROR'],
      [timeAfter('40s', '1h'), 'success'],
    ])
    expect(outcomes(a).slice(0, 3)).toEqual([
      [timeAfter('30s'), 'INTERNAL_ERROR'],
      [timeAfter('90s'), 'DNS_ERROR'],
      [timeAfter('90s', '1h'), 'success'],
    ])
  })
})
