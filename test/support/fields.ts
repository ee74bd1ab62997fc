/** Splits a text into names. */
const splitNames = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The first fields of every resource in a response, in the order of the API reference's tables. */
export const HEAD_FIELDS = splitNames('id uri created_at')

/** The fields of a reserved domain after the head and the description, in that order. */
export const DOMAIN_FIELDS = splitNames(`
  domain region cname_target certificate certificate_management_policy certificate_management_status
  acme_challenge_cname_target http_endpoint_configuration https_endpoint_configuration
`)

/** The fields of a TLS certificate after the head and the description, in that order. */
export const CERTIFICATE_FIELDS = splitNames(`
  certificate_pem subject_common_name subject_alternative_names issued_at not_before not_after key_usages extended_key_usages
  private_key_type issuer_common_name serial_number
  subject_organization subject_organizational_unit subject_locality subject_province subject_country
`)

/** Fields of bodies, some of each family, and the ids that a path has. */
export const BODY_FIELDS = splitNames(`
  description metadata region domain name certificate_id certificate_management_policy authority private_key_type
  endpoint_configuration_id backends certificate_pem private_key_pem enabled provider inbound num_buckets
  module id edge_id __proto__
`)
