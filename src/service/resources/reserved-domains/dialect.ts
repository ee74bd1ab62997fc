import { sectionReader } from '../../../core/operation/family.ts'
import type { CommonDialect } from '../../../core/schema/dialect.ts'

/** A dialect's section for reserved domains. */
export interface DomainDialect {
  /** The only certificate authority that a certificate management policy can name. */
  readonly authority: string
  /** The default of `private_key_type` in a policy. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns, including all subdomains. */
  readonly serviceDomains: readonly string[]
  /** The suffix of every CNAME target. */
  readonly cnameTargetBase: string
  /** The parent name of every ACME challenge target, or null if these have the form of CNAME targets. */
  readonly acmeChallengeTargetBase: string | null
  /** The `region` of a reserved domain: the one that was set (or null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * True if a custom domain that is created without a certificate or a policy gets a policy, with the dialect's authority
   * and default key type.
   */
  readonly policyByDefault: boolean
  /** The parent name of an account's dev domain, or null if accounts have no dev domain. */
  readonly devDomainBase: string | null
  /** The form of names in requests: unchanged, or without surrounding blanks and the trailing dot. */
  readonly domainNames: 'exact' | 'trimmed'
  /**
   * Names that nobody can reserve, by error key. A leading `*.` means all subdomains, except under `domain_wildcard_suffix`,
   * where it means only the wildcard itself.
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

/** Returns whether a wildcard covers a name. The name may be a wildcard too. */
export function isBelow(name: string, wildcard: string): boolean {
  return wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
}

/** Returns whether the service owns a domain name (lower case) or one above it. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}

/** Returns the name in the certificate that the service presents for domains without one. */
export function defaultCertificateName(dialect: CommonDialect): string {
  return `*.${domainDialect(dialect).serviceDomains[0] ?? dialect.name}`
}
