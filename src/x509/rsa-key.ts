import { derOf, integer, nothing, octetString, oid, sequence } from './der-writer.ts'
import { oids } from './oids.ts'
import type { RsaNumbers } from './rsa.ts'

const PUBLIC_EXPONENT = 65_537n

/** The numbers of an RSA private key (RFC 8017, 3.2), and itself as PKCS#8 (RFC 5958). */
export interface RsaKey extends RsaNumbers {
  readonly p: bigint
  readonly q: bigint
  readonly dp: bigint
  readonly dq: bigint
  readonly qInverse: bigint
  readonly pkcs8: Uint8Array
}

/** The RSA key of two primes in hex. */
export function rsaKeyOf(primes: readonly [p: string, q: string]): RsaKey {
  const [p, q] = [BigInt(`0x${primes[0]}`), BigInt(`0x${primes[1]}`)]
  const [n, e] = [p * q, PUBLIC_EXPONENT]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const [dp, dq, qInverse] = [d % (p - 1n), d % (q - 1n), inverse(q, p)]
  // RSAPrivateKey (RFC 8017, A.1.2).
  const key = sequence(...[0n, n, e, d, p, q, dp, dq, qInverse].map(integer))
  const pkcs8 = derOf(sequence(integer(0n), sequence(oid(oids.rsaEncryption), nothing()), octetString(key)))
  return { n, e, p, q, dp, dq, qInverse, pkcs8 }
}

/** The inverse of a number that has one, by Euclid's extended algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, value % modulus]
  let [factor, nextFactor] = [0n, 1n]
  while (next !== 0n) {
    const quotient = rest / next
    ;[rest, next] = [next, rest - quotient * next]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
  }
  return ((factor % modulus) + modulus) % modulus
}
