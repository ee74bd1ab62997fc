import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../../src/index.ts'
import { client, outcome, refusalKey } from '../../support/client.ts'
import { createTestClock, open } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'

const PATH = '/reserved_domains'
const DOMAIN = 'app.example.com'
const RSA = { authority: 'letsencrypt', private_key_type: 'rsa' } as const
const ECDSA = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
const UNMANAGED = { certificate_management_policy: null, certificate_management_status: null }

/** Creates a gateway with an uploaded certificate. */
function openWithCertificate(): { gateway: Gateway; certificate_id: string; ref: { id: string; uri: string } } {
  const gateway = open()
  const { id, uri } = gateway.tlsCertificates.create(upload())
  return { gateway, certificate_id: id, ref: { id, uri } }
}

describe('A certificate management policy (rules: domain-certificates#one-or-the-other, provisioning-jobs#start)', () => {
  test.each([undefined, null, ''])(
    'has the key type rsa when it is sent as %j (rules: domain-certificates#one-or-the-other)',
    async (private_key_type) => {
      const json = { domain: DOMAIN, certificate_management_policy: { authority: 'letsencrypt', private_key_type } }
      const { body } = await client(open())('POST', PATH, { json })
      expect(body.certificate_management_policy).toEqual(RSA)
    },
  )

  test.each([
    ['no authority', {}, '400 ERR_GATEWAY_435'],
    ['another authority', { authority: 'Letsencrypt' }, '400 ERR_GATEWAY_435'],
    ['a number as authority', { authority: 7 }, '400 ERR_GATEWAY_435'],
    ['another key type', { ...RSA, private_key_type: 'ed25519' }, '400 ERR_GATEWAY_1909'],
    ['a number as key type', { ...RSA, private_key_type: 2048 }, '400 ERR_GATEWAY_1909'],
    ['an unknown field', { ...RSA, days: 90 }, '400 ERR_GATEWAY_214'],
    ['a text instead of an object', 'letsencrypt', '400 ERR_GATEWAY_215'],
    ['a list instead of an object', [RSA], '400 ERR_GATEWAY_215'],
  ])('is rejected with %s, on create and on update', async (_what, policy, expected) => {
    const api = client(open())
    const { id } = (await api('POST', PATH, { json: { domain: DOMAIN } })).body
    const json = { certificate_management_policy: policy }
    expect(outcome(await api('POST', PATH, { json: { domain: 'b.example.com', ...json } }))).toBe(expected)
    expect(outcome(await api('PATCH', `${PATH}/${id}`, { json }))).toBe(expected)
  })

  test.each([
    [{}, 'missing'],
    [{ authority: null }, 'missing'],
    [{ authority: '' }, '""'],
  ])('is rejected for its authority, and the message shows the sent authority: %j', async (policy, received) => {
    const json = { domain: DOMAIN, certificate_management_policy: policy }
    const { body } = await client(open())('POST', PATH, { json })
    expect(body.msg).toBe(`certificate_management_policy.authority is ${received}. Allowed: "letsencrypt".`)
  })

  test.each([undefined, null, ''])(
    'keeps its key type in an update that sends it as %j, and so changes nothing',
    (private_key_type) => {
      const clock = createTestClock()
      const gateway = open({ clock })
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
      const state = () => JSON.stringify({ ...gateway.snapshot(), now: 0 })
      const before = state()
      clock.advance(10_000)
      const policy = { authority: 'letsencrypt', private_key_type } as typeof ECDSA
      const updated = gateway.reservedDomains.update(id, { certificate_management_policy: policy })
      expect(updated.certificate_management_policy).toEqual(ECDSA)
      expect(state()).toBe(before)
    },
  )

  test('that replaces an uploaded certificate has the default key type if it names none', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.reservedDomains.update(id, { certificate_id })
    const policy = { authority: 'letsencrypt' }
    const updated = gateway.reservedDomains.update(id, { certificate_management_policy: policy })
    expect(updated.certificate_management_policy).toEqual(RSA)
  })

  test.each(['gateway.test', 'app.gateway.test', '*.gateway.test'])(
    'is not allowed on the service-owned name %s, on create and on update',
    (domain) => {
      const gateway = open()
      const policy = { certificate_management_policy: RSA }
      expect(refusalKey(() => gateway.reservedDomains.create({ domain, ...policy }))).toBe('policy_on_service_domain')
      const { id } = gateway.reservedDomains.create({ domain })
      expect(refusalKey(() => gateway.reservedDomains.update(id, policy))).toBe('policy_on_service_domain')
    },
  )
})

