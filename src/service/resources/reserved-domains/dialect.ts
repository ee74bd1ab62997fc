import { sectionReader } from '../../../core/operation/family.ts'
import type { CommonDialect } from '../../../core/schema/dialect.ts'

/** A dialect's section for reserved domains. */
export interface DomainDialect {
  /** The only certificate authority allowed in a certificate management policy. */
  readonly authority: string
  /** The default of `private_key_type` in a policy. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns. Their subdomains belong to the service, too. */
  readonly serviceDomains: readonly string[]
  /** The suffix of every CNAME target. */
  readonly cnameTargetBase: string
  /** The parent name of all ACME challenge targets, or null if these look like CNAME targets. */
  readonly acmeChallengeTargetBase: string | null
  /** The `region` of a reserved domain: the region that was set (or null), or always this string. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * True if a custom domain created without a certificate or a policy receives a policy with the dialect's certificate authority and
   * default key type.
   */
  readonly policyByDefault: boolean
  /** The parent name of an account's dev domain, or null if accounts have no dev domain. */
  readonly devDomainBase: string | null
  /** The way names in requests are read: unchanged, or without surrounding spaces and the trailing dot. */
  readonly domainNames: 'exact' | 'trimmed'
  /**
   * Names that cannot be reserved, by error key. A leading `*.` matches all subdomains, except under `domain_wildcard_suffix`, where it
   * means only the wildcard itself.
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

/** Returns a name in the form that the dialect uses (rules: domain-names#trimmed). */
export function tidyName(dialect: CommonDialect, name: string): string {
  return domainDialect(dialect).domainNames === 'trimmed' ? name.trim().replace(/\.$/, '') : name
}

/** Returns the error for a lowercase name that cannot be reserved, and the dialect's entry that forbids the name. */
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

/** Returns a function that tells whether a dialect rejects certain names with an error. */
export function refusesNames(key: RefusedDomainKey): (dialect: CommonDialect) => boolean {
  return (dialect) => domainDialect(dialect).refusedDomains[key] !== undefined
}

/** Returns whether a wildcard covers a name, which may itself be a wildcard. */
export function isBelow(name: string, wildcard: string): boolean {
  return wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
}

/** Returns whether the service owns a lowercase domain name or one of its parent domains. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}

/** Returns the name in the default certificate, which the service presents for domains without a certificate. */
export function defaultCertificateName(dialect: CommonDialect): string {
  return `*.${domainDialect(dialect).serviceDomains[0] ?? dialect.name}`
}
