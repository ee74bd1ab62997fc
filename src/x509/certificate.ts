import { hexOf, numberOf, sameBytes } from './bytes.ts'
import type { CertificateFields } from './certificate-fields.ts'
import { childrenOf, integerBytes, malformed, natural, parse, slices, Unreadable, wholeBits } from './der.ts'
import { type ExtensionFields, readExtensions } from './extensions.ts'
import { type Algorithm, readAlgorithm } from './key-algorithm.ts'
import { attributeOf, type Name, readName } from './name.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'
import { timeOf } from './time.ts'

const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** An X.509 certificate. Byte sequences are views of the DER it was read from. */
export interface Certificate {
  /** The signed part, exactly as received. */
  readonly tbs: Uint8Array
  readonly signatureAlgorithm: Algorithm
  readonly signature: Uint8Array
  readonly issuer: Name
  readonly subject: Name
  readonly publicKey: PublicKey
  readonly fields: CertificateFields
}

/**
 * Reads an X.509 certificate (RFC 5280, 4.1). Signatures, validity and purposes are not checked; an attribute that
 * occurs more than once counts with its first value.
 *
 * @throws Unreadable where it is malformed or its key is not RSA, ECDSA (P-256, P-384, P-521) or Ed25519
 */
export function readCertificate(der: Uint8Array): Certificate {
  const [tbs, algorithm, signature, ...rest] = slices(der, 'outer structure')
  if (!tbs || !algorithm || !signature || rest.length > 0) throw malformed('outer structure')
  const parts = partsOf(tbs)
  if (!sameBytes(parts.algorithm, algorithm)) throw new Unreadable('it names two different signature algorithms')
  const [notBefore, notAfter] = childrenOf(parse(parts.validity), 'validity')
  const issuer = readName(parts.issuer, 'issuer')
  const subject = readName(parts.subject, 'subject')
  const publicKey = readPublicKey(parts.publicKey)
  return {
    tbs,
    signatureAlgorithm: readAlgorithm(parse(algorithm), 'signature algorithm'),
    signature: wholeBits(parse(signature), 'signature'),
    issuer,
    subject,
    publicKey,
    fields: {
      subject_common_name: attributeOf(subject, 'CN'),
      not_before: timeOf(notBefore, 'not-before'),
      not_after: timeOf(notAfter, 'not-after'),
      private_key_type: publicKey.kind,
      issuer_common_name: attributeOf(issuer, 'CN'),
      serial_number: serialOf(parts.serial),
      subject_organization: attributeOf(subject, 'O'),
      subject_organizational_unit: attributeOf(subject, 'OU'),
      subject_locality: attributeOf(subject, 'L'),
      subject_province: attributeOf(subject, 'ST'),
      subject_country: attributeOf(subject, 'C'),
      ...extensionsOf(parts.extensions, parts.version),
    },
  }
}

/** The members of a TBSCertificate as their exact bytes. */
function partsOf(tbs: Uint8Array) {
  const members = slices(tbs, 'signed part')
  const version = members[0]?.[0] === VERSION ? versionOf(members.shift()) : 1
  const [serial, algorithm, issuer, validity, subject, publicKey, ...rest] = members
  if (!serial || !algorithm || !issuer || !validity || !subject || !publicKey) throw malformed('signed part')
  const extensions = rest.find((member) => member[0] === EXTENSIONS)
  return { version, serial, algorithm, issuer, validity, subject, publicKey, extensions }
}

function versionOf(member: Uint8Array | undefined): number {
  const [number] = member ? childrenOf(parse(member), 'version', VERSION) : []
  const version = natural(number, 'version') + 1n
  if (version > 3n) throw new Unreadable('its version is not 1, 2 or 3')
  return Number(version)
}

function extensionsOf(member: Uint8Array | undefined, version: number): ExtensionFields {
  if (!member) return readExtensions(undefined)
  if (version < 3) throw new Unreadable(`it has extensions, which its version ${version} does not allow`)
  const [list] = childrenOf(parse(member), 'list of extensions', EXTENSIONS)
  if (!list) throw malformed('list of extensions')
  return readExtensions(list)
}

function serialOf(member: Uint8Array): string {
  const bytes = integerBytes(parse(member), 'serial number')
  if ((bytes[0] ?? 0) >= 0x80) return `-${evenHex((1n << BigInt(bytes.length * 8)) - numberOf(bytes))}`
  return hexOf(bytes.length > 1 && bytes[0] === 0 ? bytes.subarray(1) : bytes)
}

function evenHex(value: bigint): string {
  const hex = value.toString(16)
  return hex.length % 2 === 0 ? hex : `0${hex}`
}
