import type { Transaction } from '../operation/transaction.ts'
import { attempt } from './attempt.ts'
import { certificates } from './certificate-records.ts'
import type { DomainRecord, Policy } from './domain-records.ts'
import { provisioningRules } from './rules.ts'
import { transit } from './transitions.ts'

/**
 * Puts a domain under a certificate management policy and starts its job. The policy that is in force already changes
 * nothing; an uploaded certificate gives way at once, an automatic one stays in use until the new one is issued
 * (rules: domain-certificates#one-or-the-other).
 */
export function withPolicy(tx: Transaction, domain: DomainRecord, policy: Policy): DomainRecord {
  const before = domain.policy
  if (before?.authority === policy.authority && before.private_key_type === policy.private_key_type) return domain
  const free = before
    ? withoutJob(tx, domain, `The policy asks for an ${policy.private_key_type} key now.`)
    : { ...domain, certificate_id: null }
  return attemptedAtOnce(tx, transit(tx, free, 'started', { policy }))
}

/** Starts the renewal of a domain's certificate (rules: provisioning-jobs#renewal). */
export function withRenewal(tx: Transaction, domain: DomainRecord): DomainRecord {
  return attemptedAtOnce(tx, transit(tx, domain, 'renewal started', {}))
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
  const free = withoutJob(tx, domain, 'The policy was taken off the domain.')
  return { ...free, policy: null, renews_at: null, due: null, certificate_id: null }
}

function withoutJob(tx: Transaction, domain: DomainRecord, reason: string): DomainRecord {
  return domain.job ? transit(tx, domain, 'cancelled', { reason }) : domain
}

/** A delay of 0 means: issued within the response of the call that started the job. */
function attemptedAtOnce(tx: Transaction, domain: DomainRecord): DomainRecord {
  return provisioningRules(tx.rules).provisioningDelay === 0 ? attempt(tx, domain) : domain
}
