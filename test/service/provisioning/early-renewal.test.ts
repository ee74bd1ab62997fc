import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { catchError, client } from '../../support/client.ts'
import { DOMAIN, openWithCertificate, openWithDomain, timeAfter } from '../../support/provisioning.ts'

// rules: provisioning-jobs#early-renewal

test('A renewal starts early, and neither the clock nor the certificate in use changes until the next is issued', () => {
  const { gateway, id, job, certificate_id, domain } = openWithCertificate()
  const now = gateway.clock.now
  const renewed = gateway.provisioning.renewNow(DOMAIN, { early: true })
  expect([gateway.clock.now, renewed.certificate?.id]).toEqual([now, certificate_id])
  expect(job()).toMatchObject({ error_code: null, started_at: timeAfter('0s') })
  const old = new X509Certificate(gateway.tlsCertificates.get(certificate_id).certificate_pem)
  gateway.clock.advanceToNext()
  const next = domain().certificate?.id ?? ''
  const issued = new X509Certificate(gateway.tlsCertificates.get(next).certificate_pem)
  expect([issued.serialNumber === old.serialNumber, issued.checkHost(DOMAIN)]).toEqual([false, DOMAIN])
  expect(Date.parse(issued.validFrom)).toBe(Math.floor(gateway.clock.now / 1000) * 1000)
  expect(gateway.provisioning.timeline(id).map(({ transition }) => transition)).toEqual([
    'started',
    'issued',
    'renewal started',
    'renewed',
  ])
  expect(job()).toBeNull()
})

test('A renewal starts early on the system clock too, and over HTTP', async () => {
  const gateway = createGateway({ provisioningDelay: 0 })
  const { id, certificate } = gateway.reservedDomains.create({
    domain: DOMAIN,
    certificate_management_policy: { authority: 'letsencrypt' },
  })
  const { status, body } = await client(gateway)('POST', 'http://localhost/_fauxgate/provisioning/renew', {
    json: { id, early: true },
  })
  expect([status, body.certificate.id === certificate?.id]).toEqual([200, false])
  expect(catchError(() => gateway.provisioning.renewNow(id))).toMatchObject({ key: 'clock_not_manual' })
})

test.each<[string, (opened: ReturnType<typeof openWithDomain>) => void]>([
  ['its job runs', () => undefined],
  ['it has no policy', ({ gateway, id }) => gateway.reservedDomains.detachCertificateManagementPolicy(id)],
])('A renewal cannot start early if %s, and nothing changes', (_, before) => {
  const opened = openWithDomain()
  before(opened)
  const { gateway, id } = opened
  const state = gateway.snapshot()
  expect(catchError(() => gateway.provisioning.renewNow(id, { early: true }))).toMatchObject({
    key: 'nothing_ahead',
    message: expect.stringContaining(`There is no renewal of ${id} to start early: `),
  })
  expect(gateway.snapshot()).toEqual(state)
})
