import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  certificatePair,
  damagedPair,
  encryptedKeyPair,
  expiredPair,
  type KeyType,
  mismatchedPair,
  notYetValidPair,
  type Pair,
  type PairOptions,
  swappedPair,
  wrongOrderPair,
} from '../../src/testing/testing.ts'
import { blocksOf } from '../service/x509/support.ts'
import { refusalKey } from '../support/client.ts'
import { open } from '../support/gateway.ts'
import { openssl, testOpenssl, verifyChain } from '../support/openssl.ts'

const keyTypes: readonly KeyType[] = ['rsa', 'ecdsa', 'ed25519']
const NODE_KEY_TYPES = { rsa: 'rsa', ecdsa: 'ec', ed25519: 'ed25519' }
const makers = {
  certificatePair,
  expiredPair,
  notYetValidPair,
  swappedPair,
  mismatchedPair,
  encryptedKeyPair,
  damagedPair,
  wrongOrderPair,
}

/** Reads the certificates of a pair, leaf first, and its key, with Node. */
function readPair(pair: Pair) {
  const [leaf, ...issuers] = blocksOf(pair.certificate_pem).map((block) => new X509Certificate(block))
  return { leaf: leaf as X509Certificate, issuers, key: createPrivateKey(pair.private_key_pem) }
}

function upload(pair: Pair) {
  return open().tlsCertificates.create(pair)
}

describe.each(keyTypes)('A pair with a key of type %s', (keyType) => {
  const cases = [0, 1, 2, 5].map((issuers) => ({ issuers }))

  it.each(cases)('is read and verified by Node, with $issuers issuers', ({ issuers: count }) => {
    const { leaf, issuers, key } = readPair(certificatePair({ keyType, issuers: count }))
    expect(issuers).toHaveLength(count)
    expect(key.asymmetricKeyType).toBe(NODE_KEY_TYPES[keyType])
    expect(leaf.checkPrivateKey(key)).toBe(true)
    expect(leaf.ca).toBe(false)
    const chain = [leaf, ...issuers]
    for (const [i, certificate] of chain.entries()) {
      const issuer = chain[i + 1] ?? certificate
      expect(certificate.issuer).toBe(issuer.subject)
      if (issuer.ca) expect(certificate.checkIssued(issuer)).toBe(true)
      expect(certificate.verify(issuer.publicKey)).toBe(true)
    }
    expect(issuers.every(({ ca }) => ca)).toBe(true)
    const names = issuers.map(({ subject }) => subject).reverse()
    const formatLevel = (n: number) => (n === 0 ? 'root' : `intermediate ${n}`)
    expect(names).toEqual(names.map((_name, n) => `O=fauxgate\nCN=fauxgate pair ${formatLevel(n)}`))
  })

  testOpenssl.each(cases)('is trusted by openssl, if openssl trusts the last of $issuers issuers', ({ issuers }) => {
    const { certificate_pem } = certificatePair({ keyType, issuers })
    const root = blocksOf(certificate_pem).at(-1) as string
    const at = Date.UTC(2030, 0, 1)
    const { output, status } = verifyChain(root, certificate_pem, at, '-purpose', 'sslserver')
    expect({ output, status }).toEqual({ output: 'leaf.pem: OK\n', status: 0 })
  })

  it('is accepted by the API, with its fields', () => {
    const subject = {
      commonName: 'Straße 7',
      organization: 'Example Ltd',
      organizationalUnit: 'Web',
      locality: 'Köln',
      province: 'NRW',
      country: 'DE',
    }
    const ips = ['192.0.2.7', '2001:db8::1', '::', '::ffff:192.0.2.1', '2001:DB8:0:0:1::']
    const names = ['shop.example.com', '*.shop.example.com', 'xn--strae-oqa.example']
    const times = { notBefore: '2024-02-29T12:00:00+02:00', notAfter: new Date('2050-01-01T00:00:00.999Z') }
    const pair = certificatePair({ names, ips, keyType, subject, ...times, issuers: 2 })
    expect(upload(pair)).toMatchObject({
      certificate_pem: pair.certificate_pem,
      subject_common_name: 'Straße 7',
      subject_organization: 'Example Ltd',
      subject_organizational_unit: 'Web',
      subject_locality: 'Köln',
      subject_province: 'NRW',
      subject_country: 'DE',
      subject_alternative_names: {
        dns_names: names,
        ips: ['192.0.2.7', '2001:db8::1', '::', '::ffff:192.0.2.1', '2001:db8:0:0:1::'],
      },
      not_before: '2024-02-29T10:00:00Z',
      not_after: '2050-01-01T00:00:00Z',
      issued_at: null,
      private_key_type: keyType,
      key_usages: keyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'],
      extended_key_usages: ['serverAuth', 'clientAuth'],
      issuer_common_name: 'fauxgate pair intermediate 1',
    })
    const { leaf } = readPair(pair)
    expect(leaf.subject.split('\n')).toEqual(['C=DE', 'ST=NRW', 'L=Köln', 'O=Example Ltd', 'OU=Web', 'CN=Straße 7'])
    expect(leaf.checkHost('a.shop.example.com')).toBe('*.shop.example.com')
    expect(leaf.checkIP('192.0.2.7')).toBe('192.0.2.7')
    expect(leaf.checkIP('2001:db8::1')).toBe('2001:db8::1')
    expect([leaf.validFrom, leaf.validTo]).toEqual(['Feb 29 10:00:00 2024 GMT', 'Jan  1 00:00:00 2050 GMT'])
  })

  it.each(Object.entries(makers))('has the same bytes for the same seed, others for another seed: %s', (_, make) => {
    const options = { keyType, issuers: 1 }
    const pair = make(options)
    expect(make({ ...options, seed: 'fauxgate', names: ['app.example.com'] })).toEqual(pair)
    const other = make({ ...options, seed: 'other' })
    expect(other.certificate_pem === pair.certificate_pem && other.private_key_pem === pair.private_key_pem).toBe(false)
    expect(make({ ...options, names: ['other.example.com'] })).not.toEqual(pair)
  })
})

