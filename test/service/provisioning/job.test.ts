import { describe, expect, test } from 'vitest'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import {
  addDurations,
  advanceUnnoticed,
  DOMAIN,
  dueAfter,
  ECDSA,
  listCertificateIds,
  openManual,
  openWithCertificate,
  openWithDomain,
  timeAfter,
} from '../../support/provisioning.ts'

const IN_PROGRESS = {
  error_code: null,
  msg: 'Managed certificate provisioning in progress.',
  started_at: SHOWN_START,
  retries_at: null,
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
    expect(listCertificateIds(gateway)).toEqual([])
  })
})

describe('A provisioning job that succeeds (rules: provisioning-jobs#success)', () => {
  test('leaves a certificate in use, the renewal 30 days before its expiry, and no job', async () => {
    const { gateway, id, domain } = openWithDomain()
    gateway.clock.advanceToNext()
    const [certificate_id] = listCertificateIds(gateway)
    const uri = `${gateway.url}/tls_certificates/${certificate_id}`
    expect(domain().certificate).toEqual({ id: certificate_id, uri })
    const renews_at = dueAfter('30s', '60d')
    expect(domain().certificate_management_status).toStrictEqual({ renews_at, provisioning_job: null })
    const api = client(gateway)
    expect((await api('GET', `/reserved_domains/${id}`)).body).toEqual(domain())
    const { body } = await api('GET', `/tls_certificates/${certificate_id}`)
    expect(body).toMatchObject({ issued_at: dueAfter('30s'), created_at: dueAfter('30s') })
    expect(addDurations(body.not_after, '-30d')).toBe(renews_at)
    expect(body.not_after).toBe(dueAfter('30s', '90d'))
  })

  const reads: [string, (gateway: ReturnType<typeof openManual>, id: string) => boolean][] = [
    ['the domain', (gateway, id) => gateway.reservedDomains.get(id).certificate !== null],
    ['the list of domains', (gateway) => gateway.reservedDomains.list().reserved_domains[0]?.certificate !== null],
    ['the list of certificates', (gateway) => gateway.tlsCertificates.list().tls_certificates.length === 1],
    ['the timeline', (gateway, id) => gateway.provisioning.timeline(id).at(-1)?.at === dueAfter('30s')],
    ['the pending outcomes', (gateway) => gateway.provisioning.pendingOutcomes().length === 0],
    ['a snapshot', (gateway) => gateway.snapshot().records.tls_certificates?.length === 1],
  ]
  test.each(reads)(
    'ends at its own time, regardless of what is read first, here %s (rules: time#settling)',
    (_what, isOver) => {
      const { gateway, id } = openWithDomain()
      gateway.provisioning.script(['success'])
      advanceUnnoticed(gateway.clock, '31s')
      expect(isOver(gateway, id)).toBe(true)
    },
  )
})

const RENEWS_AT = timeAfter('60d')

/** Opens a gateway with a domain whose certificate was issued at the clock's start and is due for renewal. */
function openDue(options: Parameters<typeof openWithCertificate>[0] = {}) {
  const it = openWithCertificate(options)
  it.gateway.clock.advanceTo(RENEWS_AT)
  return it
}

