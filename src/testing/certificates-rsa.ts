import { bytesOfNumber, hexOf } from '../x509/bytes.ts'
import { derOf, integer, nothing, octetString, oid, sequence } from '../x509/der-writer.ts'
import { hashes } from '../x509/hashes.ts'
import { type KeyPair, rsaPublicKey } from '../x509/key-writer.ts'
import { oids } from '../x509/oids.ts'
import { rsaTestPrimes } from './certificates-rsa-primes.ts'

const PUBLIC_EXPONENT = 65_537n
/** Bytes of a modulus and so of a signature. */
const SIZE = 256
/** Exponents are worked off in digits of this many bits. */
const WINDOW = 5

const made = new Map<keyof typeof rsaTestPrimes, KeyPair>()

/** One of the published RSA keys, put together at its first use. It signs with PKCS#1 v1.5 and SHA-256. */
export function rsaKey(which: keyof typeof rsaTestPrimes): KeyPair {
  const key = made.get(which) ?? fromPrimes(rsaTestPrimes[which])
  made.set(which, key)
  return key
}

function fromPrimes(primes: readonly [p: string, q: string]): KeyPair {
  const [p, q] = [BigInt(`0x${primes[0]}`), BigInt(`0x${primes[1]}`)]
  const [n, e] = [p * q, PUBLIC_EXPONENT]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const [dp, dq, qInverse] = [d % (p - 1n), d % (q - 1n), inverse(q, p)]
  // RSAPrivateKey (RFC 8017, A.1.2).
  const key = sequence(...[0n, n, e, d, p, q, dp, dq, qInverse].map(integer))
  return {
    ...rsaPublicKey({ n, e }),
    pkcs8: derOf(sequence(integer(0n), sequence(oid(oids.rsaEncryption), nothing()), octetString(key))),
    algorithm: sequence(oid(oids.sha256WithRsa), nothing()),
    // RFC 8017, 5.1.2: by the Chinese remainder theorem.
    sign(message) {
      const text = padded(message)
      const [byP, byQ] = [power(text % p, dp, p), power(text % q, dq, q)]
      const factor = ((((byP - byQ) % p) + p) * qInverse) % p
      return bytesOfNumber(byQ + q * factor, SIZE)
    },
  }
}

/** EMSA-PKCS1-v1_5 (RFC 8017, 9.2) with SHA-256, as a number. */
function padded(message: Uint8Array): bigint {
  const info = hashes.sha256.digestInfo + hexOf(hashes.sha256.digest(message))
  return BigInt(`0x01${'ff'.repeat(SIZE - 3 - info.length / 2)}00${info}`)
}

/** `base ** exponent % modulus`, the exponent's digits from the highest on. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n]
  for (let digit = 1; digit < 1 << WINDOW; digit++) powers.push(((powers[digit - 1] as bigint) * base) % modulus)
  let result = 1n
  for (const digit of exponent.toString(1 << WINDOW)) {
    for (let bit = 0; bit < WINDOW; bit++) result = (result * result) % modulus
    result = (result * (powers[Number.parseInt(digit, 1 << WINDOW)] as bigint)) % modulus
  }
  return result
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
