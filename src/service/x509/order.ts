import { sectionReader } from '../../core/operation/family.ts'
import type { Authority } from '../../core/operation/view.ts'

/** The key types that an automatic certificate can have. */
export const MANAGED_KEY_TYPES = ['rsa', 'ecdsa'] as const

/** The fields read from a TLS certificate, named and ordered as in responses. Missing fields are "". */
export interface CertificateFields {
  readonly subject_common_name: string
  readonly subject_alternative_names: { readonly dns_names: readonly string[]; readonly ips: readonly string[] }
  /** In epoch milliseconds. */
  readonly not_before: number
  /** In epoch milliseconds. */
  readonly not_after: number
  readonly key_usages: readonly string[]
  readonly extended_key_usages: readonly string[]
  readonly private_key_type: 'rsa' | 'ecdsa' | 'ed25519'
  readonly issuer_common_name: string
  /** Lowercase hex in whole bytes, as printed by openssl. Negative numbers start with "-". */
  readonly serial_number: string
  readonly subject_organization: string
  readonly subject_organizational_unit: string
  readonly subject_locality: string
  readonly subject_province: string
  readonly subject_country: string
}

/** An order for an automatic certificate. The same order always produces the same certificate. */
export interface CertificateOrder {
  /** The name, either exact or with a leading `*.`. */
  readonly domain: string
  readonly private_key_type: (typeof MANAGED_KEY_TYPES)[number]
  /** The start of the validity period in epoch ms, rounded to whole seconds. */
  readonly not_before: number
  /** The end of the validity period in epoch ms, rounded to whole seconds. */
  readonly not_after: number
  /** The order number, from which the serial number and the key are derived. */
  readonly number: number
}

/** An order for a server certificate. The same order always produces the same certificate. */
export interface ServerOrder extends Pick<CertificateOrder, 'not_before' | 'not_after'> {
  /** The DNS names, in ASCII. */
  readonly names: readonly string[]
  /** The IP addresses, of 4 or 16 bytes each. */
  readonly ips: readonly Uint8Array[]
}

/** An order for a client certificate. The same order always produces the same certificate. */
export interface ClientOrder extends Omit<CertificateOrder, 'domain' | 'private_key_type'> {
  /** The client's CSR (PKCS #10 in PEM). The certificate has the CSR's subject and key. */
  readonly csr: string
}

export interface IssuedCertificate {
  /** The leaf and the intermediate, normalized. */
  readonly certificate_pem: string
  /** PKCS#8. */
  readonly private_key_pem: string
  readonly leaf: CertificateFields
}

/** A certificate authority that can issue certificates. */
export interface IssuingAuthority extends Authority {
  // (rules: certificate-authority#issuing)
  /** Issues a certificate. */
  issue(order: CertificateOrder): IssuedCertificate
  /** Issues a certificate with an ECDSA key for a server in the test itself. The certificate doesn't belong to any resource. */
  issueForServer(order: ServerOrder): Omit<IssuedCertificate, 'leaf'>
  /** Issues a certificate for a client's own key. Returns the leaf and the intermediate as PEM. */
  issueForClient(order: ClientOrder): string
}

/**
 * Returns the authority of a gateway, which issues certificates: `issuing(wire.authority).issueForClient({ csr, … })` certifies the key of
 * a client's CSR.
 */
export const issuing = sectionReader<IssuingAuthority>('issue')
