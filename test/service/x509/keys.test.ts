import { createPrivateKey, createPublicKey } from 'node:crypto'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../../src/service/x509/certificate.ts'
import { curves } from '../../../src/service/x509/curves.ts'
import { belongsTo, keyName, type PrivateKey, readPrivateKey, readPublicKey } from '../../../src/service/x509/keys.ts'
import { splitPem } from '../../../src/service/x509/pem.ts'
import { derOf, element, findUnreadable, fixture, fixtures } from './support.ts'

function readKey(name: string): PrivateKey {
  const block = splitPem(fixture(name)).blocks.at(-1)
  if (!block?.der) throw new Error('no block')
  return readPrivateKey(block).key
}

const readLeafKey = (name: string) => readCertificate(derOf(fixture(name))).publicKey
const bytesOf = (text: string | undefined) => Uint8Array.from(Buffer.from(text ?? '', 'base64url'))
const toNumber = (text: string | undefined) => bytesToNumberBE(bytesOf(text))

const ED25519 = element(0x30, element(6, '\x2b\x65\x70'))
const RSA = element(0x30, element(6, '\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01'), element(5))
const EC_TYPE = element(6, '\x2a\x86\x48\xce\x3d\x02\x01')
const P256 = element(6, '\x2a\x86\x48\xce\x3d\x03\x01\x07')
const EC = element(0x30, EC_TYPE, P256)

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
    const key = readKey(name)
    expect(keyName(key)).toBe(text)
    expect(belongsTo(key, readLeafKey(certificate))).toBe(true)
    const leaves = ['leaf-rsa2048', 'leaf-p256', 'leaf-p384', 'leaf-p521', 'leaf-ed25519'].map(readLeafKey)
    expect(leaves.filter((each) => belongsTo(key, each)).map(keyName)).toEqual([text])
  })

  it('does not belong to another key of the same kind', () => {
    expect(belongsTo(readKey('key-p256-parameters'), readLeafKey('leaf-p256'))).toBe(false)
  })

  it.each(['key-rsa2048', 'key-p256', 'key-p384', 'key-p521', 'key-ed25519'])(
    'belongs to the public key that node:crypto computes from %s',
    (name) => {
      const { n, e, x, y } = createPublicKey(createPrivateKey(fixture(name))).export({ format: 'jwk' })
      const key = readKey(name)
      const publicKeys = {
        rsa: { kind: 'rsa', n: toNumber(n), e: toNumber(e) },
        ed25519: { kind: 'ed25519', bytes: bytesOf(x) },
        ecdsa: { kind: 'ecdsa', curve: 'P-256', point: Uint8Array.of(4, ...bytesOf(x), ...bytesOf(y)) },
      } as const
      expect(belongsTo(key, publicKeys[key.kind])).toBe(true)
    },
  )
})

describe('the check whether a key belongs to a certificate', () => {
  it('depends on both numbers of an RSA key', () => {
    const { n, e, d } = readKey('key-rsa2048') as PrivateKey & { kind: 'rsa' }
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n, e })).toBe(true)
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n, e: e + 2n })).toBe(false)
    expect(belongsTo({ kind: 'rsa', n, e, d }, { kind: 'rsa', n: n + 2n, e })).toBe(false)
  })

  it('depends on the seed of an Ed25519 key', () => {
    const key = readKey('key-ed25519') as PrivateKey & { kind: 'ed25519' }
    const other = { ...key, seed: key.seed.with(0, (key.seed[0] ?? 0) ^ 1) }
    expect(belongsTo(other, readLeafKey('leaf-ed25519'))).toBe(false)
  })

  it.each(['P-256', 'P-384', 'P-521'] as const)('compares the point on %s, compressed or not', (curve) => {
    const { bytes } = curves[curve]
    const arithmetic = curves[curve].arithmetic()
    const key = { kind: 'ecdsa', curve, secret: numberToBytesBE(12_345n, bytes) } as const
    for (const isCompressed of [false, true]) {
      const point = arithmetic.getPublicKey(key.secret, isCompressed)
      expect(belongsTo(key, { kind: 'ecdsa', curve, point })).toBe(true)
      const other = { ...key, secret: numberToBytesBE(12_346n, bytes) }
      expect(belongsTo(other, { kind: 'ecdsa', curve, point })).toBe(false)
    }
  })
})

