import { ed25519 } from '@noble/curves/ed25519.js'
import type { Draw } from '../schema/values.ts'
import { derOf, integer, octetString, oid, sequence } from '../x509/der-writer.ts'
import { certifiedKey, type KeyPair, pkcs8, secretFrom, signingKey } from '../x509/key-writer.ts'
import { oids } from '../x509/oids.ts'
import { rsaKey } from './certificates-rsa.ts'

const SECRET_SIZE = 48
const ED25519_SEED_SIZE = 32

/** The kinds of keys that a pair can have. */
export const keyTypes = ['rsa', 'ecdsa', 'ed25519'] as const
/** The kind of a key. */
export type KeyType = (typeof keyTypes)[number]

/** The key of a draw's random bytes. RSA keys are published ones: `role` tells which. */
export function pairKey(type: KeyType, random: ReturnType<Draw>, role: 'leaf' | 'other'): KeyPair {
  if (type === 'rsa') return rsaKey(role)
  if (type === 'ed25519') return ed25519Key(random(ED25519_SEED_SIZE))
  const key = signingKey(secretFrom(random(SECRET_SIZE)))
  return { ...key, pkcs8: pkcs8(key) }
}

/** RFC 8410: one AlgorithmIdentifier, without parameters, for the key and for its signatures. */
function ed25519Key(seed: Uint8Array): KeyPair {
  const algorithm = sequence(oid(oids.ed25519))
  return {
    ...certifiedKey(algorithm, ed25519.getPublicKey(seed)),
    pkcs8: derOf(sequence(integer(0n), algorithm, octetString(octetString(seed)))),
    algorithm,
    sign: (message) => ed25519.sign(message, seed),
  }
}
