import { bitLength, bytesOfNumber, hexOf, numberOf, sameBytes } from './bytes.ts'
import type { Hash } from './hashes.ts'

/** The numbers of an RSA public key. */
export interface RsaNumbers {
  readonly n: bigint
  readonly e: bigint
}

/** The hash functions and the salt's length in bytes of an RSASSA-PSS signature (RFC 8017, A.2.3). */
export interface PssParameters {
  readonly hash: Hash
  readonly maskHash: Hash
  readonly saltLength: number
}

/** Whether `signature` is the RSASSA-PKCS1-v1_5 signature of `message` (RFC 8017, 8.2.2). */
export function verifyPkcs1(key: RsaNumbers, hash: Hash, message: Uint8Array, signature: Uint8Array): boolean {
  const length = Math.ceil(bitLength(key.n) / 8)
  const info = hash.digestInfo + hexOf(hash.digest(message))
  const padding = length - info.length / 2 - 3
  const opened = open(key, signature)
  return padding >= 8 && opened === BigInt(`0x0001${'ff'.repeat(padding)}00${info}`)
}

/** Whether `signature` is the RSASSA-PSS signature of `message` (RFC 8017, 8.1.2 and 9.1.2). */
export function verifyPss(
  key: RsaNumbers,
  parameters: PssParameters,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { hash, maskHash, saltLength } = parameters
  const bits = bitLength(key.n) - 1
  const length = Math.ceil(bits / 8)
  const opened = open(key, signature)
  if (opened === undefined || bitLength(opened) > bits) return false
  const encoded = bytesOfNumber(opened, length)
  if (encoded[length - 1] !== 0xbc) return false
  const masked = encoded.subarray(0, length - hash.length - 1)
  const digest = encoded.subarray(masked.length, length - 1)
  const block = unmask(masked, digest, maskHash)
  block[0] = (block[0] ?? 0) & (0xff >> (length * 8 - bits))
  // Before the beginning where the salt is too long for the key: there is no 1.
  const separator = block.length - saltLength - 1
  if (block[separator] !== 1 || block.subarray(0, separator).some((byte) => byte !== 0)) return false
  const salted = new Uint8Array([...new Uint8Array(8), ...hash.digest(message), ...block.subarray(separator + 1)])
  return sameBytes(hash.digest(salted), digest)
}

/** The number inside a signature, or undefined where the signature's length or value does not fit the key. */
function open({ n, e }: RsaNumbers, signature: Uint8Array): bigint | undefined {
  const value = numberOf(signature)
  if (signature.length !== Math.ceil(bitLength(n) / 8) || value >= n) return undefined
  return power(value, e, n)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

/** MGF1 (RFC 8017, B.2.1), applied. */
function unmask(masked: Uint8Array, seed: Uint8Array, hash: Hash): Uint8Array {
  const block = masked.slice()
  for (let counter = 0, at = 0; at < block.length; counter++) {
    const mask = hash.digest(new Uint8Array([...seed, ...bytesOfNumber(BigInt(counter), 4)]))
    for (const byte of mask) {
      if (at < block.length) block[at] = (block[at] ?? 0) ^ byte
      at++
    }
  }
  return block
}
