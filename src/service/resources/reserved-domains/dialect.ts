import { sectionReader } from '../../../core/operation/family.ts'
import type { CommonDialect } from '../../../core/schema/dialect.ts'

/** The section of a dialect for reserved domains. */
export interface DomainDialect {
  /** The one certificate authority that a certificate management policy can name. */
  readonly authority: string
  /** The default of `private_key_type` in a policy. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns, with everything below them. */
  readonly serviceDomains: readonly string[]
  /** Every CNAME target ends with this name. */
  readonly cnameTargetBase: string
  /** The name one label above every ACME challenge target; null if these are like CNAME targets. */
  readonly acmeChallengeTargetBase: string | null
  /** The `region` of a reserved domain: the one that was set (else null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * True if a custom domain that is created without certificate and policy gets a policy, with the authority and the
   * default key type of the dialect.
   */
  readonly policyByDefault: boolean
  /** The name above the dev domain of an account; null if accounts have no dev domain. */
  readonly devDomainBase: string | null
  /** The names that requests send: unchanged, or without blanks around them and without a dot at their end. */
  readonly domainNames: 'exact' | 'trimmed'
  /**
   * Names that nobody can reserve, by the key of the error. A name with `*.` before it means all names below it; as a
   * `domain_wildcard_suffix` it means only the wildcard itself.
   */
  readonly refusedDomains: { readonly [Key in RefusedDomainKey]?: readonly string[] }
}

const REFUSED_KEYS = [
  'domain_of_company',
  'domain_of_service',
  'domain_suffix_unreachable',
  'domain_wildcard_suffix',
] as const

export type RefusedDomainKey = (typeof REFUSED_KEYS)[number]

export const domainDialect = sectionReader<DomainDialect>('serviceDomains')

/** Returns a name as the dialect takes it (rules: domain-names#trimmed). */
export function tidyName(dialect: CommonDialect, name: string): string {
  return domainDialect(dialect).domainNames === 'trimmed' ? name.trim().replace(/\.$/, '') : name
}

/** Returns the error of a name (lower case) that nobody can reserve, with the entry of the dialect that rejects it. */
export function findRefusal(
  dialect: CommonDialect,
  name: string,
): { readonly key: RefusedDomainKey; readonly entry: string } | undefined {
  const { refusedDomains } = domainDialect(dialect)
  for (const key of REFUSED_KEYS) {
    const reach = key === 'domain_wildcard_suffix' ? () => false : isBelow
    const entry = refusedDomains[key]?.find((each) => name === each || reach(name, each))
    if (entry !== undefined) return { key, entry }
  }
  return undefined
}

/** Returns a function that tells whether a dialect rejects some names with an error. */
export function refusesNames(key: RefusedDomainKey): (dialect: CommonDialect) => boolean {
  return (dialect) => domainDialect(dialect).refusedDomains[key] !== undefined
}

/** Tells whether a wildcard covers a name. The name may be a wildcard too. */
export function isBelow(name: string, wildcard: string): boolean {
  return wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
}

/** Tells whether the service owns a domain name (lower case) or one above it. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}

/** Returns the name in the certificate that the service presents for domains without one. */
export function defaultCertificateName(dialect: CommonDialect): string {
  return `*.${domainDialect(dialect).serviceDomains[0] ?? dialect.name}`
}
