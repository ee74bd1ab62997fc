const DAY_MS = 86_400_000

/** The validity in ms of each profile that a public authority has or has announced (rules: provisioning-jobs#profiles). */
export const PROFILES = {
  '90d': 90 * DAY_MS,
  '64d': 64 * DAY_MS,
  '45d': 45 * DAY_MS,
  '6d': 6 * DAY_MS,
}

export type ProfileName = keyof typeof PROFILES

/** The authority's default profiles after `90d`, the latest first, each with the time in ms from which it is the default. */
const DEFAULTS: readonly { readonly from: number; readonly profile: ProfileName }[] = [
  { from: /* @__PURE__ */ Date.UTC(2028, 1, 16), profile: '45d' },
  { from: /* @__PURE__ */ Date.UTC(2027, 1, 10), profile: '64d' },
]

/** The shortest validity that a certificate has by default. */
export const SHORTEST_DEFAULT: ProfileName = '45d'

/** The options of a gateway for the life of automatic certificates, in ms. */
export interface CertificateLife {
  readonly validity?: number | undefined
  /** The time before the end of the validity at which the renewal starts. */
  readonly renewalLead?: number | undefined
}

/** Returns the life of a certificate issued at a time in ms: what the gateway sets, else as the authority has it at that time. */
export function lifeAt(
  issuedAt: number,
  own: CertificateLife = {},
): { readonly validity: number; readonly renewalLead: number } {
  const { validity = defaultValidity(issuedAt), renewalLead = suggestedLead(validity) } = own
  return { validity, renewalLead }
}

function defaultValidity(issuedAt: number): number {
  return PROFILES[DEFAULTS.find(({ from }) => issuedAt >= from)?.profile ?? '90d']
}

/** The lead of a renewal that the authority suggests: a third of the validity, and half of a short one. */
function suggestedLead(validity: number): number {
  return Math.floor(validity / (validity < 10 * DAY_MS ? 2 : 3))
}
