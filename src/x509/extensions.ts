import { binaryOf } from './bytes.ts'
import { type Asn1, childrenOf, contentOf, malformed, oidOf, parse, tagOf, tags, Unreadable } from './der.ts'
import { ipText } from './ip.ts'

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17'
const KEY_USAGE = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'

const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

/** In the order of the bits (RFC 5280, 4.2.1.3). */
const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const

/** RFC 5280, 4.2.1.12. */
const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
  '2.5.29.37.0': 'anyExtendedKeyUsage',
}

/** The fields of a certificate that come from its extensions, under their wire names. */
export interface ExtensionFields {
  /** Names without a DNS or IP form (mail addresses, URIs) are left out. */
  readonly subject_alternative_names: { readonly dns_names: readonly string[]; readonly ips: readonly string[] }
  /** Names of RFC 5280, such as `digitalSignature`, in the order of the bits. */
  readonly key_usages: readonly string[]
  /** Names of RFC 5280, such as `serverAuth`, in the certificate's order; unknown ones as dotted identifiers. */
  readonly extended_key_usages: readonly string[]
}

/**
 * Reads a certificate's extensions (RFC 5280, 4.2). Those that no field shows are passed over.
 *
 * @throws Unreadable where they are malformed or one occurs twice
 */
export function readExtensions(extensions: Asn1 | undefined): ExtensionFields {
  const values = extensions ? valuesOf(extensions) : new Map<string, Uint8Array>()
  return {
    subject_alternative_names: alternativeNames(values.get(SUBJECT_ALTERNATIVE_NAME)),
    key_usages: keyUsages(values.get(KEY_USAGE)),
    extended_key_usages: extendedKeyUsages(values.get(EXTENDED_KEY_USAGE)),
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

function alternativeNames(der: Uint8Array | undefined): ExtensionFields['subject_alternative_names'] {
  const dns_names: string[] = []
  const ips: string[] = []
  const what = 'subject alternative name'
  for (const name of der ? childrenOf(parse(der), what) : []) {
    const tag = tagOf(name)
    if (tag === DNS_NAME) dns_names.push(binaryOf(contentOf(name, what, tag)))
    if (tag === IP_ADDRESS) ips.push(ipOf(contentOf(name, what, tag)))
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
  return KEY_USAGES.filter((_, bit) => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0)
}

function extendedKeyUsages(der: Uint8Array | undefined): string[] {
  if (!der) return []
  const usages = childrenOf(parse(der), 'extended key usage').map((usage) => oidOf(usage, 'extended key usage'))
  return usages.map((oid) => EXTENDED_KEY_USAGES[oid] ?? oid)
}
