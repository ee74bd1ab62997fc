import { curves } from './curves.ts'
import { bitString, element, integer, oid, sequence, setOf, time, utf8String } from './der-writer.ts'
import { authorityKeyIdentifier, subjectKeyIdentifier } from './extension-writer.ts'
import type { CertifiedKey, SigningKey } from './key-writer.ts'

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const ATTRIBUTES = { O: '2.5.4.10', CN: '2.5.4.3' } as const
/** The tags of a TBSCertificate's version and extensions (RFC 5280, 4.1). */
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** The last second that a certificate can name. It also stands for "no end" (RFC 5280, 4.1.2.5). */
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** What a certificate says of its subject. Times are in ms since 1970, in whole seconds. */
export interface Content {
  readonly serial: bigint
  /** The subject's Name, DER. */
  readonly subject: Uint8Array
  readonly key: CertifiedKey
  readonly not_before: number
  readonly not_after: number
  /** All but the key identifiers, which follow from the keys. */
  readonly extensions: readonly Uint8Array[]
}

/** Who signs a certificate. */
export interface Issuer {
  /** Its Name, DER. */
  readonly name: Uint8Array
  readonly key: SigningKey
}

/** Makes a version 3 certificate, DER (RFC 5280, 4.1), signed with ECDSA and SHA-256. The same input gives the same bytes. */
export function certificate(content: Content, issuer: Issuer): Uint8Array {
  const signed = signedPart(content, issuer)
  const signature = curves['P-256'].arithmetic.sign(signed, issuer.key.secret, { prehash: true, format: 'der' })
  return sequence(signed, signatureAlgorithm(), bitString(signature))
}

function signedPart({ serial, subject, key, not_before, not_after, extensions }: Content, issuer: Issuer): Uint8Array {
  const identifiers = [subjectKeyIdentifier(key.id), authorityKeyIdentifier(issuer.key.id)]
  return sequence(
    element(VERSION, integer(2n)),
    integer(serial),
    signatureAlgorithm(),
    issuer.name,
    sequence(time(not_before), time(not_after)),
    subject,
    key.info,
    element(EXTENSIONS, sequence(...extensions, ...identifiers)),
  )
}

/** RFC 5758, 3.2: without parameters. */
function signatureAlgorithm(): Uint8Array {
  return sequence(oid(ECDSA_WITH_SHA256))
}

/** A Name, DER (RFC 5280, 4.1.2.4), of some attributes; of none, the empty name. */
export function nameOf(...attributes: readonly (readonly [type: 'O' | 'CN', value: string])[]): Uint8Array {
  return sequence(...attributes.map(([type, value]) => setOf(sequence(oid(ATTRIBUTES[type]), utf8String(value)))))
}
