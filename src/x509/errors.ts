import { declareErrors, entry } from '../schema/errors.ts'

/** The errors of an uploaded certificate chain or private key (rules: tls-certificates#accepted). */
export const errors = declareErrors({
  certificate_unparsable: entry(
    1900,
    400,
    (it: { field: string; position: number; problem: string }) =>
      `${it.field}: certificate ${it.position} of the chain cannot be read: ${it.problem}. ` +
      'Allowed: X.509 certificates with RSA, ECDSA (P-256, P-384, P-521) or Ed25519 keys.',
  ),
  key_missing: entry(
    1901,
    400,
    (it: { field: string }) =>
      `${it.field}: no PEM private key was sent. ` +
      'Send a "PRIVATE KEY", "RSA PRIVATE KEY" or "EC PRIVATE KEY" block.',
  ),
  key_encrypted: entry(
    1902,
    400,
    (it: { field: string }) => `${it.field}: the private key is encrypted. Send it without a passphrase.`,
  ),
  key_unsupported: entry(
    1903,
    400,
    (it: { field: string; problem: string }) =>
      `${it.field}: the private key cannot be used: ${it.problem}. ` +
      'Allowed: RSA, ECDSA (P-256, P-384, P-521) or Ed25519 as PKCS#8, PKCS#1 or SEC1.',
  ),
  pem_headers: entry(
    1910,
    400,
    (it: { field: string }) =>
      `${it.field}: a PEM block has headers, such as "Proc-Type: …", before its base64. Send it without headers.`,
  ),
  pem_wrong_type: entry(
    1911,
    400,
    (it: { field: string; received: string; allowed: string }) =>
      `${it.field}: received a PEM block of ${it.received}. Allowed: ${it.allowed}.`,
  ),
  certificate_missing: entry(
    1919,
    400,
    (it: { field: string }) =>
      `${it.field}: no certificate was sent. Send a chain of PEM "CERTIFICATE" blocks, leaf first.`,
  ),
  certificate_not_pem: entry(
    1920,
    400,
    (it: { field: string; problem: string }) =>
      `${it.field} is not PEM: ${it.problem}. Send blocks of "-----BEGIN CERTIFICATE-----", base64 and ` +
      '"-----END CERTIFICATE-----", each on separate lines.',
  ),
  certificate_too_long: entry(
    1921,
    400,
    (it: { field: string; received: number; limit: number; unit: 'bytes' | 'certificates' }) =>
      `${it.field} has ${it.received} ${it.unit}. At most ${it.limit} are allowed.`,
  ),
  certificate_key_mismatch: entry(
    1923,
    400,
    (it: { field: string; leaf: string; key: string }) =>
      `${it.field}: the private key (${it.key}) does not belong to the leaf certificate (${it.leaf}). ` +
      "Send the leaf's own key.",
  ),
  key_is_certificate: entry(
    1924,
    400,
    (it: { field: string }) =>
      `${it.field} holds a certificate. Send the private key here and the certificate as certificate_pem.`,
  ),
  certificate_is_key: entry(
    1925,
    400,
    (it: { field: string }) =>
      `${it.field} holds a private key. Send the certificate here and the key as private_key_pem.`,
  ),
  chain_out_of_order: entry(
    1926,
    400,
    (it: { field: string; position: number; subject: string; problem: string }) =>
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
