import { accountLimits, type FieldValues, tooFast, tooMany } from '../../../core/operation/limit.ts'
import type { CommonDialect } from '../../../core/schema/dialect.ts'
import { declareErrors } from '../../../core/schema/errors.ts'
import { isServiceDomain } from './dialect.ts'

export const limitErrors = declareErrors({
  domain_limit_none: tooMany(401),
  domain_limit_custom: tooMany(412),
  domain_limit_reached_older: tooMany(415),
  domain_limit_wildcard_reached_older: tooMany(418),
  domain_limit_wildcard_none: tooMany(419),
  domain_limit_reached: tooMany(431),
  domain_rate_reached: tooFast(432),
  domain_limit_wildcard_reached: tooMany(433),
})

function isWildcard({ domain }: FieldValues): boolean {
  return typeof domain === 'string' && domain.startsWith('*.')
}

function isCustom({ domain }: FieldValues, dialect: CommonDialect): boolean {
  return typeof domain === 'string' && !isServiceDomain(dialect, domain.toLowerCase())
}

/** The limits of reserved domains. A dev domain belongs to the account, and counts towards no limit (rules: account#dev-domain). */
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
})
