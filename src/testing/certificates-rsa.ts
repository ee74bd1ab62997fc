import { itemAt } from '../schema/values.ts'
import { bytesOfNumber, hexOf } from '../x509/bytes.ts'
import { nothing, oid, sequence } from '../x509/der-writer.ts'
import { hashes } from '../x509/hashes.ts'
import { type KeyPair, rsaPublicKey } from '../x509/key-writer.ts'
import { oids } from '../x509/oids.ts'
import { rsaKeyOf } from '../x509/rsa-key.ts'
import { rsaTestPrimes } from './certificates-rsa-primes.ts'

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
  const { n, e, p, q, dp, dq, qInverse, pkcs8 } = rsaKeyOf(primes)
  return {
    ...rsaPublicKey({ n, e }),
    pkcs8,
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
  for (let digit = 1; digit < 1 << WINDOW; digit++) powers.push((itemAt(powers, digit - 1) * base) % modulus)
  let result = 1n
  for (const digit of exponent.toString(1 << WINDOW)) {
    for (let bit = 0; bit < WINDOW; bit++) result = (result * result) % modulus
    result = (result * itemAt(powers, Number.parseInt(digit, 1 << WINDOW))) % modulus
  }
  return result
}
