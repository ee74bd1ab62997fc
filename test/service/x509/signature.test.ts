import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Certificate, readCertificate } from '../../../src/service/x509/certificate.ts'
import { parse } from '../../../src/service/x509/der.ts'
import { findSignatureProblem } from '../../../src/service/x509/signature.ts'
import { blocksOf, derOf, element, fixture, fixtures } from './support.ts'

const readCertificates = (name: string) => blocksOf(fixture(name)).map((pem) => readCertificate(derOf(pem)))
const readPair = (name: string): [Certificate, Certificate] => {
  const [leaf, issuer] = readCertificates(name)
  if (!leaf || !issuer) throw new Error('no pair')
  return [leaf, issuer]
}

describe('each certificate is signed by the next (rules: tls-certificates#accepted)', () => {
  it.each(fixtures('chain-'))('%s verifies, and node:crypto agrees', (name) => {
    const certificates = readCertificates(name)
    const nodes = blocksOf(fixture(name)).map((pem) => new X509Certificate(pem))
    certificates.forEach((certificate, i) => {
      const issuer = certificates[i + 1] ?? certificate
      const issuerNode = nodes[i + 1] ?? nodes[i]
      expect(findSignatureProblem(certificate, issuer)).toBeUndefined()
      expect(issuerNode && nodes[i]?.verify(issuerNode.publicKey)).toBe(true)
    })
  })

  it.each(fixtures('chain-'))('%s does not verify after any change of a signature or of the signed bytes', (name) => {
    const [leaf, issuer] = readPair(name)
    for (const part of ['tbs', 'signature'] as const) {
      for (const at of [0, leaf[part].length >> 1, leaf[part].length - 1]) {
        const bytes = leaf[part].slice()
        bytes[at] = (bytes[at] ?? 0) ^ 1
        expect(findSignatureProblem({ ...leaf, [part]: bytes }, issuer)).toBe('the signature does not verify')
      }
    }
    for (const signature of [new Uint8Array(), leaf.signature.slice(1), Uint8Array.from([0, ...leaf.signature])]) {
      expect(findSignatureProblem({ ...leaf, signature }, issuer)).toBe('the signature does not verify')
    }
    const { length } = leaf.signature
    for (const fill of [0, 0xff]) {
      const signature = new Uint8Array(length).fill(fill)
      expect(findSignatureProblem({ ...leaf, signature }, issuer)).toBe('the signature does not verify')
    }
  })

  it('an error has both names if they differ', () => {
    const [leaf, issuer] = readPair('chain-mixed')
    expect(findSignatureProblem(issuer, leaf)).toBe(
      'its issuer is "CN=mixed root", but the next certificate\'s subject is "CN=leaf.example.com"',
    )
  })

  it('names are compared byte for byte, even if they look the same', () => {
    const [leaf, issuer] = readPair('bad-chain-name-type')
    expect(findSignatureProblem(leaf, issuer)).toBe(
      'its issuer and the next certificate\'s subject, "CN=ed25519 root", differ in their bytes',
    )
  })

  it('another key with the same name is rejected', () => {
    const [leaf, issuer] = readPair('bad-chain-key')
    expect(findSignatureProblem(leaf, issuer)).toBe('the signature does not verify')
    const { publicKey } = readPair('chain-rsa-sha256')[1]
    expect(findSignatureProblem(leaf, { ...issuer, publicKey })).toBe(
      "its signature is ECDSA, but the next certificate's key is RSA 1024",
    )
  })

  const chainsByKind = { RSA: 'chain-rsa-sha256', ECDSA: 'chain-ec-sha256', Ed25519: 'chain-ed25519' }
  const keys = { 'RSA 1024': 'chain-rsa-sha256', 'ECDSA P-256': 'chain-ec-sha256', Ed25519: 'chain-ed25519' }
  const pairs = Object.entries(chainsByKind).flatMap(([kind, chain]) =>
    Object.entries(keys).map(([key, source]) => ({ kind, chain, key, source })),
  )

  it.each(pairs.filter(({ chain, source }) => chain !== source))(
    'a $kind signature does not verify with a key of the kind $key',
    ({ kind, chain, key, source }) => {
      const [leaf, issuer] = readPair(chain)
      const { publicKey } = readPair(source)[1]
      expect(findSignatureProblem(leaf, { ...issuer, publicKey })).toBe(
        `its signature is ${kind}, but the next certificate's key is ${key}`,
      )
    },
  )

  it('an RSA key too small for the padding verifies nothing', () => {
    const [leaf, issuer] = readPair('chain-rsa-sha256')
    const signature = Uint8Array.of(8)
    expect(findSignatureProblem({ ...leaf, signature }, { ...issuer, publicKey: { kind: 'rsa', n: 33n, e: 3n } })).toBe(
      'the signature does not verify',
    )
  })
})

describe('signature algorithms', () => {
  const [leaf, issuer] = readPair('chain-pss-sha256')
  const OID = '1.2.840.113549.1.1.10'
  const findPssProblem = (...members: Uint8Array[]) =>
    findSignatureProblem(
      { ...leaf, signatureAlgorithm: { oid: OID, parameters: parse(element(0x30, ...members)) } },
      issuer,
    )
  const sha = (oid: string) => element(0x30, element(6, oid))
  const mgf1 = '\x2a\x86\x48\x86\xf7\x0d\x01\x01\x08'

  it('that are not supported are named', () => {
    const signatureAlgorithm = { oid: '1.2.840.113549.1.1.4', parameters: undefined }
    expect(findSignatureProblem({ ...leaf, signatureAlgorithm }, issuer)).toBe(
      'its signature algorithm 1.2.840.113549.1.1.4 is not supported',
    )
  })

  it.each<[string, Uint8Array[], string]>([
    ['other hash functions', [], 'the signature does not verify'],
    ['an unknown hash function', [element(0xa0, sha('\x2a\x03'))], 'its hash function 1.2.3 is not supported'],
    ['an unknown mask', [element(0xa1, sha('\x2a\x03'))], 'its mask generation function 1.2.3 is not supported'],
    ['a mask without hash', [element(0xa1, sha(mgf1))], 'its signature algorithm is missing or malformed'],
    ['a huge salt', [element(0xa2, element(2, '\x01\x00\x01'))], 'the salt of its signature is too long'],
    ['a salt longer than the key', [element(0xa2, element(2, '\x01\x00'))], 'the signature does not verify'],
    ['a negative salt', [element(0xa2, element(2, '\xff'))], 'its signature algorithm is missing or malformed'],
    ['a trailer', [element(0xa3, element(2, '\x02'))], 'its signature has an unknown trailer'],
  ])('RSASSA-PSS with %s is an error (RFC 4055, 3.1)', (_, members, problem) => {
    expect(findPssProblem(...members)).toBe(problem)
  })
})
