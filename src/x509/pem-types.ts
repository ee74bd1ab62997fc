/** The labels of PEM blocks that messages may repeat. Any other may be a secret that stands in the place of a label. */
const KNOWN: ReadonlySet<string> = new Set([
  'CERTIFICATE',
  'X509 CERTIFICATE',
  'TRUSTED CERTIFICATE',
  'ATTRIBUTE CERTIFICATE',
  'CERTIFICATE REQUEST',
  'NEW CERTIFICATE REQUEST',
  'X509 CRL',
  'PKCS7',
  'CMS',
  'PUBLIC KEY',
  'RSA PUBLIC KEY',
  'PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'DSA PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'EC PARAMETERS',
  'DH PARAMETERS',
  'X9.42 DH PARAMETERS',
  'DSA PARAMETERS',
])

/** The type of a PEM block for messages: `type X509 CRL`, or `an unknown type`. */
export function typeText(type: string): string {
  return KNOWN.has(type) ? `type ${type}` : 'an unknown type'
}

/** Whether a label is one of the many for private keys. */
export function isKeyType(type: string): boolean {
  return type.endsWith('PRIVATE KEY')
}

/** Whether a text has the BEGIN of a private key anywhere, in a block or not. */
export function holdsKey(text: string): boolean {
  return /-----BEGIN [A-Z0-9. ]*PRIVATE KEY-----/.test(text)
}
