import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesOfNumber, numberOf, sameBytes } from './bytes.ts'
import { type Curve, curves } from './curves.ts'
import { type Asn1, childrenOf, contentOf, malformed, natural, parse, tagged, tags, Unreadable } from './der.ts'
import { checkRsaSize, keyKindOf, readAlgorithm, readCurve } from './key-algorithm.ts'
import { typeText } from './pem-types.ts'
import type { PublicKey } from './public-key.ts'

const WHAT = 'DER structure'
/** The curve in an ECPrivateKey (RFC 5915). */
const EC_PARAMETERS = 0xa0

/** A private key. Secrets have the curve's full length, most significant byte first. */
export type PrivateKey =
  | { readonly kind: 'rsa'; readonly n: bigint; readonly e: bigint; readonly d: bigint }
  | { readonly kind: 'ecdsa'; readonly curve: Curve; readonly secret: Uint8Array }
  | { readonly kind: 'ed25519'; readonly seed: Uint8Array }

/**
 * Reads an unencrypted private key: PKCS#8 ("PRIVATE KEY", RFC 5208 and 5958), PKCS#1 ("RSA PRIVATE KEY", RFC 8017) or
 * SEC 1 ("EC PRIVATE KEY", RFC 5915).
 *
 * @throws Unreadable where it is malformed or of a type that is not supported
 */
export function readPrivateKey({ type, der }: { readonly type: string; readonly der: Uint8Array }): PrivateKey {
  const read = readers[type]
  if (!read) throw new Unreadable(`a block of ${typeText(type)} is not supported`)
  return read(der)
}

const readers: Readonly<Record<string, (der: Uint8Array) => PrivateKey>> = {
  'PRIVATE KEY': readPkcs8,
  'RSA PRIVATE KEY': readRsa,
  'EC PRIVATE KEY': (der) => readEc(der, undefined),
}

function readPkcs8(der: Uint8Array): PrivateKey {
  const [version, algorithm, key] = childrenOf(parse(der), WHAT)
  if (natural(version, WHAT) > 1n) throw new Unreadable('its PKCS#8 version is not supported')
  const kind = keyKindOf(readAlgorithm(algorithm, WHAT))
  const content = contentOf(key, WHAT, tags.octetString)
  if (kind.kind === 'rsa') return readRsa(content)
  if (kind.kind === 'ecdsa') return readEc(content, kind.curve)
  const seed = contentOf(parse(content), WHAT, tags.octetString)
  if (seed.length !== 32) throw malformed(WHAT)
  return { kind: 'ed25519', seed }
}

function readRsa(der: Uint8Array): PrivateKey {
  const [version, ...numbers] = childrenOf(parse(der), WHAT)
  if (natural(version, WHAT) !== 0n) throw new Unreadable('its RSA key has more than two primes')
  const [n, e] = [natural(numbers[0], WHAT), natural(numbers[1], WHAT)]
  checkRsaSize(n, e)
  const [d, p, q] = [natural(numbers[2], WHAT), natural(numbers[3], WHAT), natural(numbers[4], WHAT)]
  if (p <= 1n || q <= 1n || p * q !== n) throw new Unreadable('its primes do not give its modulus')
  const inverse = d < n && (d * e) % (p - 1n) === 1n % (p - 1n) && (d * e) % (q - 1n) === 1n % (q - 1n)
  if (!inverse) throw new Unreadable('its private exponent does not fit its public one')
  return { kind: 'rsa', n, e, d }
}

function readEc(der: Uint8Array, announced: Curve | undefined): PrivateKey {
  const children = childrenOf(parse(der), WHAT)
  const curve = announced ?? readCurve(namedCurve(children))
  const secret = numberOf(contentOf(children[1], WHAT, tags.octetString))
  if (secret === 0n || secret >= curves[curve].arithmetic.Point.Fn.ORDER) {
    throw new Unreadable(`its secret is out of the range of ${curve}`)
  }
  return { kind: 'ecdsa', curve, secret: bytesOfNumber(secret, curves[curve].bytes) }
}

function namedCurve(children: readonly Asn1[]): Asn1 | undefined {
  const parameters = tagged(children, EC_PARAMETERS)
  return parameters && childrenOf(parameters, WHAT, EC_PARAMETERS)[0]
}

function pointOf(key: PrivateKey & { kind: 'ecdsa' }, compressed: boolean): Uint8Array {
  const { arithmetic } = curves[key.curve]
  // The library fills a table before it first multiplies the base point of a curve. Issuing needs the one of P-256; to
  // fill the one of a larger curve takes ten times as long as a multiplication without it.
  if (key.curve === 'P-256') return arithmetic.getPublicKey(key.secret, compressed)
  const base = arithmetic.Point.fromAffine(arithmetic.Point.BASE.toAffine())
  return base.multiplyUnsafe(numberOf(key.secret)).toBytes(compressed)
}

/** Whether a private key is the one of a certificate's public key. */
export function belongsTo(key: PrivateKey, certified: PublicKey): boolean {
  if (key.kind === 'rsa') return certified.kind === 'rsa' && key.n === certified.n && key.e === certified.e
  if (key.kind === 'ed25519') {
    return certified.kind === 'ed25519' && sameBytes(ed25519.getPublicKey(key.seed), certified.bytes)
  }
  if (certified.kind !== 'ecdsa') return false
  // Points of different curves differ in length.
  return sameBytes(pointOf(key, certified.point.length === 1 + curves[key.curve].bytes), certified.point)
}
