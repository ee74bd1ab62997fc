import { bytesToNumberBE, equalBytes } from '@noble/curves/utils.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { toBinary } from './bytes.ts'
import * as asn1 from './der.ts'
import { formatIp } from './ip.ts'
import { type Algorithm, type PublicKey, readAlgorithm, readPublicKey } from './keys.ts'
import { getAttribute, type Name, readName } from './name.ts'
import { extendedKeyUsageOids, keyUsageBits, nameTags, oids } from './oids.ts'
import type { CertificateFields } from './order.ts'

const VERSION = 0xa0
const EXTENSIONS = 0xa3
/** The tags of the members that may follow the key, in order: the unique identifiers of the issuer and subject, and the extensions. */
const TAGS_AFTER_KEY = [0x81, 0x82, EXTENSIONS]
const EXTENSION_LIST = 'list of extensions'

/** An X.509 certificate. Its byte sequences are views of the original DER. */
export interface Certificate {
  /** The signed part, exactly as received. */
  readonly tbs: Uint8Array
  readonly signatureAlgorithm: Algorithm
  readonly signature: Uint8Array
  readonly issuer: Name
  readonly subject: Name
  readonly publicKey: PublicKey
  /** True if its basic constraints mark it as a CA certificate (RFC 5280, 4.2.1.9). */
  readonly isAuthority: boolean
  readonly fields: CertificateFields
}

/**
 * Reads an X.509 certificate (RFC 5280, 4.1), without checking signatures, validity, or purposes. If an attribute occurs more than once,
 * the first value is used.
 *
 * @throws Unreadable if it is malformed, or its key is not RSA, ECDSA (P-256, P-384, P-521), or Ed25519
 */
export function readCertificate(der: Uint8Array): Certificate {
  const [tbs, algorithm, signature, ...rest] = asn1.sliceElements(der, 'outer structure')
  if (!tbs || !algorithm || !signature || rest.length > 0) throw asn1.malformedError('outer structure')
  const parts = readParts(tbs)
  if (!equalBytes(parts.algorithm, algorithm)) throw new asn1.Unreadable('it names two different signature algorithms')
  const [notBefore, notAfter] = asn1.readChildren(asn1.parse(parts.validity), 'validity')
  const issuer = readName(parts.issuer, 'issuer')
  const subject = readName(parts.subject, 'subject')
  const publicKey = readPublicKey(parts.publicKey)
  const extensions = readExtensions(parts.extensions, parts.version)
  return {
    tbs,
    signatureAlgorithm: readAlgorithm(asn1.parse(algorithm), 'signature algorithm'),
    signature: asn1.readWholeBits(asn1.parse(signature), 'signature'),
    issuer,
    subject,
    publicKey,
    isAuthority: readIsAuthority(extensions.get(oids.basicConstraints)),
    fields: {
      subject_common_name: getAttribute(subject, 'CN'),
      subject_alternative_names: readAlternativeNames(extensions.get(oids.subjectAlternativeName)),
      not_before: readTime(notBefore, 'not-before'),
      not_after: readTime(notAfter, 'not-after'),
      key_usages: readKeyUsages(extensions.get(oids.keyUsage)),
      extended_key_usages: readExtendedKeyUsages(extensions.get(oids.extendedKeyUsage)),
      private_key_type: publicKey.kind,
      issuer_common_name: getAttribute(issuer, 'CN'),
      serial_number: readSerial(parts.serial),
      subject_organization: getAttribute(subject, 'O'),
      subject_organizational_unit: getAttribute(subject, 'OU'),
      subject_locality: getAttribute(subject, 'L'),
      subject_province: getAttribute(subject, 'ST'),
      subject_country: getAttribute(subject, 'C'),
    },
  }
}

/** Returns the exact bytes of each member of a TBSCertificate. */
function readParts(tbs: Uint8Array) {
  const members = asn1.sliceElements(tbs, 'signed part')
  const version = members[0]?.[0] === VERSION ? readVersion(members.shift()) : 1
  const [serial, algorithm, issuer, validity, subject, publicKey, ...rest] = members
  if (!serial || !algorithm || !issuer || !validity || !subject || !publicKey) throw asn1.malformedError('signed part')
  const places = rest.map((member) => TAGS_AFTER_KEY.indexOf(member[0] ?? 0))
  if (places.some((place, index) => place <= (places[index - 1] ?? -1))) throw asn1.malformedError('signed part')
  const extensions = rest.find((member) => member[0] === EXTENSIONS)
  return { version, serial, algorithm, issuer, validity, subject, publicKey, extensions }
}

function readVersion(member: Uint8Array | undefined): number {
  const [number] = member ? asn1.readChildren(asn1.parse(member), 'version', VERSION) : []
  const version = asn1.readNatural(number, 'version') + 1n
  if (version > 3n) throw new asn1.Unreadable('its version is not 1, 2 or 3')
  return Number(version)
}

