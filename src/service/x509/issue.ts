import { bytesToNumberBE } from '@noble/curves/utils.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { utf8Bytes } from '../../core/schema/platform.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import { curves } from './curves.ts'
import { type Asn1, tags } from './der.ts'
import * as der from './der-writer.ts'
import { hashes } from './hashes.ts'
import {
  attributeOids,
  type ExtendedKeyUsage,
  extendedKeyUsageOids,
  type KeyUsage,
  keyUsageBits,
  nameTags,
  oids,
} from './oids.ts'
import { rsaNumbers, signPkcs1 } from './rsa.ts'

/** The tags of a TBSCertificate's version and extensions (RFC 5280, 4.1). */
const VERSION = 0xa0
const EXTENSIONS = 0xa3
/** The tag of the key identifier in an authority key identifier (RFC 5280, 4.2.1.1). */
const KEY_IDENTIFIER = 0x80
/** The tag of the public key in an ECPrivateKey (RFC 5915). */
const EC_PUBLIC_KEY = 0xa1
/** The number of random bytes that are reduced to a secret within the curve's range. */
const SECRET_SIZE = 48
/** The length of a serial number in bytes. */
const SERIAL_SIZE = 16

/** A public key in the form used in certificates. */
export interface CertifiedKey {
  /** SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
  readonly info: Asn1
  /** The key's identifier: the SHA-1 hash of the public key's bits (RFC 5280, 4.2.1.2, method 1). */
  readonly id: Uint8Array
}

/** A key pair of a certificate authority or a leaf. The same message always produces the same signature. */
export interface KeyPair extends CertifiedKey {
  /** The private key as DER (RFC 5958). */
  readonly pkcs8: Uint8Array
  /** The AlgorithmIdentifier of its signatures. */
  readonly algorithm: Asn1
  sign(message: Uint8Array): Uint8Array
}

/** The content of a certificate. Times are in epoch ms, in whole seconds. */
interface Content {
  readonly serial: bigint
  /** The subject's Name. */
  readonly subject: Asn1
  readonly key: CertifiedKey
  readonly not_before: number
  readonly not_after: number
  /** All extensions except the key identifiers, because these are derived from the keys. */
  readonly extensions: readonly Asn1[]
}

/** The signer of a certificate. */
interface Signatory {
  /** The signer's Name. */
  readonly name: Asn1
  readonly key: KeyPair
}

/** A CA with its own certificate. */
export interface Issuer extends Signatory {
  readonly der: Uint8Array
}

/** Creates a version 3 certificate as DER (RFC 5280, 4.1), signed with the issuer's key. The same input always produces the same bytes. */
function certificate(content: Content, issuer: Signatory): Uint8Array {
  const signed = signedPart(content, issuer)
  return der.encode(der.sequence(signed, issuer.key.algorithm, der.bitString(issuer.key.sign(der.encode(signed)))))
}

function signedPart({ serial, subject, key, not_before, not_after, extensions }: Content, issuer: Signatory): Asn1 {
  const identifiers = [
    extension(oids.subjectKeyIdentifier, der.octetString(key.id)),
    extension(oids.authorityKeyIdentifier, der.sequence(der.element(KEY_IDENTIFIER, issuer.key.id))),
  ]
  return der.sequence(
    der.element(VERSION, [der.integer(2n)]),
    der.integer(serial),
    issuer.key.algorithm,
    issuer.name,
    der.sequence(der.time(not_before), der.time(not_after)),
    subject,
    key.info,
    der.element(EXTENSIONS, [der.sequence(...extensions, ...identifiers)]),
  )
}

/** The usages of a leaf key. */
export function leafUsages(keyType: 'rsa' | 'ecdsa' | 'ed25519') {
  return keyType === 'rsa' ? (['digitalSignature', 'keyEncipherment'] as const) : (['digitalSignature'] as const)
}

export const LEAF_PURPOSES: readonly ExtendedKeyUsage[] = ['serverAuth', 'clientAuth']

