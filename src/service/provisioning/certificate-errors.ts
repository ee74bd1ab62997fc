import type { CommonDialect } from '../../core/schema/dialect.ts'

interface CertificateError {
  readonly number: number
  /** The job's error. The user must fix a `DNS_ERROR`. */
  readonly error_code: 'DNS_ERROR' | 'INTERNAL_ERROR'
  readonly message: string
}

const dns = (number: number, message: string): CertificateError => ({ number, error_code: 'DNS_ERROR', message })
const internal = (number: number, message = 'The authority issued no certificate.'): CertificateError => ({
  number,
  error_code: 'INTERNAL_ERROR',
  message,
})

/**
 * The numbered errors of certificate jobs, in fauxgate's wording (rules: provisioning-jobs#numbered-errors). The documentation describes
 * eleven of these errors in one sentence each.
 */
export const CERTIFICATE_ERRORS = {
  cname_missing: dns(425, 'The domain has no CNAME record.'),
  cname_is_address: dns(426, 'The domain has an A record instead of a CNAME record.'),
  cname_mismatch: dns(427, "The domain's CNAME record points to another target."),
  challenge_missing: dns(442, "The domain's ACME challenge has no CNAME record."),
  challenge_is_address: dns(443, "The domain's ACME challenge has an A record instead of a CNAME record."),
  challenge_mismatch: dns(444, "The ACME challenge's CNAME record points to another target."),
  lookup_failed: dns(445, 'A DNS lookup for the domain failed.'),
  domain_proxied: dns(515, 'Cloudflare proxies the domain and hides its CNAME record.'),
  wildcard_proxied: dns(516, 'Cloudflare proxies the wildcard and hides its CNAME record.'),
  challenge_proxied: dns(517, 'Cloudflare proxies the ACME challenge and hides its CNAME record.'),
  caa_not_authorized: dns(26000, 'The CAA records do not allow the authority to issue.'),
  caa_account_restricted: dns(26001, 'The CAA records require an account (accounturi), which cannot be checked.'),
  caa_tag_unknown: dns(26002, 'The CAA records have an unknown critical tag.'),
  caa_method_restricted: dns(26004, 'The CAA records do not allow the validation method that the domain needs.'),
  caa_data_malformed: dns(26005, 'The CAA records cannot be parsed.'),
  provisioning_failed: internal(26006, 'Provisioning failed unexpectedly.'),
  request_not_loaded: internal(26007, 'The certificate signing request could not be loaded.'),
  preflight_failed: internal(26008, 'The preflight check failed unexpectedly.'),
  obtain_failed_unexpectedly: internal(26009, 'The authority failed unexpectedly.'),
  conversion_failed: internal(26010, 'The certificate could not be converted.'),
  finalization_failed: internal(26011, 'The certificate could not be put into use.'),
  preflight_check_failed: dns(26012, 'A preflight check did not pass.'),
  obtain_failed: internal(26013),
  caa_check_blocked: dns(26014, 'The CAA check found that the authority is not allowed to issue.'),
  dcv_cname_missing: dns(26015, 'The domain control validation found no CNAME record.'),
  dcv_cname_mismatch: dns(26016, 'The domain control validation found a CNAME record with another target.'),
  dcv_ns_missing: dns(26017, 'The domain control validation found no NS record.'),
  dcv_ns_mismatch: dns(26018, 'The domain control validation found NS records for another zone.'),
  dns_01_cname_missing: dns(26019, 'The DNS-01 check found no challenge CNAME record.'),
  dns_01_cname_mismatch: dns(26020, 'The DNS-01 check found a challenge CNAME record with another target.'),
  http_01_unreachable: dns(26021, 'The HTTP-01 check did not reach the domain.'),
  http_01_token_mismatch: dns(26022, 'The HTTP-01 check received another token.'),
  obtain_failed_26023: internal(26023),
  obtain_failed_26024: internal(26024),
  obtain_failed_26025: internal(26025),
  caa_check_malformed: dns(26026, 'The CAA check found records that cannot be parsed.'),
  caa_check_lookup_failed: dns(26027, 'The lookup for the CAA check failed.'),
  caa_check_tag_unknown: dns(26028, 'The CAA check found an unknown critical tag.'),
  caa_check_tld_missing: dns(26029, 'The CAA check did not find the top-level domain.'),
  obtain_failed_26030: internal(26030),
  obtain_failed_26031: internal(26031),
  obtain_failed_26032: internal(26032),
  account_suspended: internal(26033, 'The account is suspended.'),
  suspension_check_failed: internal(26034, 'The check for a suspended account failed unexpectedly.'),
  obtain_failed_26035: internal(26035),
  obtain_failed_26036: internal(26036),
  obtain_failed_26037: internal(26037),
  obtain_failed_26038: internal(26038),
} as const satisfies Readonly<Record<string, CertificateError>>

export type CertificateErrorKey = keyof typeof CERTIFICATE_ERRORS

/** Returns the keys of all numbered errors. */
export function listCertificateErrors(): readonly CertificateErrorKey[] {
  return Object.keys(CERTIFICATE_ERRORS) as CertificateErrorKey[] // The table doesn't contain other keys.
}

/** Returns the error key for a key or a code such as `ERR_NGROK_26014`, or undefined for any other string. */
export function findCertificateError(text: unknown): CertificateErrorKey | undefined {
  const [, digits] = (typeof text === 'string' && /^ERR_[A-Z]+_(\d+)$/.exec(text)) || []
  return listCertificateErrors().find((key) => key === text || CERTIFICATE_ERRORS[key].number === Number(digits))
}

/** Formats the name of an outcome for lists, with its numbered error, if any. */
export function nameOutcome({
  outcome,
  error,
}: {
  readonly outcome: string
  readonly error?: string | undefined
}): string {
  const key = findCertificateError(error)
  return key ? `${outcome} ${key} (${CERTIFICATE_ERRORS[key].number})` : outcome
}

/** Adds error codes to a message. */
export function withCodes(
  message: string,
  keys: readonly CertificateErrorKey[],
  { errorPrefix }: CommonDialect,
): string {
  return `${message} (${keys.map((key) => errorPrefix + CERTIFICATE_ERRORS[key].number).join(', ')})`
}
