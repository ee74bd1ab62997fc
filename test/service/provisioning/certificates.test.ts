import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { client, expectError } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { upload } from '../../support/pem.ts'
import { DOMAIN, openManual, openWithCertificate } from '../../support/provisioning.ts'

const kinds = ['rsa', 'ecdsa'] as const

/** Opens a gateway with a domain whose automatic certificate has this type of key. */
function openWithKeyType(private_key_type: (typeof kinds)[number]) {
  const gateway = openManual({ provisioningDelay: 0 })
  const policy = { authority: 'letsencrypt', private_key_type }
  const { id, certificate } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: policy })
  const certificate_id = certificate?.id as string
  return { gateway, id, certificate_id }
}

describe('An automatic certificate (rules: provisioning-jobs#success)', () => {
  test('is a TLS certificate like others: listed and readable, with issued_at, and frozen', async () => {
    const { gateway, certificate_id } = openWithCertificate()
    const uploaded = gateway.tlsCertificates.create(upload())
    const automatic = gateway.tlsCertificates.get(certificate_id)
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([uploaded, automatic])
    expect((await client(gateway)('GET', `/tls_certificates/${certificate_id}`)).body).toEqual(automatic)
    expect(Object.keys(automatic)).toEqual(Object.keys(uploaded))
    expect(automatic).toMatchObject({ created_at: SHOWN_START, issued_at: SHOWN_START, not_before: SHOWN_START })
    expect(uploaded.issued_at).toBeNull()
    expect(Object.isFrozen(automatic.subject_alternative_names.dns_names)).toBe(true)
  })
})

describe('The same seed and the same calls', () => {
  /** Returns everything that a gateway issued: chains and keys. */
  const listMaterials = (gateway: Gateway) =>
    gateway.tlsCertificates.list().tls_certificates.map((each) => [each, gateway.authority.privateKeyPem(each.id)])
  const run = (seed: string, read?: (gateway: Gateway) => unknown) => {
    const gateway = openManual({ seed })
    for (const [i, private_key_type] of kinds.entries()) {
      const policy = { authority: 'letsencrypt', private_key_type }
      gateway.reservedDomains.create({ domain: `d${i}.example.com`, certificate_management_policy: policy })
    }
    for (let month = 0; month < 3; month++) {
      gateway.clock.advance('31d')
      read?.(gateway)
    }
    return listMaterials(gateway)
  }

  test('give the same certificates and keys, byte for byte, regardless of reads in between', () => {
    const first = run('a')
    expect(first).toHaveLength(2)
    expect(run('a')).toEqual(first)
    expect(run('a', listMaterials)).toEqual(first)
  })

  test('are needed: another seed gives other serial numbers, and other keys except the published RSA key', () => {
    const serials = [...run('a'), ...run('b')].map(([each]) => (each as { serial_number: string }).serial_number)
    expect(new Set(serials).size).toBe(4)
    const ecdsaKeys = [run('a')[0]?.[1], run('b')[0]?.[1]]
    expect(new Set(ecdsaKeys).size).toBe(2)
  })

  test('give a certificate that stays the same, regardless of how often and when it is read', () => {
    const { gateway, certificate_id } = openWithCertificate()
    gateway.provisioning.failAlways('DNS_ERROR')
    const first = gateway.tlsCertificates.get(certificate_id)
    gateway.clock.advance('300d')
    expect(gateway.tlsCertificates.get(certificate_id)).toEqual(first)
  })
})

describe('A private key (rules: secrets#private-keys)', () => {
  /** Returns the lines of a key that identify this key. */
  const listSecrets = (pem: string) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))

  test.each(kinds)('of an automatic %s certificate is in no response, snapshot, timeline or error', async (kind) => {
    const { gateway, id, certificate_id } = openWithKeyType(kind)
    const secrets = listSecrets(gateway.authority.privateKeyPem(certificate_id))
    const api = client(gateway)
    const texts = [
      (await api('GET', `/tls_certificates/${certificate_id}`)).text,
      (await api('PATCH', `/tls_certificates/${certificate_id}`, { json: { metadata: 'x' } })).text,
      (await api('GET', '/tls_certificates')).text,
      (await api('GET', '/reserved_domains')).text,
      (await api('DELETE', `/tls_certificates/${certificate_id}`)).text,
      JSON.stringify(gateway.snapshot()),
      gateway.provisioning.printTimeline(id),
      JSON.stringify(expectError(() => gateway.tlsCertificates.delete(certificate_id))),
    ]
    for (const text of texts) {
      expect(text).not.toContain('PRIVATE KEY')
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })

  test('of an upload is returned as sent if its certificate is named', () => {
    const gateway = openManual()
    const { id } = gateway.tlsCertificates.create(upload())
    expect(gateway.authority.privateKeyPem(id)).toBe(upload().private_key_pem)
  })
})

describe('The keys of the authority', () => {
  test('are the published test keys by default: the same root for every gateway', () => {
    const roots = [openManual(), createGateway(), createGateway({ authorityKeys: 'test' })]
    expect(new Set(roots.map(({ authority }) => authority.certificatePem)).size).toBe(1)
    const root = new X509Certificate(openManual().authority.certificatePem)
    expect([root.ca, root.verify(root.publicKey)]).toEqual([true, true])
  })

  test('are random on request, even for the same seed, and survive a reset', () => {
    const [a, b] = [openManual({ authorityKeys: 'fresh' }), openManual({ authorityKeys: 'fresh' })]
    const roots = [a, b, openManual()].map(({ authority }) => authority.certificatePem)
    expect(new Set(roots).size).toBe(3)
    a.reset()
    expect(a.authority.certificatePem).toBe(roots[0])
  })
})