const version = (number: number) => element(2, String.fromCharCode(number))
const sec1 = (secret: Uint8Array | string, parameters = element(0xa0, P256)) => ({
  type: 'EC PRIVATE KEY',
  der: element(0x30, version(1), element(4, secret), parameters),
})
const rsa = (first: number, ...numbers: number[]) => ({
  type: 'RSA PRIVATE KEY',
  // Nothing computes with the two exponents by the primes and the coefficient.
  der: element(0x30, ...[first, ...numbers, ...(numbers.length === 5 ? [1, 1, 1] : [])].map(version)),
})
const pkcs8 = (number: number, algorithm: Uint8Array, ...content: Uint8Array[]) => ({
  type: 'PRIVATE KEY',
  der: element(0x30, version(number), algorithm, element(4, ...content)),
})
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const MALFORMED = 'its DER structure is missing or malformed'
const OUT_OF_RANGE = 'its secret is out of the range of P-256'
const NOT_ODD = 'its RSA key does not have two different odd primes'
const PRIMES = 'the product of its primes is not its modulus'
const EXPONENT = 'its private exponent does not match its public exponent'
const MALFORMED_PUBLIC = 'its public key is missing or malformed'
const NO_POINT = 'its public key is not a point on P-256'
const NO_CURVE = 'its EC key does not name its curve'

