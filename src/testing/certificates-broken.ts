import type { Draw } from '../schema/values.ts'
import { derOf, integer, nothing, octetString, oid, sequence } from '../x509/der-writer.ts'
import { oids } from '../x509/oids.ts'
import { writePem } from '../x509/pem.ts'
import { goodPair, type Pair, pairOf } from './certificates.ts'
import { materialOf } from './certificates-chain.ts'
import { pairKey } from './certificates-keys.ts'
import { type PairOptions, readPairOptions } from './certificates-options.ts'

/** How many bytes at its end a damaged certificate lacks. */
const CUT = 16
/** Bytes of a block of AES, of its initialization vector and of the salt. */
const BLOCK = 16

/**
 * Makes a pair whose two texts stand in each other's place: `certificate_is_key`, then `key_is_certificate`.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function swappedPair(options?: PairOptions): Pair {
  const { certificate_pem, private_key_pem } = goodPair(swappedPair, options)
  return { certificate_pem: private_key_pem, private_key_pem: certificate_pem }
}

/**
 * Makes a pair whose key is of the same kind as the certificate's, but another one: `certificate_key_mismatch`.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function mismatchedPair(options?: PairOptions): Pair {
  const plan = readPairOptions(mismatchedPair, options)
  const { chain, random } = materialOf(plan)
  return pairOf({ chain, key: pairKey(plan.keyType, random('other key'), 'other') })
}

/**
 * Makes a pair whose key is encrypted (`ENCRYPTED PRIVATE KEY`): `key_encrypted`. No passphrase opens it: the encrypted
 * part is random.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function encryptedKeyPair(options?: PairOptions): Pair {
  const material = materialOf(readPairOptions(encryptedKeyPair, options))
  const der = encryptedKey(material.key.pkcs8.length, material.random('encrypted key'))
  return { ...pairOf(material), private_key_pem: writePem('ENCRYPTED PRIVATE KEY', der) }
}

/**
 * Makes a pair whose leaf certificate is well-formed PEM around DER that ends too early: `certificate_unparsable`.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function damagedPair(options?: PairOptions): Pair {
  const { chain, key } = materialOf(readPairOptions(damagedPair, options))
  const [leaf, ...issuers] = chain
  return pairOf({ chain: [leaf.subarray(0, -CUT), ...issuers], key })
}

/**
 * Makes a pair whose chain stands in the wrong order, the root first and the leaf last: `chain_out_of_order`.
 *
 * @param options `issuers` is 1 (the default) or more.
 * @throws TypeError as {@link certificatePair}.
 */
export function wrongOrderPair(options?: PairOptions): Pair {
  const { chain, key } = materialOf(readPairOptions(wrongOrderPair, options, 1))
  const [leaf, ...issuers] = chain
  const [root = leaf, ...others] = issuers.reverse()
  return pairOf({ chain: [root, ...others, leaf], key })
}

/** EncryptedPrivateKeyInfo (RFC 5958, 3) with PBES2 (RFC 8018, A.4), as openssl writes it, for a key of `size` bytes. */
function encryptedKey(size: number, random: ReturnType<Draw>): Uint8Array {
  const derivation = sequence(octetString(random(BLOCK)), integer(2048n), sequence(oid(oids.hmacWithSha256), nothing()))
  const parameters = sequence(
    sequence(oid(oids.pbkdf2), derivation),
    sequence(oid(oids.aes256Cbc), octetString(random(BLOCK))),
  )
  const content = random((Math.floor(size / BLOCK) + 1) * BLOCK)
  return derOf(sequence(sequence(oid(oids.pbes2), parameters), octetString(content)))
}
