import { sectionReader } from '../../operation/family.ts'
import type { CommonDialect } from '../../schema/dialect.ts'

/** The section of a dialect for reserved domains. */
export interface DomainDialect {
  /** The one certificate authority that a certificate management policy can name. */
  readonly authority: string
  /** `private_key_type` of a policy that names none. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns, with everything below them. */
  readonly serviceDomains: readonly string[]
  /** Every CNAME target ends with this name. */
  readonly cnameTargetBase: string
  /** The `region` of a reserved domain: the one that was set (else null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * A custom domain that is created with neither certificate nor policy gets a policy: of the dialect's authority and
   * default key type.
   */
  readonly policyByDefault: boolean
  /** The name that the dev domain of an account is below; null if accounts have none. */
  readonly devDomainBase: string | null
  /** Names that nobody can reserve, by the key of the error: a name itself, or with `*.` before it all names below it. */
  readonly refusedDomains: { readonly [Key in RefusedDomainKey]?: readonly string[] }
}

export type RefusedDomainKey = 'domain_of_company' | 'domain_of_service' | 'domain_suffix_unreachable'

export const domainDialect = sectionReader<DomainDialect>()

/** Returns the error of a name (lower case) that nobody can reserve, with the entry of the dialect that refuses it. */
export function refusalIn(
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

/** Returns the condition that a dialect refuses names with an error. */
export function refuses(key: RefusedDomainKey): (dialect: CommonDialect) => boolean {
  return (dialect) => domainDialect(dialect).refusedDomains[key] !== undefined
}

/** Tells whether a name, or the names that it is a wildcard for, are below a wildcard. */
export function isBelow(name: string, wildcard: string): boolean {
  return wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
}

/** Tells whether the service owns a domain name (lower case) or one above it. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}