describe('A renewal (rules: provisioning-jobs#renewal)', () => {
  test('issues a certificate after the provisioning delay, and removes the replaced certificate', async () => {
    const { gateway, certificate, certificate_id, status } = openDue()
    gateway.clock.advance(29_999)
    expect(certificate()).toBe(certificate_id)
    gateway.clock.advance(1)
    const newId = certificate() as string
    expect(newId).not.toBe(certificate_id)
    expect(listCertificateIds(gateway)).toEqual([newId])
    const issued_at = addDurations(RENEWS_AT, '30s')
    expect(gateway.tlsCertificates.get(newId)).toMatchObject({ issued_at, not_after: addDurations(issued_at, '90d') })
    expect(status()).toStrictEqual({ renews_at: addDurations(issued_at, '60d'), provisioning_job: null })
    expect(outcome(await client(gateway)('GET', `/tls_certificates/${certificate_id}`))).toBe('404 ERR_GATEWAY_90404')
    expect(refusalKey(() => gateway.authority.privateKeyPem(certificate_id))).toBe('not_found')
  })

  test('repeats for years, each one 60 days and 30 seconds after the last', () => {
    const { gateway, id } = openWithCertificate({ certificates: '90d' })
    gateway.clock.advance('730d')
    const renewals = gateway.provisioning.timeline(id).filter(({ transition }) => transition === 'renewed')
    const times = Array.from({ length: 12 }, (_, i) => timeAfter(`${60 * (i + 1)}d`, `${30 * (i + 1)}s`))
    expect(renewals.map(({ at }) => at)).toEqual(times)
    expect(listCertificateIds(gateway)).toHaveLength(1)
  })

  test('that fails keeps the certificate in use even past its expiry, with the job of the first day', () => {
    const { gateway, job, certificate, certificate_id } = openDue()
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('300d')
    expect([certificate(), gateway.tlsCertificates.get(certificate_id).not_after]).toEqual([
      certificate_id,
      timeAfter('90d'),
    ])
    expect(job()).toMatchObject({ error_code: 'DNS_ERROR', started_at: RENEWS_AT })
  })

  test('has another key and another serial number', () => {
    const { gateway, certificate, certificate_id } = openWithCertificate()
    const before = gateway.tlsCertificates.get(certificate_id)
    const keyBefore = gateway.authority.privateKeyPem(certificate_id)
    gateway.clock.advance('61d')
    const newId = certificate() as string
    expect(gateway.tlsCertificates.get(newId).serial_number).not.toBe(before.serial_number)
    expect(gateway.authority.privateKeyPem(newId)).not.toBe(keyBefore)
  })
})

/** A domain at three points of its provisioning. */
const points = {
  'in progress': () => openWithDomain(),
  'failing, with a retry to come': () => {
    const it = openWithDomain()
    it.gateway.provisioning.failNext('INTERNAL_ERROR')
    it.gateway.clock.advance('31s')
    return it
  },
  'issued, with a renewal to come': () => openWithCertificate(),
} as const

describe.each(Object.keys(points) as (keyof typeof points)[])('A managed domain that is %s', (point) => {
  test('keeps its job through an update of something else', () => {
    const { gateway, id, domain } = points[point]()
    const before = domain()
    expect(gateway.reservedDomains.update(id, { metadata: 'x' })).toEqual({ ...before, metadata: 'x' })
  })
})

describe('An attempt that the test runs now', () => {
  test('runs due events first: the attempt of that time counts, not another attempt', () => {
    const { gateway, id, certificate } = openWithDomain()
    advanceUnnoticed(gateway.clock, '31s')
    expect(refusalKey(() => gateway.provisioning.attempt(id))).toBe('not_found')
    expect(gateway.tlsCertificates.get(certificate() as string).issued_at).toBe(dueAfter('30s'))
  })

  test('needs a job, which an issued or an unmanaged domain does not have', () => {
    const { gateway, id } = openWithCertificate()
    const unmanaged = gateway.reservedDomains.create({ domain: 'b.example.com' }).id
    const before = gateway.snapshot()
    for (const each of [id, unmanaged]) {
      const error = expectError(() => gateway.provisioning.attempt(each))
      expect(error).toMatchObject({ name: 'GatewayError', key: 'not_found', status: 404 })
      expect(error.message).toContain(each)
      expect(error.message).toContain('provisioning job')
    }
    expect(gateway.snapshot()).toEqual(before)
  })

  test.each([
    ['', 'not_found'],
    [undefined, 'field_invalid'],
  ])('rejects the domain %j as %s', (id, key) => {
    const gateway = openManual()
    expect(refusalKey(() => gateway.provisioning.attempt(id as string))).toBe(key)
  })
})
