import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bytesOfNumber } from '../../src/x509/bytes.ts'
import { readCertificate } from '../../src/x509/certificate.ts'
import { curves } from '../../src/x509/curves.ts'
import { splitPem } from '../../src/x509/pem.ts'
import { belongsTo, type PrivateKey, readPrivateKey } from '../../src/x509/private-key.ts'
import { keyName } from '../../src/x509/public-key.ts'
import { derOf, element, fixture, unreadable } from './support.ts'

function read(name: string): PrivateKey {
  const block = splitPem(fixture(name)).blocks.at(-1)
  if (!block?.der) throw new Error('no block')
  return readPrivateKey(block)
}

const leaf = (name: string) => readCertificate(derOf(fixture(name))).publicKey
const numberOf = (text: string | undefined) => BigInt(`0x${Buffer.from(text ?? '', 'base64url').toString('hex')}`)

describe('reading a private key (rules: tls-certificates#private-key)', () => {
  it.each([
    ['key-rsa2048', 'RSA 2048', 'leaf-rsa2048'],
    ['key-rsa2048-pkcs1', 'RSA 2048', 'leaf-rsa2048'],
    ['key-p256', 'ECDSA P-256', 'leaf-p256'],
    ['key-p256-sec1', 'ECDSA P-256', 'leaf-p256'],
    ['key-p384', 'ECDSA P-384', 'leaf-p384'],
    ['key-p384-sec1', 'ECDSA P-384', 'leaf-p384'],
    ['key-p384', 'ECDSA P-384', 'odd-compressed-point'],
    ['key-p521', 'ECDSA P-521', 'leaf-p521'],
    ['key-p521-sec1', 'ECDSA P-521', 'leaf-p521'],
    ['key-ed25519', 'Ed25519', 'leaf-ed25519'],
  ])('%s is %s and belongs to %s and to no other leaf', (name, text, certificate) => {
    const key = read(name)
    expect(keyName(key)).toBe(text)
    expect(belongsTo(key, leaf(certificate))).toBe(true)
    const others = ['leaf-rsa2048', 'leaf-p256', 'leaf-p384', 'leaf-p521', 'leaf-ed25519'].filter(
      (other) => keyName(leaf(other)) !== text,
    )
    expect(others.some((other) => belongsTo(key, leaf(other)))).toBe(false)
  })

  it('does not belong to another key of the same kind', () => {
    expect(belongsTo(read('key-p256-parameters'), leaf('leaf-p256'))).toBe(false)
  })

  it.each(['key-rsa2048', 'key-p256', 'key-p384', 'key-p521', 'key-ed25519'])(
    'belongs to the public key that node:crypto computes from %s',
    (name) => {
      const secret = createPrivateKey(fixture(name))
      const jwk = createPublicKey(secret).export({ format: 'jwk' })
      const key = read(name)
      const point = () =>
        Uint8Array.from([4, ...Buffer.from(jwk.x ?? '', 'base64url'), ...Buffer.from(jwk.y ?? '', 'base64url')])
      if (key.kind === 'rsa') expect(belongsTo(key, { kind: 'rsa', n: numberOf(jwk.n), e: numberOf(jwk.e) })).toBe(true)
      if (key.kind === 'ed25519')
        expect(belongsTo(key, { kind: 'ed25519', bytes: Buffer.from(jwk.x ?? '', 'base64url') })).toBe(true)
      if (key.kind === 'ecdsa') expect(belongsTo(key, { kind: 'ecdsa', curve: key.curve, point: point() })).toBe(true)
      const certificate = new X509Certificate(fixture(name.replace('key', 'leaf')))
      expect(certificate.checkPrivateKey(secret)).toBe(true)
    },
  )

  it('fills up a secret whose leading zeros were left out', () => {
    const der = element(0x30, element(2, '\x01'), element(4, '\x05'), p256Parameters)
    const key = readPrivateKey({ type: 'EC PRIVATE KEY', der })
    expect(key).toEqual({ kind: 'ecdsa', curve: 'P-256', secret: bytesOfNumber(5n, 32) })
  })
})