interface Leaf extends Omit<Content, 'subject' | 'extensions'> {
  readonly subject: readonly Attribute[]
  readonly keyType: Parameters<typeof leafUsages>[0]
  /** DNS names in ASCII. */
  readonly names: readonly string[]
  /** IP addresses of 4 or 16 bytes each. */
  readonly ips: readonly Uint8Array[]
}

/** Issues a server or client certificate, as DER. */
export function leafCertificate({ subject, keyType, names, ips, ...content }: Leaf, issuer: Signatory): Uint8Array {
  const extensions = [
    basicConstraints('leaf'),
    keyUsage(leafUsages(keyType)),
    extendedKeyUsage(LEAF_PURPOSES),
    // Critical if there is no subject (RFC 5280, 4.2.1.6).
    alternativeNames(names, ips, subject.length === 0),
  ]
  return certificate({ ...content, subject: createName(...subject), extensions }, issuer)
}

/** Issues a client certificate as DER, with the subject and the key of a CSR. */
export function clientCertificate(
  { keyType, ...content }: Omit<Content, 'extensions'> & Pick<Leaf, 'keyType'>,
  issuer: Signatory,
): Uint8Array {
  const extensions = [basicConstraints('leaf'), keyUsage(leafUsages(keyType)), extendedKeyUsage(['clientAuth'])]
  return certificate({ ...content, extensions }, issuer)
}

/** Creates a CA that is valid at any time, signed by `issuer` or with its own key. */
export function createIssuer(role: 'root' | 'intermediate', commonName: string, key: KeyPair, issuer?: Issuer): Issuer {
  const name = createName(['O', 'fauxgate'], ['CN', commonName])
  const content = {
    // The serial number is derived from the key, so two authorities with the same name never reuse one for different certificates.
    serial: createSerial(key.id.subarray(0, SERIAL_SIZE)),
    subject: name,
    key,
    not_before: 0,
    // This time means "no end" (RFC 5280, 4.1.2.5).
    not_after: LATEST_TIME,
    extensions: [basicConstraints(role), keyUsage(['keyCertSign', 'cRLSign'])],
  }
  return { name, key, der: certificate(content, issuer ?? { name, key }) }
}

/** A Name attribute, by its short name. */
export type Attribute = readonly [type: keyof typeof attributeOids, value: string]

/** Creates a Name (RFC 5280, 4.1.2.4) from attributes. Without attributes, the name is empty. A country has two letters. */
export function createName(...attributes: readonly Attribute[]): Asn1 {
  const sets = attributes.map(([type, value]) => {
    // A country is a PrintableString (RFC 5280, A.1, X520countryName).
    const tag = type === 'C' ? tags.printableString : tags.utf8String
    return der.element(tags.set, [der.sequence(der.oid(attributeOids[type]), der.element(tag, utf8Bytes(value)))])
  })
  return der.sequence(...sets)
}

export function randomSerial(random: (size: number) => Uint8Array): bigint {
  return createSerial(random(SERIAL_SIZE))
}

/** Creates a positive serial number from random bytes, with the same length and without a leading 0 (RFC 5280, 4.1.2.2). */
function createSerial(random: Uint8Array): bigint {
  return bytesToNumberBE(random.with(0, ((random[0] ?? 0) & 0x3f) | 0x40))
}

// Extensions.

function extension(id: string, value: Asn1, isCritical = false): Asn1 {
  return der.sequence(der.oid(id), ...(isCritical ? [der.booleanTrue()] : []), der.octetString(value))
}

/** Creates a critical basic constraints extension (RFC 5280, 4.2.1.9). An intermediate can issue only leaves. */
export function basicConstraints(role: 'root' | 'intermediate' | 'leaf'): Asn1 {
  const members = { root: [der.booleanTrue()], intermediate: [der.booleanTrue(), der.integer(0n)], leaf: [] }[role]
  return extension(oids.basicConstraints, der.sequence(...members), true)
}

