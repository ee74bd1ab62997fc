import { binaryOf } from './bytes.ts'
import type { AlternativeNames, CertificateFields } from './certificate-fields.ts'
import { type Asn1, childrenOf, contentOf, malformed, oidOf, parse, tagOf, tags, Unreadable } from './der.ts'
import { extendedKeyUsageOids, extensionOids, keyUsageBits, nameTags } from './extension-names.ts'
import { ipText } from './ip.ts'

const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(extendedKeyUsageOids).map(([name, oid]) => [oid, name]),
)

/**
 * The fields of a certificate that come from its extensions. Alternative names without a DNS or IP form (mail addresses,
 * URIs) are left out; key usages are in the order of the bits, extended ones in the certificate's, unknown ones as dotted
 * identifiers.
 */
export type ExtensionFields = Pick<
  CertificateFields,
  'subject_alternative_names' | 'key_usages' | 'extended_key_usages'
>

/**
 * Reads a certificate's extensions (RFC 5280, 4.2). Those that no field shows are passed over.
 *
 * @throws Unreadable where they are malformed or one occurs twice
 */
export function readExtensions(extensions: Asn1 | undefined): ExtensionFields {
  const values = extensions ? valuesOf(extensions) : new Map<string, Uint8Array>()
  return {
    subject_alternative_names: alternativeNames(values.get(extensionOids.subjectAlternativeName)),
    key_usages: keyUsages(values.get(extensionOids.keyUsage)),
    extended_key_usages: extendedKeyUsages(values.get(extensionOids.extendedKeyUsage)),
  }
}

function valuesOf(extensions: Asn1): Map<string, Uint8Array> {
  const values = new Map<string, Uint8Array>()
  for (const extension of childrenOf(extensions, 'list of extensions')) {
    const parts = childrenOf(extension, 'list of extensions')
    const oid = oidOf(parts[0], 'list of extensions')
    if (values.has(oid)) throw new Unreadable(`it has the extension ${oid} twice`)
    const critical = parts[1] && tagOf(parts[1]) === tags.boolean
    values.set(oid, contentOf(parts[critical ? 2 : 1], `extension ${oid}`, tags.octetString))
  }
  return values
}

function alternativeNames(der: Uint8Array | undefined): AlternativeNames {
  const dns_names: string[] = []
  const ips: string[] = []
  const what = 'subject alternative name'
  for (const name of der ? childrenOf(parse(der), what) : []) {
    const tag = tagOf(name)
    if (tag === nameTags.dns) dns_names.push(binaryOf(contentOf(name, what, tag)))
    if (tag === nameTags.ip) ips.push(ipOf(contentOf(name, what, tag)))
  }
  return { dns_names, ips }
}

function ipOf(bytes: Uint8Array): string {
  const text = ipText(bytes)
  if (text === undefined) throw new Unreadable('an IP address among its subject alternative names is malformed')
  return text
}

function keyUsages(der: Uint8Array | undefined): string[] {
  if (!der) return []
  const [unused, ...bytes] = contentOf(parse(der), 'key usage', tags.bitString)
  if (unused === undefined || unused > 7) throw malformed('key usage')
  return keyUsageBits.filter((_, bit) => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0)
}

function extendedKeyUsages(der: Uint8Array | undefined): string[] {
  if (!der) return []
  const usages = childrenOf(parse(der), 'extended key usage').map((usage) => oidOf(usage, 'extended key usage'))
  return usages.map((oid) => EXTENDED_KEY_USAGES[oid] ?? oid)
}
