import { createHash, getHashes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { childrenOf, contentOf, parse, tagOf, tags } from '../../src/x509/der.ts'
import * as writer from '../../src/x509/der-writer.ts'
import { hashByOid, hashes } from '../../src/x509/hashes.ts'
import { checkRsaSize, keyKindOf, readAlgorithm, readCurve } from '../../src/x509/key-algorithm.ts'
import { schemeOf } from '../../src/x509/signature-algorithm.ts'
import { element, unreadable } from './support.ts'

const SHA = {
  '1.3.14.3.2.26': hashes.sha1,
  '2.16.840.1.101.3.4.2.4': hashes.sha224,
  '2.16.840.1.101.3.4.2.1': hashes.sha256,
  '2.16.840.1.101.3.4.2.2': hashes.sha384,
  '2.16.840.1.101.3.4.2.3': hashes.sha512,
}
const MGF1 = '1.2.840.113549.1.1.8'
const PSS = '1.2.840.113549.1.1.10'
const EC = '1.2.840.10045.2.1'
const MALFORMED = 'its signature algorithm is missing or malformed'

const integer = (value: bigint) => writer.derOf(writer.integer(value))
const nothing = () => writer.derOf(writer.nothing())
const oid = (dotted: string) => writer.derOf(writer.oid(dotted))

/** The scheme of an algorithm without parameters. */
const scheme = (id: string) => schemeOf({ oid: id, parameters: undefined })

describe('signature algorithms (RFC 4055, 5758, 8410)', () => {
  it.each([
    ['1.2.840.113549.1.1.5', { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha1 }],
    ['1.2.840.113549.1.1.14', { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha224 }],
    ['1.2.840.113549.1.1.11', { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha256 }],
    ['1.2.840.113549.1.1.12', { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha384 }],
    ['1.2.840.113549.1.1.13', { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha512 }],
    ['1.2.840.10045.4.1', { kind: 'ecdsa', hash: hashes.sha1 }],
    ['1.2.840.10045.4.3.1', { kind: 'ecdsa', hash: hashes.sha224 }],
    ['1.2.840.10045.4.3.2', { kind: 'ecdsa', hash: hashes.sha256 }],
    ['1.2.840.10045.4.3.3', { kind: 'ecdsa', hash: hashes.sha384 }],
    ['1.2.840.10045.4.3.4', { kind: 'ecdsa', hash: hashes.sha512 }],
    ['1.3.101.112', { kind: 'ed25519' }],
  ])('%s is what it says', (id, expected) => expect(scheme(id)).toEqual(expected))

  it.each(['1.2.840.113549.1.1.4', '1.3.101.113', '1.2.3'])('%s is not supported', (id) => {
    expect(unreadable(() => scheme(id))).toBe(`its signature algorithm ${id} is not supported`)
  })
})

describe('RSASSA-PSS (RFC 4055, 3.1)', () => {
  const algorithm = (id: string, ...parameters: Uint8Array[]) => element(0x30, oid(id), ...parameters)
  const pss = (...members: Uint8Array[]) => schemeOf({ oid: PSS, parameters: parse(element(0x30, ...members)) })
  const defaults = { kind: 'rsa', padding: 'pss', hash: hashes.sha1, maskHash: hashes.sha1, saltLength: 20 }

  it('has a default for each of its parameters', () => {
    expect(pss()).toEqual(defaults)
    expect(pss(element(0xa3, integer(1n)))).toEqual(defaults)
  })

  it.each(Object.entries(SHA))('takes the hash function %s on both sides', (id, hash) => {
    expect(pss(element(0xa0, algorithm(id, nothing())))).toEqual({ ...defaults, hash })
    expect(pss(element(0xa1, algorithm(MGF1, algorithm(id))))).toEqual({ ...defaults, maskHash: hash })
  })

  it.each([0n, 20n, 65_536n])('takes a salt of %s bytes', (length) => {
    expect(pss(element(0xa2, integer(length)))).toEqual({ ...defaults, saltLength: Number(length) })
  })

  it.each([
    ['a salt of more', () => pss(element(0xa2, integer(65_537n))), 'its signature has too long a salt'],
    ['a trailer of 0', () => pss(element(0xa3, integer(0n))), 'its signature has an unknown trailer'],
    ['a trailer of 2', () => pss(element(0xa3, integer(2n))), 'its signature has an unknown trailer'],
    ['no parameters at all', () => scheme(PSS), MALFORMED],
    ['an empty wrapper', () => pss(element(0xa1, element(0x05))), MALFORMED],
    ['a salt that is no number', () => pss(element(0xa2, nothing())), MALFORMED],
    ['a trailer that is no number', () => pss(element(0xa3, nothing())), MALFORMED],
    ['an unknown hash', () => pss(element(0xa0, algorithm('1.2.3'))), 'its hash function 1.2.3 is not supported'],
    [
      'an unknown mask',
      () => pss(element(0xa1, algorithm('1.2.3', algorithm('1.3.14.3.2.26')))),
      'its mask generation function 1.2.3 is not supported',
    ],
  ])('refuses %s', (_, read, problem) => expect(unreadable(read)).toBe(problem))
})

describe('hash functions', () => {
  it.each(Object.entries(hashes))('%s computes what node:crypto does, and its DigestInfo names it', (name, hash) => {
    expect(getHashes()).toContain(name)
    const digest = createHash(name).update('message').digest()
    expect(Buffer.from(hash.digest(Buffer.from('message'))).equals(digest)).toBe(true)
    expect(hash.length).toBe(digest.length)
    const info = parse(Buffer.concat([Buffer.from(hash.digestInfo, 'hex'), digest]))
    const [algorithm, content] = childrenOf(info, 'info')
    expect(hashByOid(readAlgorithm(algorithm, 'info').oid)).toBe(hash)
    expect(contentOf(content, 'info', tags.octetString)).toHaveLength(digest.length)
  })

  it('that are unknown are none', () => expect(hashByOid('1.2.3')).toBeUndefined())
})

describe('kinds of keys', () => {
  const kind = (id: string, parameters?: Uint8Array) =>
    keyKindOf({ oid: id, parameters: parameters && parse(parameters) })

  it('are RSA, Ed25519 and ECDSA on three curves', () => {
    expect(kind('1.2.840.113549.1.1.1')).toEqual({ kind: 'rsa' })
    expect(kind('1.3.101.112')).toEqual({ kind: 'ed25519' })
    expect(kind(EC, oid('1.2.840.10045.3.1.7'))).toEqual({ kind: 'ecdsa', curve: 'P-256' })
    expect(kind(EC, oid('1.3.132.0.34'))).toEqual({ kind: 'ecdsa', curve: 'P-384' })
    expect(kind(EC, oid('1.3.132.0.35'))).toEqual({ kind: 'ecdsa', curve: 'P-521' })
  })

  it.each([
    ['1.2.840.113549.1.1.10', 'RSASSA-PSS'],
    ['1.2.840.10040.4.1', 'DSA'],
    ['1.3.101.110', 'X25519'],
    ['1.3.101.111', 'X448'],
    ['1.3.101.113', 'Ed448'],
    ['1.2.3', '1.2.3'],
  ])('%s is called %s and not supported', (id, name) => {
    expect(unreadable(() => kind(id))).toBe(`its key is of the type ${name}, which is not supported`)
  })

  it.each([
    ['1.2.840.10045.3.1.1', 'P-192'],
    ['1.3.132.0.33', 'P-224'],
    ['1.3.132.0.10', 'secp256k1'],
    ['1.2.3', '1.2.3'],
  ])('the curve %s is called %s and not supported', (id, name) => {
    expect(unreadable(() => readCurve(parse(oid(id))))).toBe(`its key is on the curve ${name}, which is not supported`)
  })

  it.each([undefined, nothing(), element(0x30, integer(1n))])('a curve without a name is none: %j', (parameters) => {
    expect(unreadable(() => kind(EC, parameters))).toBe('its EC key does not name its curve')
  })

  it('a curve with a damaged name is none', () => {
    expect(unreadable(() => readCurve(parse(element(6))))).toBe('its curve is missing or malformed')
  })

  it('an algorithm without identifier is none', () => {
    expect(unreadable(() => readAlgorithm(parse(element(0x30)), 'thing'))).toBe('its thing is missing or malformed')
    expect(readAlgorithm(parse(element(0x30, oid('1.2.3'))), 'thing')).toEqual({ oid: '1.2.3', parameters: undefined })
    const { parameters } = readAlgorithm(parse(element(0x30, oid('1.2.3'), nothing())), 'thing')
    expect(parameters && tagOf(parameters)).toBe(0x05)
  })
})

describe('the size of RSA keys, as openssl bounds it', () => {
  const size = (bits: bigint, exponent = 3n) => checkRsaSize(2n ** bits - 1n, exponent)

  it.each([
    [1n, 3n],
    [16_384n, 3n],
    [16_384n, 2n ** 64n - 1n],
    [512n, 1n],
  ])('allows a modulus of %s bits and the exponent %s', (bits, exponent) => {
    expect(() => size(bits, exponent)).not.toThrow()
  })

  it.each([
    [16_385n, 3n, 'its RSA key has 16385 bits, more than 16384'],
    [2048n, 2n ** 64n, 'its RSA key has a public exponent of more than 64 bits'],
    [0n, 3n, 'its RSA key has a modulus or an exponent of 0'],
    [2048n, 0n, 'its RSA key has a modulus or an exponent of 0'],
  ])('refuses a modulus of %s bits with the exponent %s', (bits, exponent, problem) => {
    expect(unreadable(() => size(bits, exponent))).toBe(problem)
  })
})
