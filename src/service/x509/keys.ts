import { bytesToNumberBE, equalBytes, numberToBytesBE } from '@noble/curves/utils.js'
import { keysOf } from '../../core/schema/values.ts'
import { bitLength } from './bytes.ts'
import { type Curve, curves, ed25519 } from './curves.ts'
import * as asn1 from './der.ts'
import { oids } from './oids.ts'
import { describePemType } from './pem.ts'

const PUBLIC_KEY = 'public key'
const PRIVATE_KEY = 'DER structure'
/** The tag of the curve in an ECPrivateKey (RFC 5915). */
const EC_PARAMETERS = 0xa0
/**
 * The numbers of an RSAPrivateKey (RFC 8017, A.1.2): modulus, two exponents, two primes, two exponents modulo the primes, and the
 * coefficient.
 */
const RSA_NUMBERS = 8
/** openssl's limits, which also bound how long a signature check takes. */
const MAX_MODULUS_BITS = 16_384
const MAX_EXPONENT_BITS = 64

/** Names of unsupported algorithms and curves, for messages (RFC 3279, 2.3; RFC 8410; SEC 2). */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  [oids.rsassaPss]: 'RSASSA-PSS',
  '1.2.840.10040.4.1': 'DSA',
  '1.3.101.110': 'X25519',
  '1.3.101.111': 'X448',
  '1.3.101.113': 'Ed448',
  '1.2.840.10045.3.1.1': 'P-192',
  '1.3.132.0.33': 'P-224',
  '1.3.132.0.10': 'secp256k1',
}

/** An AlgorithmIdentifier: the identifier of the algorithm, and its parameters, if any. */
export interface Algorithm {
  readonly oid: string
  readonly parameters: asn1.Asn1 | undefined
}

/** A public key. `point` is encoded as in SEC 1, compressed or uncompressed. */
export type PublicKey =
  | { readonly kind: 'rsa'; readonly n: bigint; readonly e: bigint }
  | { readonly kind: 'ecdsa'; readonly curve: Curve; readonly point: Uint8Array }
  | { readonly kind: 'ed25519'; readonly bytes: Uint8Array }

/** A private key. Secrets have the curve's full length, with the most significant byte first. */
export type PrivateKey =
  | { readonly kind: 'rsa'; readonly n: bigint; readonly e: bigint; readonly d: bigint }
  | { readonly kind: 'ecdsa'; readonly curve: Curve; readonly secret: Uint8Array }
  | { readonly kind: 'ed25519'; readonly seed: Uint8Array }

/** Returns a short description of a key for messages: `RSA 2048`, `ECDSA P-256`, or `Ed25519`. */
export function keyName(key: PublicKey | PrivateKey): string {
  if (key.kind === 'rsa') return `RSA ${bitLength(key.n)}`
  return key.kind === 'ecdsa' ? `ECDSA ${key.curve}` : 'Ed25519'
}

/** Reads an AlgorithmIdentifier (RFC 5280, 4.1.1.2). */
export function readAlgorithm(element: asn1.Asn1 | undefined, what: string): Algorithm {
  const [oid, parameters] = asn1.readChildren(element, what)
  return { oid: asn1.readOid(oid, what), parameters }
}

/** Returns the kind of key that an AlgorithmIdentifier names (RFC 3279, RFC 5480, RFC 8410), including the curve for ECDSA. */
function readKeyKind({ oid, parameters }: Algorithm) {
  if (oid === oids.rsaEncryption) return { kind: 'rsa' } as const
  if (oid === oids.ed25519) return { kind: 'ed25519' } as const
  if (oid === oids.ecPublicKey) return { kind: 'ecdsa', curve: readCurve(parameters) } as const
  throw new asn1.Unreadable(`its key is of type ${UNSUPPORTED[oid] ?? oid}, which is not supported`)
}

/** Returns the curve that the parameters of an EC key name (RFC 5480, 2.1.1.1). */
function readCurve(parameters: asn1.Asn1 | undefined): Curve {
  if (!parameters || asn1.getTag(parameters) !== asn1.tags.oid)
    throw new asn1.Unreadable('its EC key does not name its curve')
  const oid = asn1.readOid(parameters, 'curve')
  const curve = keysOf(curves).find((name) => curves[name].oid === oid)
  if (curve) return curve
  throw new asn1.Unreadable(`its key is on the curve ${UNSUPPORTED[oid] ?? oid}, which is not supported`)
}

