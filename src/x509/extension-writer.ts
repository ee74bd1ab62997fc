import { bytesOf } from './bytes.ts'
import type { Asn1 } from './der.ts'
import { bitString, element, integer, isTrue, octetString, oid, sequence } from './der-writer.ts'
import {
  type ExtendedKeyUsage,
  extendedKeyUsageOids,
  extensionOids,
  type KeyUsage,
  keyUsageBits,
  nameTags,
} from './extension-names.ts'

/** The key identifier in an authority key identifier, and the one of a subject key's OCTET STRING. */
const KEY_IDENTIFIER = 0x80

/** Basic constraints, critical (RFC 5280, 4.2.1.9): a CA, if need be one with nothing but leaves below it, or a leaf. */
export function basicConstraints(role: 'root' | 'intermediate' | 'leaf'): Asn1 {
  const members = { root: [isTrue()], intermediate: [isTrue(), integer(0n)], leaf: [] }[role]
  return extension(extensionOids.basicConstraints, sequence(...members), true)
}

/** Key usage, critical (RFC 5280, 4.2.1.3), of usages within the first byte. */
export function keyUsage(usages: readonly Exclude<KeyUsage, 'decipherOnly'>[]): Asn1 {
  const bits = usages.map((usage) => keyUsageBits.indexOf(usage))
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0)
  // DER ends a list of named bits with its last set bit (X.690, 11.2.2).
  const value = bitString(Uint8Array.of(byte), 7 - Math.max(...bits))
  return extension(extensionOids.keyUsage, value, true)
}

/** Extended key usage (RFC 5280, 4.2.1.12). */
export function extendedKeyUsage(usages: readonly ExtendedKeyUsage[]): Asn1 {
  const value = sequence(...usages.map((usage) => oid(extendedKeyUsageOids[usage])))
  return extension(extensionOids.extendedKeyUsage, value)
}

/** Subject key identifier (RFC 5280, 4.2.1.2). */
export function subjectKeyIdentifier(id: Uint8Array): Asn1 {
  return extension(extensionOids.subjectKeyIdentifier, octetString(id))
}

/** Authority key identifier (RFC 5280, 4.2.1.1). */
export function authorityKeyIdentifier(id: Uint8Array): Asn1 {
  return extension(extensionOids.authorityKeyIdentifier, sequence(element(KEY_IDENTIFIER, id)))
}

/** Subject alternative name with one DNS name in ASCII (RFC 5280, 4.2.1.6): critical where there is no subject. */
export function dnsName(name: string, critical: boolean): Asn1 {
  return alternativeNames([name], [], critical)
}

/** Subject alternative name with DNS names in ASCII, then addresses of 4 or 16 bytes (RFC 5280, 4.2.1.6). */
export function alternativeNames(names: readonly string[], ips: readonly Uint8Array[], critical = false): Asn1 {
  const elements = [
    ...names.map((name) => element(nameTags.dns, bytesOf(name))),
    ...ips.map((ip) => element(nameTags.ip, ip)),
  ]
  return extension(extensionOids.subjectAlternativeName, sequence(...elements), critical)
}

function extension(id: string, value: Asn1, critical = false): Asn1 {
  return sequence(oid(id), ...(critical ? [isTrue()] : []), octetString(value))
}