describe('An uploaded certificate of a domain (rules: domain-certificates#accepted-certificates)', () => {
  test('is shown as a reference, without policy and status', async () => {
    const { gateway, certificate_id, ref } = openWithCertificate()
    const { body } = await client(gateway)('POST', PATH, { json: { domain: DOMAIN, certificate_id } })
    expect(body).toMatchObject({ certificate: ref, ...UNMANAGED })
    expect(body.certificate).toEqual({
      id: certificate_id,
      uri: `https://api.gateway.test/tls_certificates/${certificate_id}`,
    })
  })

  test('can be set later, and replaced by another', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const other = gateway.tlsCertificates.create(upload('rsa2048')).id
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    expect(gateway.reservedDomains.update(id, { certificate_id }).certificate?.id).toBe(certificate_id)
    expect(gateway.reservedDomains.update(id, { certificate_id: other }).certificate?.id).toBe(other)
    expect(refusalKey(() => gateway.tlsCertificates.delete(certificate_id))).toBe('ok')
  })

  test('stays when another field changes, also with an empty certificate_id', () => {
    const { gateway, certificate_id, ref } = openWithCertificate()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    expect(gateway.reservedDomains.update(id, { metadata: 'x', certificate_id: '' }).certificate).toEqual(ref)
  })

  test.each([
    ['cert_gone', '404 ERR_GATEWAY_1965'],
    ['rd_1', '400 ERR_GATEWAY_227'],
    ['nonsense', '400 ERR_GATEWAY_223'],
    [7, '400 ERR_GATEWAY_215'],
  ])('cannot be %j, on create and on update', async (certificate_id, expected) => {
    const api = client(open())
    const { id } = (await api('POST', PATH, { json: { domain: DOMAIN } })).body
    const created = await api('POST', PATH, { json: { domain: 'b.example.com', certificate_id } })
    expect(outcome(created)).toBe(expected)
    expect(outcome(await api('PATCH', `${PATH}/${id}`, { json: { certificate_id } }))).toBe(expected)
  })

  test.each(['gateway.test', 'app.gateway.test'])('is not allowed on the service-owned name %s', (domain) => {
    const { gateway, certificate_id } = openWithCertificate()
    const create = () => gateway.reservedDomains.create({ domain, certificate_id })
    expect(refusalKey(create)).toBe('certificate_on_service_domain')
    const { id } = gateway.reservedDomains.create({ domain })
    const update = () => gateway.reservedDomains.update(id, { certificate_id })
    expect(refusalKey(update)).toBe('certificate_on_service_domain')
  })

  test('can serve several domains, and cannot be deleted before the last one is detached (rules: tls-certificates#deletion)', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const one = gateway.reservedDomains.create({ domain: 'one.example.com', certificate_id })
    const two = gateway.reservedDomains.create({ domain: 'two.example.com', certificate_id })
    const deleteCertificate = () => gateway.tlsCertificates.delete(certificate_id)
    expect(refusalKey(deleteCertificate)).toBe('certificate_in_use')
    gateway.reservedDomains.detachCertificate(one.id)
    expect(refusalKey(deleteCertificate)).toBe('certificate_in_use')
    gateway.reservedDomains.delete(two.id)
    expect(refusalKey(deleteCertificate)).toBe('ok')
  })
})

describe('Certificate and policy together (rules: domain-certificates#one-or-the-other)', () => {
  test('are rejected in one request, on create and on update', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const both = { certificate_id, certificate_management_policy: RSA }
    expect(refusalKey(() => gateway.reservedDomains.create({ domain: DOMAIN, ...both }))).toBe('certificate_and_policy')
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    expect(refusalKey(() => gateway.reservedDomains.update(id, both))).toBe('certificate_and_policy')
    const unused = { ...both, certificate_id: '' }
    expect(refusalKey(() => gateway.reservedDomains.update(id, unused))).toBe('ok')
  })

  test('are rejected even if the certificate is the uploaded one in use', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    const both = { certificate_id, certificate_management_policy: RSA }
    expect(refusalKey(() => gateway.reservedDomains.update(id, both))).toBe('certificate_and_policy')
  })
})

describe('Detaching (rules: domain-certificates#detach)', () => {
  test('an uploaded certificate returns 204 and keeps the certificate itself', async () => {
    const { gateway, certificate_id } = openWithCertificate()
    const before = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    const { status, text } = await client(gateway)('DELETE', `${PATH}/${before.id}/certificate`)
    expect([status, text]).toEqual([204, ''])
    expect(gateway.reservedDomains.get(before.id)).toEqual({ ...before, certificate: null })
    expect(gateway.tlsCertificates.get(certificate_id).id).toBe(certificate_id)
  })

  test('a policy leaves an uploaded certificate alone', () => {
    const { gateway, certificate_id } = openWithCertificate()
    const before = gateway.reservedDomains.create({ domain: DOMAIN, certificate_id })
    gateway.reservedDomains.detachCertificateManagementPolicy(before.id)
    expect(gateway.reservedDomains.get(before.id)).toEqual(before)
  })
})

/** Creates a gateway with a managed domain, whose certificate is issued immediately. */
function openWithAutomaticCertificate() {
  const gateway = open({ provisioningDelay: 0 })
  const domain = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
  const certificate_id = domain.certificate?.id as string
  return { gateway, domain, certificate_id }
}

describe('An automatic certificate', () => {
  test('cannot be deleted while it is in use (rules: tls-certificates#deletion)', async () => {
    const { gateway, certificate_id } = openWithAutomaticCertificate()
    const response = await client(gateway)('DELETE', `/tls_certificates/${certificate_id}`)
    expect(outcome(response)).toBe('409 ERR_GATEWAY_1966')
  })

  test('cannot be named as certificate_id of another domain (rules: domain-certificates#accepted-certificates)', () => {
    const { gateway, certificate_id } = openWithAutomaticCertificate()
    const { id } = gateway.reservedDomains.create({ domain: 'other.example.com' })
    const update = () => gateway.reservedDomains.update(id, { certificate_id })
    expect(refusalKey(update)).toBe('certificate_not_uploaded')
  })

  test('may be sent back by its own domain, with or without the policy (rules: domain-certificates#own-certificate)', () => {
    const { gateway, domain, certificate_id } = openWithAutomaticCertificate()
    const both = { certificate_id, certificate_management_policy: ECDSA }
    expect(gateway.reservedDomains.update(domain.id, both)).toEqual(domain)
    expect(gateway.reservedDomains.update(domain.id, { certificate_id, metadata: 'x' })).toEqual({
      ...domain,
      metadata: 'x',
    })
  })
})