function checkRsaSize(n: bigint, e: bigint): void {
  const bits = bitLength(n)
  if (n === 0n || e === 0n) throw new asn1.Unreadable('its RSA key has a modulus or an exponent of 0')
  if (bits > MAX_MODULUS_BITS) throw new asn1.Unreadable(`its RSA key has ${bits} bits, more than ${MAX_MODULUS_BITS}`)
  if (bitLength(e) <= MAX_EXPONENT_BITS) return
  throw new asn1.Unreadable(`its RSA key has a public exponent of more than ${MAX_EXPONENT_BITS} bits`)
}

/** Reads a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
export function readPublicKey(der: Uint8Array): PublicKey {
  const [algorithm, key] = asn1.readChildren(asn1.parse(der), PUBLIC_KEY)
  const kind = readKeyKind(readAlgorithm(algorithm, PUBLIC_KEY))
  const bytes = asn1.readWholeBits(key, PUBLIC_KEY)
  if (kind.kind === 'rsa') return readRsaPublicKey(bytes)
  if (kind.kind === 'ecdsa') return { ...kind, point: checkPoint(kind.curve, bytes) }
  if (bytes.length !== 32) throw asn1.malformedError(PUBLIC_KEY)
  return { kind: 'ed25519', bytes }
}

function readRsaPublicKey(der: Uint8Array): PublicKey {
  const [modulus, exponent] = asn1.readChildren(asn1.parse(der), PUBLIC_KEY)
  const [n, e] = [asn1.readNatural(modulus, PUBLIC_KEY), asn1.readNatural(exponent, PUBLIC_KEY)]
  checkRsaSize(n, e)
  return { kind: 'rsa', n, e }
}

function checkPoint(curve: Curve, bytes: Uint8Array): Uint8Array {
  try {
    curves[curve].arithmetic().Point.fromBytes(bytes).assertValidity()
  } catch {
    throw new asn1.Unreadable(`its public key is not a point on ${curve}`)
  }
  return bytes
}

/** The structures of a private key by PEM label, each with the tag of its second member. */
const KEY_STRUCTURES = {
  /** PKCS#8 (RFC 5208 and 5958). The second member is the algorithm. */
  'PRIVATE KEY': { secondTag: asn1.tags.sequence, read: readPkcs8 },
  /** PKCS#1 (RFC 8017). The second member is the modulus. */
  'RSA PRIVATE KEY': { secondTag: asn1.tags.integer, read: readRsaPrivateKey },
  /** SEC 1 (RFC 5915). The second member is the secret. */
  'EC PRIVATE KEY': { secondTag: asn1.tags.octetString, read: readEcPrivateKey },
} as const

/**
 * Reads an unencrypted private key as PKCS#8, PKCS#1, or SEC 1. Returns the key and the label of its structure. Like Go's crypto/tls, also
 * accepts a structure under another structure's label.
 */
export function readPrivateKey({ type, der }: { readonly type: string; readonly der: Uint8Array }) {
  if (!Object.hasOwn(KEY_STRUCTURES, type))
    throw new asn1.Unreadable(`a block of ${describePemType(type)} is not supported`)
  const [, second] = asn1.readChildren(asn1.parse(der), PRIVATE_KEY)
  const found = Object.entries(KEY_STRUCTURES).find(([, { secondTag }]) => second && asn1.getTag(second) === secondTag)
  if (!found) throw asn1.malformedError(PRIVATE_KEY)
  const [label, { read }] = found
  return { key: read(der), label }
}

function readPkcs8(der: Uint8Array): PrivateKey {
  const [version, algorithm, key] = asn1.readChildren(asn1.parse(der), PRIVATE_KEY)
  if (asn1.readNatural(version, PRIVATE_KEY) > 1n) throw new asn1.Unreadable('its PKCS#8 version is not supported')
  const kind = readKeyKind(readAlgorithm(algorithm, PRIVATE_KEY))
  const content = asn1.readContent(key, PRIVATE_KEY, asn1.tags.octetString)
  if (kind.kind === 'rsa') return readRsaPrivateKey(content)
  if (kind.kind === 'ecdsa') return readEcPrivateKey(content, kind.curve)
  const seed = asn1.readContent(asn1.parse(content), PRIVATE_KEY, asn1.tags.octetString)
  if (seed.length !== 32) throw asn1.malformedError(PRIVATE_KEY)
  return { kind: 'ed25519', seed }
}

