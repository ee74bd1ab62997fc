// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { ListPage, ListParameters, Resource } from './shared.ts'

/** What is uploaded. */
export interface TLSCertificateCreate {
  /**
   * What the resource is for, in words for people. At most 255 bytes in UTF-8. Refused as
   * `certificate_description_too_long`. (rules: limits#texts)
   */
  readonly description?: string | undefined
  /**
   * Anything that programs keep with the resource; the service does not read it. At most 4096 bytes in UTF-8. Refused
   * as `certificate_metadata_too_long`. (rules: limits#texts)
   */
  readonly metadata?: string | undefined
  /**
   * The chain of X.509 certificates, leaf first, each signed by the next: PEM of at most 64 KiB. Required. Refused as
   * `certificate_unparsable`, `pem_wrong_type`, `certificate_missing`, `certificate_not_pem`, `certificate_too_long`,
   * `certificate_is_key`, `chain_out_of_order`. (rules: tls-certificates#accepted)
   */
  readonly certificate_pem?: string | undefined
  /**
   * The leaf's own private key, RSA, ECDSA or Ed25519: PEM of PKCS#8, PKCS#1 or SEC1 without a passphrase. Required.
   * Refused as `key_missing`, `key_encrypted`, `key_unsupported`, `pem_wrong_type`, `certificate_too_long`,
   * `key_is_certificate`. (rules: tls-certificates#private-key)
   */
  readonly private_key_pem?: string | undefined
}

/** What is changed of a TLS certificate. */
export type TLSCertificateUpdate = Pick<TLSCertificateCreate, 'description' | 'metadata'>

/** A chain of certificates, with what its leaf says. */
export interface TLSCertificate extends Resource {
  /**
   * The chain, leaf first: PEM with 64 columns of base64 and one line break at the end. (rules:
   * tls-certificates#normalised)
   */
  readonly certificate_pem: string
  /** The common name of the leaf's subject; "" where it has none. */
  readonly subject_common_name: string
  /** The further names that the leaf is good for. */
  readonly subject_alternative_names: TLSCertificateSANs
  /** When it was issued automatically; null for one that was uploaded. */
  readonly issued_at: string | null
  /** The start of the leaf's validity. */
  readonly not_before: string
  /** The end of the leaf's validity. */
  readonly not_after: string
  /** What the key of the leaf is for, by the names of RFC 5280, such as `digitalSignature`. */
  readonly key_usages: readonly string[]
  /** What else it is for, such as `serverAuth`; a dotted OID where RFC 5280 has no name. */
  readonly extended_key_usages: readonly string[]
  /** The type of the key of the leaf. */
  readonly private_key_type: 'rsa' | 'ecdsa' | 'ed25519'
  /** The common name of the leaf's issuer; "" where it has none. */
  readonly issuer_common_name: string
  /**
   * The serial number of the leaf in lower-case hex, in whole bytes, with leading zeros kept. (rules:
   * tls-certificates#fields)
   */
  readonly serial_number: string
  /** The organization of the leaf's subject; "" where it has none. */
  readonly subject_organization: string
  /** The organizational unit of the leaf's subject; "" where it has none. */
  readonly subject_organizational_unit: string
  /** The locality of the leaf's subject; "" where it has none. */
  readonly subject_locality: string
  /** The province of the leaf's subject; "" where it has none. */
  readonly subject_province: string
  /** The country of the leaf's subject; "" where it has none. */
  readonly subject_country: string
}

/** The further names that the leaf is good for. */
export interface TLSCertificateSANs {
  /** The DNS names that the leaf is good for, wildcards among them. */
  readonly dns_names: readonly string[]
  /** The IP addresses that the leaf is good for. */
  readonly ips: readonly string[]
}

/** A page of the list of every TLS certificate. */
export interface TLSCertificateList extends ListPage {
  /** The items of the page, newest first. */
  readonly tls_certificates: readonly TLSCertificate[]
}

/** The calls of `gateway.tlsCertificates`. */
export interface TlsCertificates {
  /**
   * Create a TLS certificate: `POST /tls_certificates`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `certificate_key_mismatch` 1923.
   */
  create(body?: TLSCertificateCreate): TLSCertificate
  /**
   * Get a TLS certificate: `GET /tls_certificates/{id}`; the id starts with `cert_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  get(id: string): TLSCertificate
  /**
   * List TLS certificates, newest first: `GET /tls_certificates`.
   * @throws GatewayError what parameters are refused as; 400: `field_invalid` 215, `query_unknown` 231.
   */
  list(query?: ListParameters): TLSCertificateList
  /**
   * Change a TLS certificate: `PATCH /tls_certificates/{id}`; the id starts with `cert_`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215, `id_unparsable`
   * 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  update(id: string, body?: TLSCertificateUpdate): TLSCertificate
  /**
   * Delete a TLS certificate: `DELETE /tls_certificates/{id}`; the id starts with `cert_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404; 409:
   * `certificate_automatic` 1966, `certificate_in_use` 90409.
   */
  delete(id: string): void
}
