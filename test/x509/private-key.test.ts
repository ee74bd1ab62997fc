import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bytesOfNumber } from '../../src/x509/bytes.ts'
import { readCertificate } from '../../src/x509/certificate.ts'
import { splitPem } from '../../src/x509/pem.ts'
import { belongsTo, type PrivateKey, publicKeyOf, readPrivateKey } from '../../src/x509/private-key.ts'
import { keyName } from '../../src/x509/public-key.ts'
import { derOf, element, fixture, unreadable } from './support.ts'

function read(name: string): PrivateKey {
  const block = splitPem(fixture(name)).blocks.at(-1)
  if (!block?.der) throw new Error('no block')
  return readPrivateKey(block)
}

const leaf = (name: string) => readCertificate(derOf(fixture(name))).publicKey
const numberOf = (text: string | undefined) => BigInt(`0x${Buffer.from(text ?? '', 'base64url').toString('hex')}`)

describe('reading a private key (decisions, "TLS certificates": PKCS#8, PKCS#1 or SEC1)', () => {
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
    'computes the public key of %s as node:crypto does',
    (name) => {
      const secret = createPrivateKey(fixture(name))
      const jwk = createPublicKey(secret).export({ format: 'jwk' })
      const key = publicKeyOf(read(name))
      if (key.kind === 'rsa') expect(key).toEqual({ kind: 'rsa', n: numberOf(jwk.n), e: numberOf(jwk.e) })
      if (key.kind === 'ed25519') expect(Buffer.from(key.bytes).toString('base64url')).toBe(jwk.x)
      if (key.kind === 'ecdsa') {
        const point = [4, ...Buffer.from(jwk.x ?? '', 'base64url'), ...Buffer.from(jwk.y ?? '', 'base64url')]
        expect([...key.point]).toEqual(point)
      }
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
    ['no DER', { type: 'PRIVATE KEY', der: Uint8Array.of(1, 2, 3) }, 'its DER ends too early'],
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

  it('the smallest consistent RSA key is read', () => {
    expect(readPrivateKey(rsa(0, 33, 3, 7, 3, 11))).toEqual({ kind: 'rsa', n: 33n, e: 3n, d: 7n })
  })
})