function readSerial(member: Uint8Array): string {
  const bytes = asn1.readIntegerBytes(asn1.parse(member), 'serial number')
  if ((bytes[0] ?? 0) < 0x80) return bytesToHex(bytes.length > 1 && bytes[0] === 0 ? bytes.subarray(1) : bytes)
  const hex = ((1n << BigInt(bytes.length * 8)) - bytesToNumberBE(bytes)).toString(16)
  return `-${hex.length % 2 === 0 ? hex : `0${hex}`}`
}

/**
 * Reads a validity time as milliseconds since the Unix epoch. RFC 5280, 4.1.2.5: UTCTime (1950 to 2049) or GeneralizedTime, to the second and in UTC
 * ("Z"). Does not use forge because it accepts any string as a time.
 */
function readTime(element: asn1.Asn1 | undefined, what: string): number {
  const tag = element && asn1.getTag(element)
  if (tag !== asn1.tags.utcTime && tag !== asn1.tags.generalizedTime) throw invalidTime(what)
  const text = toBinary(asn1.readContent(element, what, tag))
  const fullYear = tag === asn1.tags.utcTime ? (text < '50' ? `20${text}` : `19${text}`) : text
  if (!/^\d{14}Z$/.test(fullYear)) throw invalidTime(what)
  const iso = fullYear.replace(/(....)(..)(..)(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6.000Z')
  const date = new Date(iso)
  // `Date` reads a nonexistent time, such as 30 February or 24:00, as another time.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== iso) throw invalidTime(what)
  return date.getTime()
}

function invalidTime(what: string): asn1.Unreadable {
  return new asn1.Unreadable(`its ${what} time is not a valid UTC time in the form of RFC 5280`)
}

/** Returns the value of each extension (RFC 5280, 4.2), by identifier. */
function readExtensions(member: Uint8Array | undefined, version: number): ReadonlyMap<string, Uint8Array> {
  const values = new Map<string, Uint8Array>()
  if (!member) return values
  if (version < 3) throw new asn1.Unreadable(`it has extensions, which version ${version} does not allow`)
  const [list] = asn1.readChildren(asn1.parse(member), EXTENSION_LIST, EXTENSIONS)
  for (const extension of asn1.readChildren(list, EXTENSION_LIST)) {
    const parts = asn1.readChildren(extension, EXTENSION_LIST)
    const oid = asn1.readOid(parts[0], EXTENSION_LIST)
    if (values.has(oid)) throw new asn1.Unreadable(`it has the extension ${oid} twice`)
    const hasCritical = parts[1] && asn1.getTag(parts[1]) === asn1.tags.boolean
    values.set(oid, asn1.readContent(parts[hasCritical ? 2 : 1], `extension ${oid}`, asn1.tags.octetString))
  }
  return values
}

/** Reads the DNS names and IP addresses, and omits other forms, such as email addresses and URIs. */
function readAlternativeNames(der: Uint8Array | undefined) {
  const dns_names: string[] = []
  const ips: string[] = []
  const what = 'subject alternative name'
  for (const name of der ? asn1.readChildren(asn1.parse(der), what) : []) {
    const tag = asn1.getTag(name)
    if (tag === nameTags.mail || tag === nameTags.uri) readAscii(asn1.readContent(name, what, tag))
    if (tag === nameTags.dns) dns_names.push(readAscii(asn1.readContent(name, what, tag)))
    if (tag === nameTags.ip) ips.push(readIp(asn1.readContent(name, what, tag)))
  }
  return { dns_names, ips }
}

/** Reads an IA5String. It contains an internationalized name as A-labels (RFC 5280, 7.2 and 7.4). */
function readAscii(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 0x80)) return toBinary(bytes)
  throw new asn1.Unreadable(
    'a name among its subject alternative names is not ASCII; internationalized names must be written as A-labels, such as xn--bcher-kva.example',
  )
}

function readIp(bytes: Uint8Array): string {
  const text = formatIp(bytes)
  if (text === undefined) throw new asn1.Unreadable('an IP address among its subject alternative names is malformed')
  return text
}

/** Reads the `cA` flag of basic constraints. A missing flag is false. */
function readIsAuthority(der: Uint8Array | undefined): boolean {
  const what = 'basic constraints'
  const [first] = der ? asn1.readChildren(asn1.parse(der), what) : []
  if (!first || asn1.getTag(first) !== asn1.tags.boolean) return false
  return asn1.readContent(first, what, asn1.tags.boolean)[0] !== 0
}

/** Reads the key usages, in bit order. */
function readKeyUsages(der: Uint8Array | undefined): string[] {
  if (!der) return []
  const [unused, ...bytes] = asn1.readContent(asn1.parse(der), 'key usage', asn1.tags.bitString)
  if (unused === undefined || unused > 7) throw asn1.malformedError('key usage')
  return keyUsageBits.filter((_, bit) => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0)
}

/** Reads the extended key usages, in the certificate's order. Unknown usages are returned as dotted identifiers. */
function readExtendedKeyUsages(der: Uint8Array | undefined): string[] {
  const what = 'extended key usage'
  const usages = der ? asn1.readChildren(asn1.parse(der), what).map((usage) => asn1.readOid(usage, what)) : []
  const names = Object.entries(extendedKeyUsageOids)
  return usages.map((usage) => names.find(([, oid]) => oid === usage)?.[0] ?? usage)
}
