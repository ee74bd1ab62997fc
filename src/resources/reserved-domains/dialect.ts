import { ownPart } from '../../operation/family.ts'
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
}

export const domainDialect = ownPart<DomainDialect>()

/** Tells whether the service owns a domain name (lower case) or one above it. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}
