import { invert } from '@noble/curves/abstract/modular.js'
import { bytesToNumberBE, equalBytes, numberToBytesBE } from '@noble/curves/utils.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { bitLength } from './bytes.ts'
import type { Hash } from './hashes.ts'

// This code uses BigInt because node-forge's RSA lacks SHA-224, is several times slower, and collects entropy at import.

/** The numbers of an RSA public key. */
interface RsaNumbers {
  readonly n: bigint
  readonly e: bigint
}

/** The hash functions and the salt length in bytes of an RSASSA-PSS signature (RFC 8017, A.2.3). */
export interface PssParameters {
  readonly hash: Hash
  readonly maskHash: Hash
  readonly saltLength: number
}

/** The numbers of an RSA private key in terms of its two primes (RFC 8017, 3.2). */
interface RsaPrivateNumbers {
  readonly p: bigint
  readonly q: bigint
  readonly dP: bigint
  readonly dQ: bigint
  readonly qInv: bigint
}

/** Returns the numbers of the RSA key that has two primes (given in hex) and the public exponent 65537. */
export function rsaNumbers(primes: readonly [p: string, q: string]) {
  const [p, q] = [BigInt(`0x${primes[0]}`), BigInt(`0x${primes[1]}`)]
  const e = 65_537n
  const d = invert(e, (p - 1n) * (q - 1n))
  return { p, q, n: p * q, e, d, dP: d % (p - 1n), dQ: d % (q - 1n), qInv: invert(q, p) }
}

/** Signs with RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.1). Using the primes (5.1.2) takes a quarter of the time. */
export function signPkcs1({ p, q, dP, dQ, qInv }: RsaPrivateNumbers, hash: Hash, message: Uint8Array): Uint8Array {
  const length = modulusBytes(p * q)
  const encoded = encodePkcs1(hash, message, length)
  const [byP, byQ] = [modularPower(encoded % p, dP, p), modularPower(encoded % q, dQ, q)]
  const rest = ((((byP - byQ) * qInv) % p) + p) % p
  return numberToBytesBE(byQ + q * rest, length)
}

/** Returns true if `signature` is the RSASSA-PKCS1-v1_5 signature of `message` (RFC 8017, 8.2.2). */
export function verifyPkcs1(key: RsaNumbers, hash: Hash, message: Uint8Array, signature: Uint8Array): boolean {
  return recoverNumber(key, signature) === encodePkcs1(hash, message, modulusBytes(key.n))
}

/**
 * Encodes a message to a number with EMSA-PKCS1-v1_5 (RFC 8017, 9.2). If the key is too short, returns -1, which is not a possible
 * signature.
 */
function encodePkcs1(hash: Hash, message: Uint8Array, length: number): bigint {
  const info = hash.digestInfo + bytesToHex(hash.digest(message))
  const padding = length - info.length / 2 - 3
  return padding >= 8 ? BigInt(`0x0001${'ff'.repeat(padding)}00${info}`) : -1n
}

/** Returns true if `signature` is the RSASSA-PSS signature of `message` (RFC 8017, 8.1.2 and 9.1.2). */
export function verifyPss(
  key: RsaNumbers,
  { hash, maskHash, saltLength }: PssParameters,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const bits = bitLength(key.n) - 1
  const length = Math.ceil(bits / 8)
  const recovered = length < hash.digest.outputLen + saltLength + 2 ? undefined : recoverNumber(key, signature)
  if (recovered === undefined || bitLength(recovered) > bits) return false
  const encoded = numberToBytesBE(recovered, length)
  if (encoded[length - 1] !== 0xbc) return false
  const masked = encoded.subarray(0, length - hash.digest.outputLen - 1)
  const digest = encoded.subarray(masked.length, length - 1)
  const block = unmask(masked, digest, maskHash)
  block[0] = (block[0] ?? 0) & (0xff >> (length * 8 - bits))
  const separator = block.length - saltLength - 1
  if (block[separator] !== 1 || block.subarray(0, separator).some((byte) => byte !== 0)) return false
  const salted = new Uint8Array([...new Uint8Array(8), ...hash.digest(message), ...block.subarray(separator + 1)])
  return equalBytes(hash.digest(salted), digest)
}

/** Returns the number inside a signature (RFC 8017, 5.2.2), or undefined if its length or value does not match the key. */
function recoverNumber({ n, e }: RsaNumbers, signature: Uint8Array): bigint | undefined {
  const value = bytesToNumberBE(signature)
  return signature.length === modulusBytes(n) && value < n ? modularPower(value, e, n) : undefined
}

/** Returns the length of a modulus in bytes. A signature has the same length. */
function modulusBytes(n: bigint): number {
  return Math.ceil(bitLength(n) / 8)
}

function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

/** Removes the mask that MGF1 (RFC 8017, B.2.1) generates from a seed. */
function unmask(masked: Uint8Array, seed: Uint8Array, hash: Hash): Uint8Array {
  const block = masked.slice()
  for (let counter = 0, at = 0; at < block.length; counter++) {
    const mask = hash.digest(new Uint8Array([...seed, ...numberToBytesBE(counter, 4)]))
    for (const byte of mask) {
      if (at < block.length) block[at] = (block[at] ?? 0) ^ byte
      at++
    }
  }
  return block
}