describe('whether a key belongs to a certificate', () => {
  it('depends on both numbers of an RSA key', () => {
    const { n, e, d } = read('key-rsa2048') as PrivateKey & { kind: 'rsa' }
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n, e })).toBe(true)
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n, e: e + 2n })).toBe(false)
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n: n + 2n, e })).toBe(false)
  })

  it('depends on the seed of an Ed25519 key', () => {
    const key = read('key-ed25519') as PrivateKey & { kind: 'ed25519' }
    const other = { ...key, seed: key.seed.with(0, (key.seed[0] ?? 0) ^ 1) }
    expect(belongsTo(other, leaf('leaf-ed25519'))).toBe(false)
  })

  it.each(['P-256', 'P-384', 'P-521'] as const)('compares the point on %s, compressed or not', (curve) => {
    const { bytes, arithmetic } = curves[curve]
    const key = { kind: 'ecdsa', curve, secret: bytesOfNumber(12_345n, bytes) } as const
    for (const compressed of [false, true]) {
      const point = arithmetic.getPublicKey(key.secret, compressed)
      expect(belongsTo(key, { kind: 'ecdsa', curve, point })).toBe(true)
      expect(belongsTo({ ...key, secret: bytesOfNumber(12_346n, bytes) }, { kind: 'ecdsa', curve, point })).toBe(false)
    }
  })
})

const p256Parameters = element(0xa0, element(6, '\x2a\x86\x48\xce\x3d\x03\x01\x07'))
const sec1 = (secret: Uint8Array | string, parameters = p256Parameters) => ({
  type: 'EC PRIVATE KEY',
  der: element(0x30, element(2, '\x01'), element(4, secret), parameters),
})
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function rsa(version: number, ...numbers: number[]) {
  return {
    type: 'RSA PRIVATE KEY',
    der: element(0x30, ...[version, ...numbers].map((number) => element(2, String.fromCharCode(number)))),
  }
}

