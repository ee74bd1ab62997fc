const DAY_MS = 86_400_000

/**
 * The validity period, in ms, of each profile that a public certificate authority offers or has announced (rules:
 * provisioning-jobs#profiles).
 */
export const PROFILES = {
  '90d': 90 * DAY_MS,
  '64d': 64 * DAY_MS,
  '45d': 45 * DAY_MS,
  '6d': 6 * DAY_MS,
}

export type ProfileName = keyof typeof PROFILES

/** The minimum of a certificate's default validity period. */
export const MIN_DEFAULT_PROFILE: ProfileName = '45d'

/** A gateway's options for the lifetime of automatic certificates, in ms. */
export interface CertificateLifetime {
  readonly validity?: number | undefined
  /** The time between the start of a renewal and the certificate's expiry. */
  readonly renewalLead?: number | undefined
}

/** Returns the lifetime of a certificate issued at a time in ms. Default: the certificate authority's profile at that time. */
export function getCertificateLifetime(issuedAt: number, options: CertificateLifetime = {}) {
  const { validity = PROFILES[getDefaultProfile(issuedAt)], renewalLead = suggestLead(validity) } = options
  return { validity, renewalLead }
}

/** Returns the certificate authority's default profile at a time in ms. */
function getDefaultProfile(issuedAt: number): ProfileName {
  if (issuedAt >= Date.UTC(2028, 1, 16)) return '45d'
  return issuedAt >= Date.UTC(2027, 1, 10) ? '64d' : '90d'
}

/**
 * Returns how long before expiry the certificate authority suggests renewal: a third of the validity period, or half if the period is
 * short.
 */
function suggestLead(validity: number): number {
  return Math.floor(validity / (validity < 10 * DAY_MS ? 2 : 3))
}
