import { collection } from '../contract/collection.ts'
import type { ResourceRecord } from '../contract/resource.ts'

/** What a leaf certificate says, in the wire's names; times in ms since 1970. */
export interface LeafFields {
  readonly subject_common_name: string
  readonly subject_alternative_names: { readonly dns_names: readonly string[]; readonly ips: readonly string[] }
  readonly not_before: number
  readonly not_after: number
  readonly key_usages: readonly string[]
  readonly extended_key_usages: readonly string[]
  readonly private_key_type: 'rsa' | 'ecdsa' | 'ed25519'
  readonly issuer_common_name: string
  readonly serial_number: string
  readonly subject_organization: string
  readonly subject_organizational_unit: string
  readonly subject_locality: string
  readonly subject_province: string
  readonly subject_country: string
}

/** A TLS certificate as it is kept. The private key never leaves the record except by name. */
export interface CertificateRecord extends ResourceRecord {
  /** When it was issued automatically, in ms; null for an uploaded one. */
  readonly issued_at: number | null
  readonly certificate_pem: string
  readonly private_key_pem: string
  readonly leaf: LeafFields
}

export const certificates = collection<CertificateRecord>({ name: 'tls_certificates', key: (record) => record.id })
