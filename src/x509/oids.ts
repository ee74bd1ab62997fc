/** Object identifiers, each written once, by their names in the documents that define them. */
export const oids = {
  // Keys (RFC 3279, 2.3; RFC 4055; RFC 8410).
  rsaEncryption: '1.2.840.113549.1.1.1',
  rsassaPss: '1.2.840.113549.1.1.10',
  dsa: '1.2.840.10040.4.1',
  ecPublicKey: '1.2.840.10045.2.1',
  x25519: '1.3.101.110',
  x448: '1.3.101.111',
  ed25519: '1.3.101.112',
  ed448: '1.3.101.113',
  // Curves (RFC 5480, 2.1.1.1; SEC 2).
  p192: '1.2.840.10045.3.1.1',
  p224: '1.3.132.0.33',
  p256: '1.2.840.10045.3.1.7',
  p384: '1.3.132.0.34',
  p521: '1.3.132.0.35',
  secp256k1: '1.3.132.0.10',
  // Hash functions (RFC 8017, B.1).
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
  // Signatures (RFC 8017, A.2.4; RFC 5758, 3).
  mgf1: '1.2.840.113549.1.1.8',
  sha1WithRsa: '1.2.840.113549.1.1.5',
  sha224WithRsa: '1.2.840.113549.1.1.14',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  sha384WithRsa: '1.2.840.113549.1.1.12',
  sha512WithRsa: '1.2.840.113549.1.1.13',
  ecdsaWithSha1: '1.2.840.10045.4.1',
  ecdsaWithSha224: '1.2.840.10045.4.3.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha384: '1.2.840.10045.4.3.3',
  ecdsaWithSha512: '1.2.840.10045.4.3.4',
  // Extensions (RFC 5280, 4.2.1).
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

/** The attributes of a Name by their short names (RFC 4519 and, for E, RFC 2985). */
export const attributeOids = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  C: '2.5.4.6',
  E: '1.2.840.113549.1.9.1',
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

export type ExtendedKeyUsage = keyof typeof extendedKeyUsageOids
