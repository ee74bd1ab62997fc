import { declareErrors, type Entry, entry } from '../../core/schema/errors.ts'

/** Declares an error about the PEM text in a field. */
function pemError<Own = unknown>(
  number: number,
  message: (values: Own & { readonly field: string }) => string,
): Entry<Own & { readonly field: string }> {
  return entry(number, 400, message)
}

/** The errors for an uploaded certificate chain or private key (rules: tls-certificates#accepted). */
export const errors = declareErrors({
  certificate_unparsable: pemError<{ position: number; problem: string }>(
    1900,
    (it) =>
      `${it.field}: certificate ${it.position} of the chain cannot be read: ${it.problem}. ` +
      'Allowed: X.509 certificates with RSA, ECDSA (P-256, P-384, P-521) or Ed25519 keys.',
  ),
  key_missing: pemError(
    1901,
    (it) =>
      `${it.field} does not contain a PEM private key. Send a "PRIVATE KEY", "RSA PRIVATE KEY", or "EC PRIVATE KEY" block.`,
  ),
  key_encrypted: pemError(1902, (it) => `${it.field}: the private key is encrypted. Send it without a passphrase.`),
  key_unsupported: pemError<{ problem: string }>(
    1903,
    (it) =>
      `${it.field} cannot be used: ${it.problem}. ` +
      'Allowed: RSA, ECDSA (P-256, P-384, P-521) or Ed25519 as PKCS#8, PKCS#1 or SEC1.',
  ),
  pem_headers: pemError(
    1910,
    (it) => `${it.field}: a PEM block has headers, such as "Proc-Type: …", before its base64. Send it without headers.`,
  ),
  pem_wrong_type: pemError<{ received: string; allowed: string }>(
    1911,
    (it) => `${it.field}: received a PEM block of ${it.received}. Allowed: ${it.allowed}.`,
  ),
  certificate_missing: pemError(
    1919,
    (it) =>
      `${it.field} has no certificate. Send ${it.field === 'ca_pem' ? 'a PEM "CERTIFICATE" block' : 'a chain of PEM "CERTIFICATE" blocks, leaf first'}.`,
  ),
  certificate_not_pem: pemError<{ problem: string }>(
    1920,
    (it) =>
      `${it.field} is not valid PEM: ${it.problem}. Send blocks of "-----BEGIN CERTIFICATE-----", base64 and ` +
      '"-----END CERTIFICATE-----", each on separate lines.',
  ),
  certificate_too_long: pemError<{ received: number; limit: number; unit: 'bytes' | 'certificates' }>(
    1921,
    (it) => `${it.field} has ${it.received} ${it.unit}. At most ${it.limit} are allowed.`,
  ),
  certificate_key_mismatch: pemError<{ leaf: string; key: string }>(
    1923,
    (it) =>
      `${it.field}: the private key (${it.key}) does not belong to the leaf certificate (${it.leaf}). ` +
      "Send the leaf's own key.",
  ),
  key_is_certificate: pemError(
    1924,
    (it) => `${it.field} contains a certificate. Send the private key here and the certificate as certificate_pem.`,
  ),
  certificate_is_key: pemError(
    1925,
    (it) => `${it.field} contains a private key. Send the certificate here and the key as private_key_pem.`,
  ),
  chain_out_of_order: pemError<{ position: number; subject: string; problem: string }>(
    1926,
    (it) =>
      `${it.field}: certificate ${it.position} of the chain (${it.subject}) is not signed by the next one: ` +
      `${it.problem}. Send the leaf first and each certificate before its issuer.`,
  ),
})

export const chainErrors = [
  errors.certificate_unparsable,
  errors.pem_headers,
  errors.pem_wrong_type,
  errors.certificate_missing,
  errors.certificate_not_pem,
  errors.certificate_too_long,
  errors.certificate_is_key,
  errors.chain_out_of_order,
]

export const keyErrors = [
  errors.key_missing,
  errors.key_encrypted,
  errors.key_unsupported,
  errors.pem_headers,
  errors.pem_wrong_type,
  errors.certificate_too_long,
  errors.key_is_certificate,
]