describe('an unusable private key is told why', () => {
  it.each([
    ['bad-key-dsa', 'its key is of the type DSA, which is not supported'],
    ['bad-key-ed448', 'its key is of the type Ed448, which is not supported'],
    ['bad-key-rsa-pss', 'its key is of the type RSASSA-PSS, which is not supported'],
    ['bad-key-p224', 'its key is on the curve P-224, which is not supported'],
    ['bad-key-secp256k1', 'its key is on the curve secp256k1, which is not supported'],
    ['bad-key-explicit', 'its EC key does not name its curve'],
    ['bad-key-three-primes', 'its RSA key has more than two primes'],
  ])('%s', (name, problem) => expect(unreadable(() => read(name))).toBe(problem))

  it.each<[string, { type: string; der: Uint8Array }, string]>([
    [
      'DSA in its own form',
      { type: 'DSA PRIVATE KEY', der: element(0x30) },
      'a block of type DSA PRIVATE KEY is not supported',
    ],
    ['no DER', { type: 'PRIVATE KEY', der: Uint8Array.of(1, 2, 3) }, 'its DER is damaged'],
    ['a curve not named', sec1('\x05', new Uint8Array()), 'its EC key does not name its curve'],
    ['a secret of 0', sec1('\x00'), 'its secret is out of the range of P-256'],
    ['a secret as large as the order', sec1(bytesOfNumber(ORDER, 32)), 'its secret is out of the range of P-256'],
    ['a secret of 16 kB', sec1('\xff'.repeat(16_384)), 'its secret is out of the range of P-256'],
    ['primes that do not fit', rsa(0, 33, 3, 7, 3, 7), 'its primes do not give its modulus'],
    ['the primes 1 and n', rsa(0, 33, 3, 7, 1, 33), 'its primes do not give its modulus'],
    ['the primes 0', rsa(0, 33, 3, 7, 0, 0), 'its primes do not give its modulus'],
    ['a wrong exponent', rsa(0, 33, 3, 9, 3, 11), 'its private exponent does not fit its public one'],
    ['an exponent above the modulus', rsa(0, 33, 3, 37, 3, 11), 'its private exponent does not fit its public one'],
    ['numbers missing', rsa(0, 33, 3), 'its DER structure is missing or malformed'],
  ])('%s', (_, block, problem) => expect(unreadable(() => readPrivateKey(block))).toBe(problem))

  const ED25519 = element(0x30, element(6, '\x2b\x65\x70'))
  const EC = element(0x30, element(6, '\x2a\x86\x48\xce\x3d\x02\x01'), element(6, '\x2a\x86\x48\xce\x3d\x03\x01\x07'))
  const RSA = element(0x30, element(6, '\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01'), element(5))
  const pkcs8 = (version: number, algorithm: Uint8Array, ...content: Uint8Array[]) => ({
    type: 'PRIVATE KEY',
    der: element(0x30, element(2, String.fromCharCode(version)), algorithm, element(4, ...content)),
  })
  const MALFORMED = 'its DER structure is missing or malformed'

  it.each<[string, { type: string; der: Uint8Array }, string]>([
    ['PKCS#8 of version 3', pkcs8(2, ED25519, element(4, 'x'.repeat(32))), 'its PKCS#8 version is not supported'],
    ['an Ed25519 seed of 31 bytes', pkcs8(0, ED25519, element(4, 'x'.repeat(31))), MALFORMED],
    ['an Ed25519 seed of 33 bytes', pkcs8(0, ED25519, element(4, 'x'.repeat(33))), MALFORMED],
    ['an Ed25519 seed without its own wrapper', pkcs8(0, ED25519, new Uint8Array(32)), 'its DER is damaged'],
    ['no content', { type: 'PRIVATE KEY', der: element(0x30, element(2, '\0'), EC) }, MALFORMED],
    [
      'an EC key without secret',
      { type: 'EC PRIVATE KEY', der: element(0x30, element(2, '\x01')) },
      'its EC key does not name its curve',
    ],
    ['an EC secret of the wrong type', pkcs8(0, EC, element(0x30, element(2, '\x01'), element(2, '\x05'))), MALFORMED],
    ['a secret above the order', sec1(bytesOfNumber(ORDER + 1n, 32)), 'its secret is out of the range of P-256'],
    ['an empty secret', sec1(''), 'its secret is out of the range of P-256'],
    ['an RSA key with three primes', rsa(1, 33, 3, 7, 3, 11), 'its RSA key has more than two primes'],
    ['an RSA modulus of 0', rsa(0, 0, 3, 7, 3, 11), 'its RSA key has a modulus or an exponent of 0'],
    ['the primes n and 1', rsa(0, 33, 3, 7, 33, 1), 'its primes do not give its modulus'],
    ['the primes 0 and 0 of 0', rsa(0, 33, 3, 7, 0, 11), 'its primes do not give its modulus'],
    [
      'an exponent that fits one prime only',
      rsa(0, 35, 5, 9, 5, 7),
      'its private exponent does not fit its public one',
    ],
    [
      'an exponent that fits the other prime only',
      rsa(0, 35, 5, 11, 5, 7),
      'its private exponent does not fit its public one',
    ],
    ['an exponent of the modulus', rsa(0, 35, 11, 35, 5, 7), 'its private exponent does not fit its public one'],
  ])('%s', (_, block, problem) => expect(unreadable(() => readPrivateKey(block))).toBe(problem))

  it('the curve of PKCS#8 counts, with or without a second name inside', () => {
    const secret = bytesOfNumber(5n, 32)
    const key = { kind: 'ecdsa', curve: 'P-256', secret }
    const p384 = element(0xa0, element(6, '\x2b\x81\x04\x00\x22'))
    expect(readPrivateKey(pkcs8(0, EC, element(0x30, element(2, '\x01'), element(4, secret))))).toEqual(key)
    expect(readPrivateKey(pkcs8(1, EC, element(0x30, element(2, '\x01'), element(4, secret), p384)))).toEqual(key)
  })

  it('PKCS#8 of both versions is read, and PKCS#1 inside it', () => {
    const seed = new Uint8Array(32).fill(7)
    for (const version of [0, 1]) {
      expect(readPrivateKey(pkcs8(version, ED25519, element(4, seed)))).toEqual({ kind: 'ed25519', seed })
    }
    expect(readPrivateKey(pkcs8(0, RSA, rsa(0, 33, 3, 7, 3, 11).der))).toEqual({ kind: 'rsa', n: 33n, e: 3n, d: 7n })
  })

  it.each([1n, ORDER - 1n])('the secret %s is in the range', (secret) => {
    const der = sec1(bytesOfNumber(secret, 32))
    expect(readPrivateKey(der)).toEqual({ kind: 'ecdsa', curve: 'P-256', secret: bytesOfNumber(secret, 32) })
  })

  it('an RSA key with a prime of 2 is read', () => {
    expect(readPrivateKey(rsa(0, 22, 3, 7, 2, 11))).toEqual({ kind: 'rsa', n: 22n, e: 3n, d: 7n })
    expect(readPrivateKey(rsa(0, 22, 3, 7, 11, 2))).toEqual({ kind: 'rsa', n: 22n, e: 3n, d: 7n })
  })

  it('the smallest consistent RSA key is read', () => {
    expect(readPrivateKey(rsa(0, 33, 3, 7, 3, 11))).toEqual({ kind: 'rsa', n: 33n, e: 3n, d: 7n })
  })
})
