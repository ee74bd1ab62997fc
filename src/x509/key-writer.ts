import { sha1 } from '@noble/hashes/legacy.js'
import { curves } from './curves.ts'
import type { Asn1 } from './der.ts'
import { bitString, derOf, element, integer, nothing, octetString, oid, sequence } from './der-writer.ts'
import { oids } from './oids.ts'
import type { RsaNumbers } from './rsa.ts'

/** The public key in an ECPrivateKey (RFC 5915). */
const PUBLIC_KEY = 0xa1

/** A public key as certificates carry it. */
export interface CertifiedKey {
  /** SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
  readonly info: Asn1
  /** Its identifier: SHA-1 of the public key's bits (RFC 5280, 4.2.1.2, method 1). */
  readonly id: Uint8Array
}

/** A key pair that signs certificates. The same message gives the same signature. */
export interface Signatory extends CertifiedKey {
  /** AlgorithmIdentifier of its signatures. */
  readonly algorithm: Asn1
  sign(message: Uint8Array): Uint8Array
}

/** A key pair with its private part. */
export interface KeyPair extends Signatory {
  /** The private key, DER (RFC 5958). */
  readonly pkcs8: Uint8Array
}

/** A P-256 key pair. It signs with ECDSA and SHA-256. */
export interface SigningKey extends Signatory {
  /** 32 bytes, most significant first. */
  readonly secret: Uint8Array
  /** The uncompressed public point (SEC 1, 2.3.3). */
  readonly point: Uint8Array
}

/** The P-256 key pair of a secret of 32 bytes, 1 to the curve's order - 1. */
export function signingKey(secret: Uint8Array): SigningKey {
  const { arithmetic } = curves['P-256']
  const point = arithmetic.getPublicKey(secret, false)
  return {
    ...certifiedKey(p256Algorithm(), point),
    secret,
    point,
    // RFC 5758, 3.2: without parameters.
    algorithm: sequence(oid(oids.ecdsaWithSha256)),
    sign: (message) => arithmetic.sign(message, secret, { prehash: true, format: 'der' }),
  }
}

/** A P-256 secret from 48 random bytes: their number modulo the order - 1, plus 1 (FIPS 186-5, A.2.1). */
export function secretFrom(random: Uint8Array): Uint8Array {
  return curves['P-256'].arithmetic.utils.randomSecretKey(random)
}

/** The public part of an RSA key. */
export function rsaPublicKey({ n, e }: RsaNumbers): CertifiedKey {
  return certifiedKey(sequence(oid(oids.rsaEncryption), nothing()), derOf(sequence(integer(n), integer(e))))
}

/** A P-256 key pair as PKCS#8 (RFC 5958) with the public key inside and the curve named once, as openssl writes it. */
export function pkcs8({ secret, point }: SigningKey): Uint8Array {
  const key = sequence(integer(1n), octetString(secret), element(PUBLIC_KEY, [bitString(point)]))
  return derOf(sequence(integer(0n), p256Algorithm(), octetString(key)))
}

function p256Algorithm(): Asn1 {
  return sequence(oid(oids.ecPublicKey), oid(oids.p256))
}

/** The public part of a key from its AlgorithmIdentifier and the public key's bits. */
export function certifiedKey(algorithm: Asn1, bits: Uint8Array): CertifiedKey {
  return { info: sequence(algorithm, bitString(bits)), id: sha1(bits) }
}
