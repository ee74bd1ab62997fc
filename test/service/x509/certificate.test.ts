import { X509Certificate } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../../src/service/x509/certificate.ts'
import { keyName } from '../../../src/service/x509/keys.ts'
import { blocksOf, derOf, fixture, fixtures } from './support.ts'

const fixtureNames = [...fixtures('leaf-'), ...fixtures('odd-'), ...fixtures('chain-')]

describe('reading a certificate', () => {
  it.each(fixtureNames)('gives the fields of %s exactly as node:crypto does', (name) => {
    for (const pem of blocksOf(fixture(name))) {
      expect(readFields(pem)).toEqual(readFieldsWithNode(pem))
    }
  })

  it('names all key usages and extended key usages as RFC 5280 does', () => {
    const { fields } = readCertificate(derOf(fixture('odd-all-usages')))
    expect(fields.key_usages.join(' ')).toBe(
      'digitalSignature nonRepudiation keyEncipherment dataEncipherment keyAgreement keyCertSign cRLSign encipherOnly decipherOnly',
    )
    expect(fields.extended_key_usages.join(' ')).toBe(
      'serverAuth clientAuth codeSigning emailProtection timeStamping OCSPSigning anyExtendedKeyUsage',
    )
  })

  it('leaves fields empty where the leaf lacks them', () => {
    const { fields } = readCertificate(derOf(fixture('odd-empty-subject')))
    expect(fields).toMatchObject({
      subject_common_name: '',
      issuer_common_name: '',
      subject_organization: '',
      subject_country: '',
      subject_alternative_names: { dns_names: [], ips: [] },
      key_usages: [],
      extended_key_usages: [],
    })
  })

  it.each([
    ['odd-bare', '0a1b2c'],
    ['odd-high-serial', 'fedcba9876543210'],
    ['odd-zero-serial', '00'],
  ])('keeps leading zeros and adds no sign byte in the serial number of %s', (name, serial) => {
    expect(readCertificate(derOf(fixture(name))).fields.serial_number).toBe(serial)
  })

  it.each([
    ['leaf-rsa2048', 'RSA 2048', 'rsa'],
    ['leaf-p256', 'ECDSA P-256', 'ecdsa'],
    ['leaf-p384', 'ECDSA P-384', 'ecdsa'],
    ['leaf-p521', 'ECDSA P-521', 'ecdsa'],
    ['leaf-ed25519', 'Ed25519', 'ed25519'],
    ['odd-compressed-point', 'ECDSA P-384', 'ecdsa'],
  ])('reads the public key of %s', (name, text, type) => {
    const { publicKey, fields } = readCertificate(derOf(fixture(name)))
    expect([keyName(publicKey), fields.private_key_type]).toEqual([text, type])
  })

  it('keeps the signed part as its exact bytes', () => {
    const der = derOf(fixture('leaf-p256'))
    const { tbs, signature } = readCertificate(der)
    expect(bytesToHex(der)).toContain(bytesToHex(tbs))
    expect(bytesToHex(der).endsWith(bytesToHex(signature))).toBe(true)
  })
})

function readFields(pem: string) {
  const { key_usages, ...fields } = readCertificate(derOf(pem)).fields
  return fields
}

const USAGES: Record<string, string> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
  '2.5.29.37.0': 'anyExtendedKeyUsage',
}

function readFieldsWithNode(pem: string) {
  const certificate = new X509Certificate(pem)
  const legacy = certificate.toLegacyObject()
  const subject = (legacy.subject ?? {}) as unknown as Record<string, string | string[]>
  const issuer = (legacy.issuer ?? {}) as unknown as Record<string, string | string[]>
  const first = (value: string | string[] | undefined) => [value ?? ''].flat()[0]
  const names = (certificate.subjectAltName ?? '').split(', ')
  const listAfter = (start: string) =>
    names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length))
  const type = certificate.publicKey.asymmetricKeyType
  return {
    subject_common_name: first(subject.CN),
    subject_alternative_names: { dns_names: listAfter('DNS:'), ips: listAfter('IP Address:').map(shortenIp) },
    not_before: Date.parse(certificate.validFrom),
    not_after: Date.parse(certificate.validTo),
    extended_key_usages: (legacy.ext_key_usage ?? []).map((oid) => USAGES[oid] ?? oid),
    private_key_type: type === 'ec' ? 'ecdsa' : type,
    issuer_common_name: first(issuer.CN),
    // Node prints one digit for 0, openssl two.
    serial_number: certificate.serialNumber.toLowerCase().padStart(2, '0'),
    subject_organization: first(subject.O),
    subject_organizational_unit: first(subject.OU),
    subject_locality: first(subject.L),
    subject_province: first(subject.ST),
    subject_country: first(subject.C),
  }
}

function shortenIp(text: string): string {
  if (!text.includes(':')) return text
  const short = new URL(`http://[${text}]`).hostname.slice(1, -1)
  return short === '::ffff:c000:201' ? '::ffff:192.0.2.1' : short
}