/** Creates a critical key usage extension (RFC 5280, 4.2.1.3) from usages whose bits are in the first byte. */
export function keyUsage(usages: readonly Exclude<KeyUsage, 'decipherOnly'>[]): Asn1 {
  const bits = usages.map((usage) => keyUsageBits.indexOf(usage))
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0)
  // DER ends a list of named bits with its last set bit (X.690, 11.2.2).
  return extension(oids.keyUsage, der.bitString(Uint8Array.of(byte), 7 - Math.max(...bits)), true)
}

/** Creates an extended key usage extension (RFC 5280, 4.2.1.12). */
export function extendedKeyUsage(usages: readonly ExtendedKeyUsage[]): Asn1 {
  return extension(oids.extendedKeyUsage, der.sequence(...usages.map((usage) => der.oid(extendedKeyUsageOids[usage]))))
}

/** Creates a subject alternative name extension with ASCII DNS names, followed by addresses of 4 or 16 bytes (RFC 5280, 4.2.1.6). */
export function alternativeNames(names: readonly string[], ips: readonly Uint8Array[], isCritical = false): Asn1 {
  const elements = [
    ...names.map((name) => der.element(nameTags.dns, name)),
    ...ips.map((ip) => der.element(nameTags.ip, ip)),
  ]
  return extension(oids.subjectAlternativeName, der.sequence(...elements), isCritical)
}

// Keys.

/** Creates a key's public part from its AlgorithmIdentifier and bits. */
export function certifiedKey(algorithm: Asn1, bits: Uint8Array): CertifiedKey {
  return { info: der.sequence(algorithm, der.bitString(bits)), id: sha1(bits) }
}

/** Creates a P-256 key pair from 48 random bytes: their value modulo the order - 1, plus 1 (FIPS 186-5, A.2.1). */
export function randomKey(random: (size: number) => Uint8Array): KeyPair {
  return ecdsaKey(curves['P-256'].arithmetic().utils.randomSecretKey(random(SECRET_SIZE)))
}

/**
 * Creates the P-256 key pair for a 32-byte secret from 1 to the curve's order - 1. It signs with ECDSA and SHA-256. Its PKCS#8 includes the
 * public key and names the curve once, as openssl does.
 */
export function ecdsaKey(secret: Uint8Array): KeyPair {
  const arithmetic = curves['P-256'].arithmetic()
  const point = arithmetic.getPublicKey(secret, false)
  const algorithm = der.sequence(der.oid(oids.ecPublicKey), der.oid(oids.p256))
  const key = der.sequence(der.integer(1n), der.octetString(secret), der.element(EC_PUBLIC_KEY, [der.bitString(point)]))
  return {
    ...certifiedKey(algorithm, point),
    pkcs8: der.encode(der.sequence(der.integer(0n), algorithm, der.octetString(key))),
    // RFC 5758, 3.2: without parameters.
    algorithm: der.sequence(der.oid(oids.ecdsaWithSha256)),
    sign: (message) => arithmetic.sign(message, secret, { prehash: true, format: 'der' }),
  }
}

/** Creates the RSA key pair for two primes in hex. It signs with PKCS#1 v1.5 and SHA-256. */
export function rsaKey(primes: readonly [p: string, q: string]): KeyPair {
  const numbers = rsaNumbers(primes)
  const { p, q, n, e, d, dP, dQ, qInv } = numbers
  const algorithm = der.sequence(der.oid(oids.rsaEncryption), der.nullValue())
  // RSAPrivateKey (RFC 8017, A.1.2).
  const key = der.sequence(...[0n, n, e, d, p, q, dP, dQ, qInv].map(der.integer))
  return {
    ...certifiedKey(algorithm, der.encode(der.sequence(der.integer(n), der.integer(e)))),
    pkcs8: der.encode(der.sequence(der.integer(0n), algorithm, der.octetString(key))),
    algorithm: der.sequence(der.oid(oids.sha256WithRsa), der.nullValue()),
    sign: (message) => signPkcs1(numbers, hashes.sha256, message),
  }
}
