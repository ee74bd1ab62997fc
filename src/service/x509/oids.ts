/** Object identifiers that several files use, named as in the documents that define them. */
export const oids = {
  // Keys (RFC 3279, 2.3; RFC 4055; RFC 5480; RFC 8410).
  rsaEncryption: '1.2.840.113549.1.1.1',
  rsassaPss: '1.2.840.113549.1.1.10',
  ecPublicKey: '1.2.840.10045.2.1',
  p256: '1.2.840.10045.3.1.7',
  ed25519: '1.3.101.112',
  // Signatures (RFC 8017, A.2.4; RFC 5758, 3).
  sha256WithRsa: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  // Extensions (RFC 5280, 4.2.1).
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

/** Name attributes, by short name (RFC 4519, and RFC 2985 for E). */
export const attributeOids = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  C: '2.5.4.6',
  street: '2.5.4.9',
  postalCode: '2.5.4.17',
  E: '1.2.840.113549.1.9.1',
} as const

/** The tags of the names in a subject alternative name (RFC 5280, 4.2.1.6). */
export const nameTags = { mail: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/** The key usages, in bit order (RFC 5280, 4.2.1.3). */
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

export type KeyUsage = (typeof keyUsageBits)[number]

/** The identifiers of the named extended key usages (RFC 5280, 4.2.1.12). */
export const extendedKeyUsageOids = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
  anyExtendedKeyUsage: '2.5.29.37.0',
} as const

export type ExtendedKeyUsage = keyof typeof extendedKeyUsageOids
