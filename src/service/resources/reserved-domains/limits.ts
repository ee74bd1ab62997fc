import { accountLimits, type FieldValues, tooFast, tooMany } from '../../../core/operation/limit.ts'
import type { CommonDialect } from '../../../core/schema/dialect.ts'
import { declareErrors, only } from '../../../core/schema/errors.ts'
import { isServiceDomain } from './dialect.ts'
import { hasPlaces } from './places.ts'

export const limitErrors = declareErrors({
  domain_limit_none: tooMany(401),
  domain_limit_custom: tooMany(412),
  domain_limit_reached_older: tooMany(415),
  domain_limit_wildcard_reached_older: tooMany(418),
  domain_limit_wildcard_none: tooMany(419),
  domain_limit_reached: tooMany(431),
  domain_rate_reached: tooFast(432),
  domain_limit_wildcard_reached: tooMany(433),
  // These keys date from when only faults could cause the errors.
  service_error_460: only(hasPlaces, tooMany(460)),
  service_error_461: only(hasPlaces, tooMany(461)),
  domain_limit_managed: tooMany(1905),
})

function isWildcard({ domain }: FieldValues): boolean {
  return typeof domain === 'string' && domain.startsWith('*.')
}

function isCustom({ domain }: FieldValues, dialect: CommonDialect): boolean {
  return typeof domain === 'string' && !isServiceDomain(dialect, domain.toLowerCase())
}

function isPlaced({ resolves_to: places }: FieldValues): boolean {
  return Array.isArray(places) && places.length > 0
}

/** Returns whether a domain's certificate is managed, according to the policy in a body or a record. */
function isManaged({ certificate_management_policy: sent, policy }: FieldValues): boolean {
  return Boolean(sent ?? policy)
}

/**
 * The limits on reserved domains. A dev domain comes with the account, and does not count towards any limit (rules: account#dev-domain).
 */
export const domainLimits = accountLimits({
  reserved_domains: {
    what: 'reserved domains',
    none: limitErrors.domain_limit_none,
    reached: limitErrors.domain_limit_reached,
    older: limitErrors.domain_limit_reached_older,
    rate: limitErrors.domain_rate_reached,
    plans: { free: 0, hobbyist: 10 },
  },
  custom_domains: {
    what: 'custom domains',
    counts: isCustom,
    reached: limitErrors.domain_limit_custom,
    plans: { free: 0, hobbyist: 0 },
  },
  wildcard_domains: {
    what: 'wildcard domains',
    counts: isWildcard,
    none: limitErrors.domain_limit_wildcard_none,
    reached: limitErrors.domain_limit_wildcard_reached,
    older: limitErrors.domain_limit_wildcard_reached_older,
    plans: { free: 0, hobbyist: 0 },
  },
  placed_domains: {
    what: 'domains with their own region and IP resolution',
    counts: isPlaced,
    isChangeable: true,
    none: limitErrors.service_error_460,
    reached: limitErrors.service_error_461,
    plans: { free: 0, hobbyist: 0 },
  },
  managed_certificates: {
    what: 'managed TLS certificates',
    counts: isManaged,
    isChangeable: true,
    none: limitErrors.domain_limit_managed,
  },
})
