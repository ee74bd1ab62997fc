/** The extensions that are read or written, by identifier (RFC 5280, 4.2.1). */
export const extensionOids = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

/** The tags of the names in a subject alternative name (RFC 5280, 4.2.1.6). */
export const nameTags = { dns: 0x82, ip: 0x87 } as const

/** The key usages in the order of their bits (RFC 5280, 4.2.1.3). */
export const keyUsageBits = [
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

/** A key usage by its name in RFC 5280. */
export type KeyUsage = (typeof keyUsageBits)[number]

/** The identifiers of the extended key usages with a name (RFC 5280, 4.2.1.12). */
export const extendedKeyUsageOids = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
  anyExtendedKeyUsage: '2.5.29.37.0',
} as const

/** An extended key usage by its name in RFC 5280. */
export type ExtendedKeyUsage = keyof typeof extendedKeyUsageOids