describe('an error names the reason why a private key cannot be used', () => {
  it.each([
    ['bad-key-dsa', 'its key is of type DSA, which is not supported'],
    ['bad-key-ed448', 'its key is of type Ed448, which is not supported'],
    ['bad-key-rsa-pss', 'its key is of type RSASSA-PSS, which is not supported'],
    ['bad-key-p224', 'its key is on the curve P-224, which is not supported'],
    ['bad-key-secp256k1', 'its key is on the curve secp256k1, which is not supported'],
    ['bad-key-explicit', NO_CURVE],
    ['bad-key-three-primes', 'its RSA key has more than two primes'],
  ])('%s', (name, problem) => expect(findUnreadable(() => readKey(name))).toBe(problem))

  it.each<[string, { type: string; der: Uint8Array }, string]>([
    ['DSA alone', { type: 'DSA PRIVATE KEY', der: element(0x30) }, 'a block of type DSA PRIVATE KEY is not supported'],
    ['no DER', { type: 'PRIVATE KEY', der: Uint8Array.of(1, 2, 3) }, 'its DER is damaged'],
    ['a curve not named', sec1('\x05', new Uint8Array()), NO_CURVE],
    ['an EC key without secret', { type: 'EC PRIVATE KEY', der: element(0x30, version(1)) }, MALFORMED],
    ...[0, 2, 3].map((number): [string, { type: string; der: Uint8Array }, string] => [
      `an EC key of version ${number} (RFC 5915, 3)`,
      { type: 'EC PRIVATE KEY', der: element(0x30, version(number), element(4, '\x05'), element(0xa0, P256)) },
      'its EC key is not of version 1',
    ]),
    [
      'an EC key of version 0 in PKCS#8',
      pkcs8(0, EC, element(0x30, version(0), element(4, '\x05'))),
      'its EC key is not of version 1',
    ],
    ['a secret of 0', sec1('\x00'), OUT_OF_RANGE],
    ['an empty secret', sec1(''), OUT_OF_RANGE],
    ['a secret as large as the order', sec1(numberToBytesBE(ORDER, 32)), OUT_OF_RANGE],
    ['a secret above the order', sec1(numberToBytesBE(ORDER + 1n, 32)), OUT_OF_RANGE],
    ['a secret of 16 kB', sec1('\xff'.repeat(16_384)), OUT_OF_RANGE],
    ['an EC secret of the wrong type', pkcs8(0, EC, element(0x30, version(1), element(2, '\x05'))), MALFORMED],
    ['an RSA key with three primes', rsa(1, 33, 3, 7, 3, 11), 'its RSA key has more than two primes'],
    ['an RSA key of version 2 (RFC 8017, A.1.2)', rsa(2, 33, 3, 7, 3, 11), 'its RSA key is of an unknown version'],
    ['an RSA key of version 127', rsa(127, 33, 3, 7, 3, 11), 'its RSA key is of an unknown version'],
    ['a prime of 2 (RFC 8017, 3.1)', rsa(0, 22, 3, 7, 2, 11), NOT_ODD],
    ['another prime of 2', rsa(0, 22, 3, 7, 11, 2), NOT_ODD],
    ['the same prime twice', rsa(0, 121, 3, 7, 11, 11), NOT_ODD],
    ['an RSA modulus of 0', rsa(0, 0, 3, 7, 3, 11), 'its RSA key has a modulus or an exponent of 0'],
    ['primes that do not fit', rsa(0, 33, 3, 7, 3, 7), PRIMES],
    ['the primes 1 and n', rsa(0, 33, 3, 7, 1, 33), PRIMES],
    ['the primes n and 1', rsa(0, 33, 3, 7, 33, 1), PRIMES],
    ['the primes 0', rsa(0, 33, 3, 7, 0, 0), PRIMES],
    ['the primes 0 and 11', rsa(0, 33, 3, 7, 0, 11), PRIMES],
    ['a wrong exponent', rsa(0, 33, 3, 9, 3, 11), EXPONENT],
    ['an exponent above the modulus', rsa(0, 33, 3, 37, 3, 11), EXPONENT],
    ['an exponent of the modulus', rsa(0, 35, 11, 35, 5, 7), EXPONENT],
    ['an exponent that fits one prime only', rsa(0, 35, 5, 9, 5, 7), EXPONENT],
    ['an exponent that fits the other prime only', rsa(0, 35, 5, 11, 5, 7), EXPONENT],
    ['numbers missing', rsa(0, 33, 3), MALFORMED],
    ['the coefficient missing', rsa(0, 33, 3, 7, 3, 11, 1, 1), MALFORMED],
    ['a number too many', rsa(0, 33, 3, 7, 3, 11, 1, 1, 1, 1), MALFORMED],
    ['a public key under the label', { type: 'PRIVATE KEY', der: element(0x30, RSA, element(3, '\0')) }, MALFORMED],
    ['PKCS#8 of version 3', pkcs8(2, ED25519, element(4, 'x'.repeat(32))), 'its PKCS#8 version is not supported'],
    ['no content', { type: 'PRIVATE KEY', der: element(0x30, version(0), EC) }, MALFORMED],
    ['an Ed25519 seed of 31 bytes', pkcs8(0, ED25519, element(4, 'x'.repeat(31))), MALFORMED],
    ['an Ed25519 seed of 33 bytes', pkcs8(0, ED25519, element(4, 'x'.repeat(33))), MALFORMED],
    ['an Ed25519 seed without its own wrapper', pkcs8(0, ED25519, new Uint8Array(32)), 'its DER is damaged'],
  ])('%s', (_, block, problem) => expect(findUnreadable(() => readPrivateKey(block))).toBe(problem))

  const ecdsa = (secret: bigint) => ({ kind: 'ecdsa', curve: 'P-256', secret: numberToBytesBE(secret, 32) })
  const seed = new Uint8Array(32).fill(7)
  const inner = (...more: Uint8Array[]) => element(0x30, version(1), element(4, numberToBytesBE(5n, 32)), ...more)
  const p384 = element(0xa0, element(6, '\x2b\x81\x04\x00\x22'))

  it.each<[string, { type: string; der: Uint8Array }, object]>([
    ['a secret whose leading zeros were left out', sec1('\x05'), ecdsa(5n)],
    ['the smallest secret', sec1(numberToBytesBE(1n, 32)), ecdsa(1n)],
    ['the largest secret', sec1(numberToBytesBE(ORDER - 1n, 32)), ecdsa(ORDER - 1n)],
    ['PKCS#8 with the curve named once', pkcs8(0, EC, inner()), ecdsa(5n)],
    ['PKCS#8 with another curve named inside', pkcs8(1, EC, inner(p384)), ecdsa(5n)],
    ['PKCS#8 of version 1', pkcs8(0, ED25519, element(4, seed)), { kind: 'ed25519', seed }],
    ['PKCS#8 of version 2', pkcs8(1, ED25519, element(4, seed)), { kind: 'ed25519', seed }],
    ['PKCS#1 inside PKCS#8', pkcs8(0, RSA, rsa(0, 33, 3, 7, 3, 11).der), { kind: 'rsa', n: 33n, e: 3n, d: 7n }],
  ])('but %s is read', (_, block, key) => expect(readPrivateKey(block)).toEqual({ key, label: block.type }))

  // As Go's crypto/tls does, which tries each structure.
  it.each(fixtures('key-').filter((name) => !name.includes('encrypted')))(
    'but %s is read under any of the labels',
    (name) => {
      const block = splitPem(fixture(name)).blocks.at(-1)
      const der = derOf(fixture(name))
      const read = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'].map((type) => readPrivateKey({ type, der }))
      const expected = { key: readKey(name), label: block?.type }
      expect(read).toEqual([expected, expected, expected])
    },
  )

  it.each(['OPENSSH PRIVATE KEY', 'DSA PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'])('but not under %s', (type) => {
    const problem = findUnreadable(() => readPrivateKey({ type, der: derOf(fixture('key-p256')) }))
    expect(problem).toBe(`a block of type ${type} is not supported`)
  })
})

