import { bitLength } from './bytes.ts'
import { type Curve, curveByOid } from './curves.ts'
import { type Asn1, childrenOf, oidOf, tagOf, tags, Unreadable } from './der.ts'
import { oids } from './oids.ts'

/** openssl's own limits. They also bound how long the check of a signature can take. */
const MOST_MODULUS_BITS = 16_384
const MOST_EXPONENT_BITS = 64

const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  [oids.rsassaPss]: 'RSASSA-PSS',
  [oids.dsa]: 'DSA',
  [oids.x25519]: 'X25519',
  [oids.x448]: 'X448',
  [oids.ed448]: 'Ed448',
}

const UNSUPPORTED_CURVES: Readonly<Record<string, string>> = {
  [oids.p192]: 'P-192',
  [oids.p224]: 'P-224',
  [oids.secp256k1]: 'secp256k1',
}

/** An AlgorithmIdentifier: what it names, and its parameters where it has any. */
export interface Algorithm {
  readonly oid: string
  readonly parameters: Asn1 | undefined
}

/**
 * Reads an AlgorithmIdentifier (RFC 5280, 4.1.1.2).
 *
 * @throws Unreadable where it is malformed
 */
export function readAlgorithm(element: Asn1 | undefined, what: string): Algorithm {
  const [oid, parameters] = childrenOf(element, what)
  return { oid: oidOf(oid, what), parameters }
}

/** The kind of a key, and for ECDSA its curve. */
export type KeyKind = { readonly kind: 'rsa' | 'ed25519' } | { readonly kind: 'ecdsa'; readonly curve: Curve }

/**
 * What kind of key an AlgorithmIdentifier announces (RFC 3279, RFC 5480, RFC 8410).
 *
 * @throws Unreadable where it is a kind that is not supported
 */
export function keyKindOf({ oid, parameters }: Algorithm): KeyKind {
  if (oid === oids.rsaEncryption) return { kind: 'rsa' }
  if (oid === oids.ed25519) return { kind: 'ed25519' }
  if (oid === oids.ecPublicKey) return { kind: 'ecdsa', curve: readCurve(parameters) }
  throw new Unreadable(`its key is of the type ${UNSUPPORTED_KEYS[oid] ?? oid}, which is not supported`)
}

/**
 * The curve that the parameters of an EC key name.
 *
 * @throws Unreadable where they name none or an unsupported one
 */
export function readCurve(parameters: Asn1 | undefined): Curve {
  if (!parameters || tagOf(parameters) !== tags.oid) throw new Unreadable('its EC key does not name its curve')
  const oid = oidOf(parameters, 'curve')
  const curve = curveByOid(oid)
  if (!curve) throw new Unreadable(`its key is on the curve ${UNSUPPORTED_CURVES[oid] ?? oid}, which is not supported`)
  return curve
}

/**
 * Checks the size of an RSA key.
 *
 * @throws Unreadable where openssl would not use a key of this size
 */
export function checkRsaSize(n: bigint, e: bigint): void {
  const bits = bitLength(n)
  if (n === 0n || e === 0n) throw new Unreadable('its RSA key has a modulus or an exponent of 0')
  if (bits > MOST_MODULUS_BITS) throw new Unreadable(`its RSA key has ${bits} bits, more than ${MOST_MODULUS_BITS}`)
  if (bitLength(e) <= MOST_EXPONENT_BITS) return
  throw new Unreadable(`its RSA key has a public exponent of more than ${MOST_EXPONENT_BITS} bits`)
}