function readRsaPrivateKey(der: Uint8Array): PrivateKey {
  const [versionNumber, ...numbers] = asn1.readChildren(asn1.parse(der), PRIVATE_KEY)
  const version = asn1.readNatural(versionNumber, PRIVATE_KEY)
  if (version === 1n) throw new asn1.Unreadable('its RSA key has more than two primes')
  if (version > 1n) throw new asn1.Unreadable('its RSA key is of an unknown version')
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n] = numbers.map((number) => asn1.readNatural(number, PRIVATE_KEY))
  if (numbers.length !== RSA_NUMBERS) throw asn1.malformedError(PRIVATE_KEY)
  checkRsaSize(n, e)
  if (p <= 1n || q <= 1n || p * q !== n) throw new asn1.Unreadable('the product of its primes is not its modulus')
  // RFC 8017, 3.1
  if (p === q || n % 2n === 0n) throw new asn1.Unreadable('its RSA key does not have two different odd primes')
  const isInverse = d < n && [p, q].every((prime) => (d * e) % (prime - 1n) === 1n % (prime - 1n))
  if (!isInverse) throw new asn1.Unreadable('its private exponent does not match its public exponent')
  return { kind: 'rsa', n, e, d }
}

/** Reads an ECPrivateKey (RFC 5915). An enclosing PKCS#8 structure has already named the curve. */
function readEcPrivateKey(der: Uint8Array, outerCurve?: Curve): PrivateKey {
  const children = asn1.readChildren(asn1.parse(der), PRIVATE_KEY)
  // RFC 5915, 3
  if (asn1.readNatural(children[0], PRIVATE_KEY) !== 1n) throw new asn1.Unreadable('its EC key is not of version 1')
  const curve = outerCurve ?? readCurve(readCurveParameters(children))
  const secret = bytesToNumberBE(asn1.readContent(children[1], PRIVATE_KEY, asn1.tags.octetString))
  if (secret === 0n || secret >= curves[curve].arithmetic().Point.Fn.ORDER) {
    throw new asn1.Unreadable(`its secret is out of the range of ${curve}`)
  }
  return { kind: 'ecdsa', curve, secret: numberToBytesBE(secret, curves[curve].bytes) }
}

function readCurveParameters(children: readonly asn1.Asn1[]): asn1.Asn1 | undefined {
  const parameters = asn1.findTagged(children, EC_PARAMETERS)
  return parameters && asn1.readChildren(parameters, PRIVATE_KEY, EC_PARAMETERS)[0]
}

/** Returns whether a private key belongs to a certificate's public key. */
export function belongsTo(key: PrivateKey, certified: PublicKey): boolean {
  if (key.kind === 'rsa') return certified.kind === 'rsa' && key.n === certified.n && key.e === certified.e
  if (key.kind === 'ed25519') {
    return certified.kind === 'ed25519' && equalBytes(ed25519().getPublicKey(key.seed), certified.bytes)
  }
  if (certified.kind !== 'ecdsa') return false
  // Points on different curves differ in length.
  return equalBytes(computePoint(key, certified.point.length === 1 + curves[key.curve].bytes), certified.point)
}

function computePoint({ curve, secret }: PrivateKey & { kind: 'ecdsa' }, isCompressed: boolean): Uint8Array {
  const arithmetic = curves[curve].arithmetic()
  // noble fills a table before it first multiplies a curve's base point. Issuing needs the table for P-256. For a larger curve, filling the
  // table takes ten times as long as one multiplication without a table.
  if (curve === 'P-256') return arithmetic.getPublicKey(secret, isCompressed)
  const base = arithmetic.Point.fromAffine(arithmetic.Point.BASE.toAffine())
  return base.multiplyUnsafe(bytesToNumberBE(secret)).toBytes(isCompressed)
}
