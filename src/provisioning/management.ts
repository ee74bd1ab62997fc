import type { Transaction } from '../contract/transaction.ts'
import { certificates } from './certificate-records.ts'
import type { DomainRecord, Policy } from './domain-records.ts'

/** Nothing is managed: no policy, no status, no job, nothing due. */
const UNMANAGED = { policy: null, renews_at: null, job: null, due: null } as const

/**
 * Puts a domain under a certificate management policy and starts its job. The policy that is in force already changes
 * nothing; an uploaded certificate gives way at once, an automatic one stays in use until the new one is issued
 * (decisions, "Reserved domains").
 */
export function withPolicy(tx: Transaction, domain: DomainRecord, policy: Policy): DomainRecord {
  const before = domain.policy
  if (before && before.authority === policy.authority && before.private_key_type === policy.private_key_type)
    return domain
  const uploaded = before === null ? { certificate_id: null } : {}
  return withJob(tx, { ...domain, ...uploaded, policy })
}

/** Puts an uploaded certificate to use. A policy, its status, its job and its certificate go. */
export function withUploadedCertificate(tx: Transaction, domain: DomainRecord, certificate_id: string): DomainRecord {
  return { ...withoutPolicy(tx, domain), certificate_id }
}

/** Takes the policy off a domain, and with it the status, the job and the automatic certificate. */
export function withoutPolicy(tx: Transaction, domain: DomainRecord): DomainRecord {
  if (!domain.policy) return domain
  const automatic = domain.certificate_id && tx.get(certificates, domain.certificate_id)
  if (automatic) tx.remove(certificates, automatic)
  return { ...domain, ...UNMANAGED, certificate_id: null }
}

/** Starts a provisioning job; its first attempt is due after the provisioning delay (decisions, "Provisioning jobs", 1). */
function withJob(tx: Transaction, domain: DomainRecord): DomainRecord {
  return {
    ...domain,
    job: {
      error_code: null,
      msg: 'Managed certificate provisioning in progress.',
      started_at: tx.now,
      retries_at: null,
    },
    due: { at: tx.now + tx.rules.provisioningDelay, order: tx.nextOrder() },
  }
}
