import { numberOf } from './bytes.ts'
import type { Asn1 } from './der.ts'
import {
  bitString,
  derOf,
  element,
  integer,
  oid,
  printableString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der-writer.ts'
import { authorityKeyIdentifier, subjectKeyIdentifier } from './extension-writer.ts'
import type { CertifiedKey, Signatory } from './key-writer.ts'
import { attributeOids } from './oids.ts'

/** The tags of a TBSCertificate's version and extensions (RFC 5280, 4.1). */
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** What a certificate says of its subject. Times are in ms since 1970, in whole seconds. */
export interface Content {
  readonly serial: bigint
  /** The subject's Name. */
  readonly subject: Asn1
  readonly key: CertifiedKey
  readonly not_before: number
  readonly not_after: number
  /** All but the key identifiers, which follow from the keys. */
  readonly extensions: readonly Asn1[]
}

/** Who signs a certificate. */
export interface Issuer {
  /** Its Name. */
  readonly name: Asn1
  readonly key: Signatory
}

/** Makes a version 3 certificate, DER (RFC 5280, 4.1), signed by the issuer's key. The same input gives the same bytes. */
export function certificate(content: Content, issuer: Issuer): Uint8Array {
  const signed = signedPart(content, issuer)
  return derOf(sequence(signed, issuer.key.algorithm, bitString(issuer.key.sign(derOf(signed)))))
}

function signedPart({ serial, subject, key, not_before, not_after, extensions }: Content, issuer: Issuer): Asn1 {
  const identifiers = [subjectKeyIdentifier(key.id), authorityKeyIdentifier(issuer.key.id)]
  return sequence(
    element(VERSION, [integer(2n)]),
    integer(serial),
    issuer.key.algorithm,
    issuer.name,
    sequence(time(not_before), time(not_after)),
    subject,
    key.info,
    element(EXTENSIONS, [sequence(...extensions, ...identifiers)]),
  )
}

/** An attribute of a Name by its short name. */
export type Attribute = readonly [type: keyof typeof attributeOids, value: string]

/** A Name (RFC 5280, 4.1.2.4) of some attributes; of none, the empty name. A country is two letters. */
export function nameOf(...attributes: readonly Attribute[]): Asn1 {
  return sequence(
    ...attributes.map(([type, value]) => {
      // The country's text has a type of its own (RFC 5280, A.1, X520countryName).
      const text = type === 'C' ? printableString(value) : utf8String(value)
      return setOf(sequence(oid(attributeOids[type]), text))
    }),
  )
}

/** A serial number of exactly as many bytes as given, positive and without a leading 0 (RFC 5280, 4.1.2.2). */
export function serialFrom(random: Uint8Array): bigint {
  return numberOf(random.with(0, ((random[0] ?? 0) & 0x3f) | 0x40))
}