describe('A pair', () => {
  it('is for app.example.com, with an ECDSA key, self-signed and valid for ten years by default', () => {
    const pair = certificatePair()
    expect(upload(pair)).toMatchObject({
      subject_common_name: 'app.example.com',
      subject_alternative_names: { dns_names: ['app.example.com'], ips: [] },
      issuer_common_name: 'app.example.com',
      private_key_type: 'ecdsa',
      not_before: '2026-01-01T00:00:00Z',
      not_after: '2036-01-01T00:00:00Z',
    })
    expect(certificatePair({})).toEqual(pair)
    expect(certificatePair({ notBefore: Date.UTC(2026, 0, 1), notAfter: '2036-01-01T00:00:00Z' })).toEqual(pair)
  })

  it('has another key for other options, except for RSA', () => {
    const readKey = (options: PairOptions) => certificatePair(options).private_key_pem
    expect(readKey({ names: ['a.example'] })).not.toBe(readKey({ names: ['b.example'] }))
    expect(readKey({ names: ['a.example'], keyType: 'rsa' })).toBe(readKey({ names: ['b.example'], keyType: 'rsa' }))
  })

  it('has the CAs of its seed', () => {
    const [, ...short] = blocksOf(certificatePair({ issuers: 1 }).certificate_pem)
    const [, ...long] = blocksOf(certificatePair({ issuers: 3, keyType: 'rsa' }).certificate_pem)
    expect(long.at(-1)).toBe(short[0])
    const [, other] = blocksOf(certificatePair({ issuers: 1, seed: 'other' }).certificate_pem)
    expect(other).not.toBe(short[0])
  })

  it.each<[string, PairOptions, Record<string, string>]>([
    ['the first IP without names', { names: [], ips: ['192.0.2.7'] }, { subject_common_name: '192.0.2.7' }],
    [
      'an organization where no common name can be',
      { names: [`${'a'.repeat(60)}.example.com`] },
      { subject_common_name: '', subject_organization: 'fauxgate' },
    ],
    [
      'no common name on request',
      { subject: { commonName: '', country: 'fr' } },
      { subject_common_name: '', subject_organization: '', subject_country: 'fr' },
    ],
    ['no country on request', { subject: { country: '', locality: 'Köln' } }, { subject_country: '' }],
  ])('has a subject of %s', (_, options, fields) => expect(upload(certificatePair(options))).toMatchObject(fields))

  it('can have the longest texts and times', () => {
    const subject = { commonName: '😀'.repeat(64), locality: 'l'.repeat(128) }
    const options = { names: ['n'.repeat(253)], notBefore: Date.UTC(1950, 0, 1), notAfter: '9999-12-31T23:59:59.9Z' }
    const { leaf } = readPair(certificatePair({ ...options, subject }))
    expect([leaf.validFrom, leaf.validTo]).toEqual(['Jan  1 00:00:00 1950 GMT', 'Dec 31 23:59:59 9999 GMT'])
    expect(leaf.subjectAltName).toBe(`DNS:${'n'.repeat(253)}`)
    expect(leaf.subject).toContain('😀'.repeat(64))
  })

  it('is expired or not yet valid at a moment, and accepted by the API', () => {
    expect(upload(expiredPair())).toMatchObject({
      not_before: '2024-12-31T00:00:00Z',
      not_after: '2025-12-31T00:00:00Z',
    })
    expect(upload(notYetValidPair({ at: '2030-05-05T05:05:05Z', keyType: 'ed25519' }))).toMatchObject({
      private_key_type: 'ed25519',
      not_before: '2030-05-06T05:05:05Z',
      not_after: '2031-05-06T05:05:05Z',
    })
  })
})

