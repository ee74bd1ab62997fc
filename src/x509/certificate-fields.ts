/** The names that a certificate is good for. */
export interface AlternativeNames {
  readonly dns_names: readonly string[]
  readonly ips: readonly string[]
}

/** The fields of a TLS certificate that are read from it, under their wire names; "" where it lacks one. */
export interface CertificateFields {
  readonly subject_common_name: string
  readonly subject_alternative_names: AlternativeNames
  /** Milliseconds since 1970. */
  readonly not_before: number
  /** Milliseconds since 1970. */
  readonly not_after: number
  readonly key_usages: readonly string[]
  readonly extended_key_usages: readonly string[]
  readonly private_key_type: 'rsa' | 'ecdsa' | 'ed25519'
  readonly issuer_common_name: string
  /** Lower-case hex in whole bytes, as openssl prints it; "-" in front of a negative one. */
  readonly serial_number: string
  readonly subject_organization: string
  readonly subject_organizational_unit: string
  readonly subject_locality: string
  readonly subject_province: string
  readonly subject_country: string
}
