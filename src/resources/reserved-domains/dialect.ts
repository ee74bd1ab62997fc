import { ownPart } from '../../operation/family.ts'
import type { CommonDialect } from '../../schema/dialect.ts'

/** What a dialect says of reserved domains. */
export interface DomainDialect {
  /** The one certificate authority that a certificate management policy can name. */
  readonly authority: string
  /** `private_key_type` of a policy that names none. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns, with everything below them. */
  readonly serviceDomains: readonly string[]
  /** Every CNAME target ends with this name. */
  readonly cnameTargetBase: string
  /** What a reserved domain's `region` shows: the region that was set (else null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * Whether a custom domain that is created with neither certificate nor policy gets a policy: of the dialect's authority
   * and default key type.
   */
  readonly policyByDefault: boolean
}

/** What a dialect says of reserved domains. */
export const domainDialect = ownPart<DomainDialect>()

/** Whether a domain name (lower case) is one that the service owns or lies below one. */
export function isServiceDomain(dialect: CommonDialect, name: string): boolean {
  return domainDialect(dialect).serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}
