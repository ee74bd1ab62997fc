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
  /** The `region` of a reserved domain: the one that was set (else null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * True if a custom domain that is created without certificate and policy gets a policy, with the authority and the
   * default key type of the dialect.
   */
  readonly policyByDefault: boolean
  /** The name above the dev domain of an account; null if accounts have no dev domain. */
  readonly devDomainBase: string | null
  /** Names that nobody can reserve, by the key of the error. A name with `*.` before it means all names below it. */
  readonly refusedDomains: { readonly [Key in RefusedDomainKey]?: readonly string[] }
}

export type RefusedDomainKey = 'domain_of_company' | 'domain_of_service' | 'domain_suffix_unreachable'

export const domainDialect = sectionReader<DomainDialect>()

/** Returns the error of a name (lower case) that nobody can reserve, with the entry of the dialect that refuses it. */
export function findRefusal(
  dialect: CommonDialect,
  name: string,
): { readonly key: RefusedDomainKey; readonly entry: string } | undefined {
  const { refusedDomains } = domainDialect(dialect)
  for (const key of ['domain_of_company', 'domain_of_service', 'domain_suffix_unreachable'] as const) {
    const entry = refusedDomains[key]?.find((each) => name === each || isBelow(name, each))
    if (entry !== undefined) return { key, entry }
  }
  return undefined
}

/** Returns a function that tells whether a dialect refuses some names with an error. */
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