describe.each(keyTypes)('A broken pair with a key of type %s', (keyType) => {
  it.each([
    ['certificate_is_key', swappedPair],
    ['certificate_key_mismatch', mismatchedPair],
    ['key_encrypted', encryptedKeyPair],
    ['certificate_unparsable', damagedPair],
    ['chain_out_of_order', wrongOrderPair],
  ])('is rejected with %s', (key, make) => {
    for (const issuers of [1, 2, 5]) expect(refusalKey(() => upload(make({ keyType, issuers })))).toBe(key)
    expect(refusalKey(() => upload(make({ keyType })))).toBe(key)
  })

  it('has only one defect', () => {
    const options = { keyType, issuers: 1 }
    const validPair = certificatePair(options)
    expect(mismatchedPair(options).certificate_pem).toBe(validPair.certificate_pem)
    expect(createPrivateKey(mismatchedPair(options).private_key_pem).asymmetricKeyType).toBe(NODE_KEY_TYPES[keyType])
    expect(encryptedKeyPair(options).certificate_pem).toBe(validPair.certificate_pem)
    expect(damagedPair(options).private_key_pem).toBe(validPair.private_key_pem)
    expect(wrongOrderPair(options).private_key_pem).toBe(validPair.private_key_pem)
    expect(blocksOf(wrongOrderPair(options).certificate_pem)).toEqual(blocksOf(validPair.certificate_pem).reverse())
  })
})

describe('A broken pair', () => {
  testOpenssl('has an encrypted key that only a passphrase could open', () => {
    const { private_key_pem } = encryptedKeyPair()
    expect(private_key_pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const { output, status } = openssl({ 'key.pem': private_key_pem }, 'asn1parse', '-in', 'key.pem')
    expect(status).toBe(0)
    for (const part of ['PBES2', 'PBKDF2', 'hmacWithSHA256', 'aes-256-cbc']) expect(output).toContain(`:${part}\n`)
    expect(() => createPrivateKey(private_key_pem)).toThrow()
    expect(() => createPrivateKey({ key: private_key_pem, passphrase: 'secret' })).toThrow(/decrypt/)
  })
})
