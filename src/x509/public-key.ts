import { bitLength } from './bytes.ts'
import { type Curve, curves } from './curves.ts'
import { childrenOf, malformed, natural, parse, Unreadable, wholeBits } from './der.ts'
import { checkRsaSize, keyKindOf, readAlgorithm } from './key-algorithm.ts'

const WHAT = 'public key'

/** A certificate's public key. `point` is encoded as SEC 1 has it, compressed or not. */
export type PublicKey =
  | { readonly kind: 'rsa'; readonly n: bigint; readonly e: bigint }
  | { readonly kind: 'ecdsa'; readonly curve: Curve; readonly point: Uint8Array }
  | { readonly kind: 'ed25519'; readonly bytes: Uint8Array }

/**
 * Reads a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
 *
 * @throws Unreadable where it is malformed, a point is not on its curve or the kind is not supported
 */
export function readPublicKey(der: Uint8Array): PublicKey {
  const [algorithm, key] = childrenOf(parse(der), WHAT)
  const kind = keyKindOf(readAlgorithm(algorithm, WHAT))
  const bytes = wholeBits(key, WHAT)
  if (kind.kind === 'rsa') return readRsa(bytes)
  if (kind.kind === 'ecdsa') return { ...kind, point: checkedPoint(kind.curve, bytes) }
  if (bytes.length !== 32) throw malformed(WHAT)
  return { kind: 'ed25519', bytes }
}

function readRsa(der: Uint8Array): PublicKey {
  const [modulus, exponent] = childrenOf(parse(der), WHAT)
  const n = natural(modulus, WHAT)
  const e = natural(exponent, WHAT)
  checkRsaSize(n, e)
  return { kind: 'rsa', n, e }
}

function checkedPoint(curve: Curve, bytes: Uint8Array): Uint8Array {
  try {
    curves[curve].arithmetic.Point.fromBytes(bytes).assertValidity()
  } catch {
    throw new Unreadable(`its public key is not a point on ${curve}`)
  }
  return bytes
}

/** A short name of a key for messages: `RSA 2048`, `ECDSA P-256` or `Ed25519`. */
export function keyName(
  key:
    | { readonly kind: 'rsa'; readonly n: bigint }
    | { readonly kind: 'ecdsa'; readonly curve: Curve }
    | { readonly kind: 'ed25519' },
): string {
  if (key.kind === 'rsa') return `RSA ${bitLength(key.n)}`
  return key.kind === 'ecdsa' ? `ECDSA ${key.curve}` : 'Ed25519'
}
