import type { Time } from '../core/engine/manual-clock.ts'
import { requireObject } from '../core/schema/arguments.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import type { Draw } from '../core/schema/values.ts'
import type { PairOptions } from '../generated/options.ts'
import { encode, integer, nullValue, octetString, oid, sequence } from '../service/x509/der-writer.ts'
import { writePem } from '../service/x509/pem.ts'
import { createMaterial, createPairKey, type Material } from './certificates-chain.ts'
import { readMoment, readPairOptions } from './certificates-options.ts'

export type { PairOptions, PairSubject } from '../generated/options.ts'
export type { KeyType } from './certificates-options.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY
/** The number of bytes missing from the end of a truncated certificate. */
const CUT_BYTES = 16
/** The size in bytes of an AES block, an initialization vector, and a salt. */
const BLOCK_SIZE = 16
/** The identifiers of an encrypted key (RFC 8018, A and B; NIST). */
const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'
const HMAC_WITH_SHA256 = '1.2.840.113549.2.9'
const AES_256_CBC = '2.16.840.1.101.3.4.1.42'

/** A certificate chain and its private key, in the form that `POST /tls_certificates` accepts. */
export interface Pair {
  /** The leaf, followed by the CA certificates. */
  readonly certificate_pem: string
  /** PKCS#8. */
  readonly private_key_pem: string
}

/** The options for a pair that is not valid at a given moment. */
export interface PairAroundOptions extends Omit<PairOptions, 'notBefore' | 'notAfter'> {
  /** The moment, usually the gateway's time. Default: the start of 2026. */
  readonly at?: Time
}

/**
 * Creates a certificate chain and its private key for a test. The key is not secret: it is derived from the seed.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { certificatePair } from 'fauxgate/testing'
 * const gateway = createNgrok()
 * const pair = certificatePair({ names: ['shop.example.com', '*.shop.example.com'], keyType: 'rsa', issuers: 2 })
 * console.log(gateway.tlsCertificates.create(pair).subject_common_name) // shop.example.com
 * ```
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function certificatePair(options?: PairOptions): Pair {
  return pairOf(createMaterial(readPairOptions(options)))
}

/**
 * Creates a pair that was valid for a year and expired a day before `at`. The API accepts it.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function expiredPair(options: PairAroundOptions = {}): Pair {
  const { at, rest } = readMomentOption(options)
  return certificatePair({ ...rest, notBefore: at - DAY - YEAR, notAfter: at - DAY })
}

/**
 * Creates a pair that is valid for a year, starting a day after `at`. The API accepts it.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function notYetValidPair(options: PairAroundOptions = {}): Pair {
  const { at, rest } = readMomentOption(options)
  return certificatePair({ ...rest, notBefore: at + DAY, notAfter: at + DAY + YEAR })
}

/**
 * Creates a pair whose certificate and key are swapped. The API rejects the pair with `certificate_is_key`.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function swappedPair(options?: PairOptions): Pair {
  const { certificate_pem, private_key_pem } = certificatePair(options)
  return { certificate_pem: private_key_pem, private_key_pem: certificate_pem }
}

/**
 * Creates a pair whose key has the certificate's type but does not match it. The API rejects the pair with `certificate_key_mismatch`.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function mismatchedPair(options?: PairOptions): Pair {
  const read = readPairOptions(options)
  const { chain, random } = createMaterial(read)
  return pairOf({ chain, key: createPairKey(read.keyType, random('other key'), 'other') })
}

/**
 * Creates a pair whose key is encrypted (`ENCRYPTED PRIVATE KEY`). The API rejects the pair with `key_encrypted`. No passphrase decrypts
 * it: the encrypted part is random.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function encryptedKeyPair(options?: PairOptions): Pair {
  const material = createMaterial(readPairOptions(options))
  const der = encryptedKey(material.key.pkcs8.length, material.random('encrypted key'))
  return { ...pairOf(material), private_key_pem: writePem('ENCRYPTED PRIVATE KEY', der) }
}

/**
 * Creates a pair whose leaf certificate is well-formed PEM around truncated DER. The API rejects the pair with `certificate_unparsable`.
 *
 * @throws TypeError like {@link certificatePair}.
 */
export function damagedPair(options?: PairOptions): Pair {
  const { chain, key } = createMaterial(readPairOptions(options))
  const [leaf, ...issuers] = chain
  return pairOf({ chain: [leaf.subarray(0, -CUT_BYTES), ...issuers], key })
}

/**
 * Creates a pair whose chain is in the wrong order, root first and leaf last. The API rejects the pair with `chain_out_of_order`.
 *
 * @param options `issuers` must be at least 1 (the default).
 * @throws TypeError like {@link certificatePair}.
 */
export function wrongOrderPair(options?: PairOptions): Pair {
  const { chain, key } = createMaterial(readPairOptions(options, 1))
  const [leaf, ...issuers] = chain
  const [root = leaf, ...others] = issuers.reverse()
  return pairOf({ chain: [root, ...others, leaf], key })
}

function pairOf({ chain, key }: Pick<Material, 'chain' | 'key'>): Pair {
  const certificate_pem = chain.map((der) => writePem('CERTIFICATE', der)).join('')
  return { certificate_pem, private_key_pem: writePem('PRIVATE KEY', key.pkcs8) }
}

/** Reads the moment for a pair, and returns the other options. */
function readMomentOption(options: PairAroundOptions) {
  requireObject('options', options)
  const { at, ...rest } = options
  for (const name of ['notBefore', 'notAfter']) {
    if (name in rest) throw atCaller(new TypeError(`"${name}" is not an option here. It is derived from "at".`))
  }
  return { at: readMoment('at', at, DAY + YEAR), rest }
}

/** Creates an EncryptedPrivateKeyInfo (RFC 5958, 3) with PBES2 (RFC 8018, A.4), like openssl, for a key of `size` bytes. */
function encryptedKey(size: number, random: ReturnType<Draw>): Uint8Array {
  const derivation = sequence(
    octetString(random(BLOCK_SIZE)),
    integer(2048n),
    sequence(oid(HMAC_WITH_SHA256), nullValue()),
  )
  const parameters = sequence(
    sequence(oid(PBKDF2), derivation),
    sequence(oid(AES_256_CBC), octetString(random(BLOCK_SIZE))),
  )
  const content = random((Math.floor(size / BLOCK_SIZE) + 1) * BLOCK_SIZE)
  return encode(sequence(sequence(oid(PBES2), parameters), octetString(content)))
}