describe('public keys are RSA, ECDSA on three curves or Ed25519 (rules: tls-certificates#accepted)', () => {
  const info = (algorithm: Uint8Array, ...bits: (string | Uint8Array)[]) =>
    element(0x30, algorithm, element(3, '\x00', ...bits))
  const numbers = (n: string, e: string) => info(RSA, element(0x30, element(2, n), element(2, e)))
  const type = (oid: string) => info(element(0x30, element(6, oid)), '')
  const curve = (...parameters: Uint8Array[]) => info(element(0x30, EC_TYPE, ...parameters), '')
  const LARGEST = `\x00${'\xff'.repeat(2048)}`

  it.each([
    ['an Ed25519 key', info(ED25519, 'x'.repeat(32)), 'Ed25519'],
    ['a modulus of 1', numbers('\x01', '\x03'), 'RSA 1'],
    ['a modulus of 16384 bits', numbers(LARGEST, '\x03'), 'RSA 16384'],
    ['an exponent of 64 bits', numbers('\x7f\xff', `\x00${'\xff'.repeat(8)}`), 'RSA 15'],
  ])('%s is read', (_, der, name) => expect(keyName(readPublicKey(der))).toBe(name))

  it.each<[string, Uint8Array]>([
    [MALFORMED_PUBLIC, element(0x30)],
    [MALFORMED_PUBLIC, numbers('\x80', '\x03')],
    [MALFORMED_PUBLIC, info(ED25519, 'x'.repeat(31))],
    [MALFORMED_PUBLIC, info(ED25519, 'x'.repeat(33))],
    [NO_POINT, info(EC, '')],
    [NO_POINT, info(EC, '\x00')],
    [NO_POINT, info(EC, `\x04${'\x01'.repeat(64)}`)],
    ['its RSA key has 16385 bits, more than 16384', numbers(`\x01${'\xff'.repeat(2048)}`, '\x03')],
    ['its RSA key has a public exponent of more than 64 bits', numbers('\x7f\xff', `\x01${'\x00'.repeat(8)}`)],
    ['its RSA key has a modulus or an exponent of 0', numbers('\x00', '\x03')],
    ['its RSA key has a modulus or an exponent of 0', numbers('\x7f', '\x00')],
    ['its key is of type X25519, which is not supported', type('\x2b\x65\x6e')],
    ['its key is of type X448, which is not supported', type('\x2b\x65\x6f')],
    ['its key is of type 1.2.3, which is not supported', type('\x2a\x03')],
    ['its key is on the curve P-192, which is not supported', curve(element(6, '\x2a\x86\x48\xce\x3d\x03\x01\x01'))],
    ['its key is on the curve 1.2.3, which is not supported', curve(element(6, '\x2a\x03'))],
    ['its curve is missing or malformed', curve(element(6))],
    [NO_CURVE, curve()],
    [NO_CURVE, curve(element(5))],
  ])('%s', (problem, der) => expect(findUnreadable(() => readPublicKey(der))).toBe(problem))
})
