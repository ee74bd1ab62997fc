import type { Transaction } from '../../core/operation/transaction.ts'
import { CERTIFICATE_ERRORS, findCertificateError, withCodes } from './certificate-errors.ts'
import { certificates } from './certificate-records.ts'
import { findDnsProblem } from './dns-check.ts'
import { type ManagedDomain, type Policy, provisioningOptions } from './managed-domain.ts'
import { type ProvisioningError, parseSignedMs, takeOutcome } from './outcomes.ts'
import { type AttemptFailure, applyTransition } from './transitions.ts'

const MESSAGES: Readonly<Record<ProvisioningError, string>> = {
  INTERNAL_ERROR: 'The certificate authority could not be reached. This is temporary.',
  DNS_ERROR: 'The DNS records of the domain do not point to their targets. Correct them.',
}

/** Runs one attempt of a domain's job now (rules: provisioning-jobs#outcomes). */
export function runAttempt<D extends ManagedDomain>(tx: Transaction, domain: D): D {
  const current = domain.job?.error_code ? applyTransition(tx, domain, 'retried', {}) : domain
  const isRenewal = domain.certificate_id !== null
  const failure = applyHook(tx, current, determineFailure(tx, current))
  if (!failure) return applyTransition(tx, current, isRenewal ? 'renewed' : 'issued', {})
  return applyTransition(tx, current, isRenewal ? 'renewal failed' : 'failed', failure)
}

/** Returns the failure that the hook chooses, or the usual failure if there is no hook. */
function applyHook(
  tx: Transaction,
  { domain }: ManagedDomain,
  usual: AttemptFailure | undefined,
): AttemptFailure | undefined {
  const { attempt } = provisioningOptions(tx.options).hooks
  const error_code = attempt ? attempt(domain, tx.now, usual?.error_code) : usual?.error_code
  if (error_code === usual?.error_code) return usual
  return error_code && { error_code, msg: MESSAGES[error_code], scripted: true }
}

/** Returns the failure that the script, or else simulated DNS, determines for an attempt. If there is none, the attempt succeeds. */
function determineFailure(tx: Transaction, domain: ManagedDomain): AttemptFailure | undefined {
  const scripted = takeScripted(tx, domain.domain)
  if (scripted) return scripted.failure
  const { dns, account } = provisioningOptions(tx.options)
  // (rules: account#states)
  if (account?.state === 'suspended' || account?.state === 'unpaid')
    return {
      error_code: 'INTERNAL_ERROR',
      msg: withCodes(CERTIFICATE_ERRORS.account_suspended.message, ['account_suspended'], tx.dialect),
    }
  if (dns === 'off') return undefined
  const problem = findDnsProblem(tx, domain)
  return problem && { error_code: 'DNS_ERROR', msg: withCodes(problem.text, problem.errors, tx.dialect) }
}

/** Takes the next scripted outcome for a domain, if any. Unless that outcome is a failure, the attempt succeeds. */
export function takeScripted(
  tx: Transaction,
  domain: string,
): { readonly failure: AttemptFailure | undefined } | undefined {
  const { outcome, error, message, retriesAfter } = takeOutcome(tx, domain) ?? {}
  if (outcome === undefined) return undefined
  if (outcome === 'success') return { failure: undefined }
  const key = findCertificateError(error)
  const text = message ?? (key ? CERTIFICATE_ERRORS[key].message : MESSAGES[outcome])
  const msg = key ? withCodes(text, [key], tx.dialect) : text
  return { failure: { error_code: outcome, msg, retriesAfter: parseSignedMs(retriesAfter), scripted: true } }
}

/**
 * Puts a domain under a certificate management policy and starts its job. An unchanged policy changes nothing. An uploaded certificate is
 * dropped immediately. An automatic certificate stays in use until the new certificate is issued (rules:
 * domain-certificates#one-or-the-other).
 */
export function withPolicy<D extends ManagedDomain>(tx: Transaction, domain: D, policy: Policy): D {
  const before = domain.policy
  if (before?.authority === policy.authority && before.private_key_type === policy.private_key_type) return domain
  const idle = before
    ? withoutJob(tx, domain, `The policy now requires an ${policy.private_key_type} key.`)
    : { ...domain, certificate_id: null }
  return attemptWithoutDelay(tx, applyTransition(tx, idle, 'started', { policy }))
}

/** Starts the renewal of a domain's certificate (rules: provisioning-jobs#renewal). */
export function withRenewal<D extends ManagedDomain>(tx: Transaction, domain: D): D {
  return attemptWithoutDelay(tx, applyTransition(tx, domain, 'renewal started', {}))
}

export function withUploadedCertificate<D extends ManagedDomain>(
  tx: Transaction,
  domain: D,
  certificate_id: string,
): D {
  return { ...withoutPolicy(tx, domain), certificate_id }
}

/** Removes a domain's policy, along with its status, its job, and its automatic certificate. */
export function withoutPolicy<D extends ManagedDomain>(tx: Transaction, domain: D): D {
  if (!domain.policy) return domain
  const automatic = domain.certificate_id && tx.get(certificates, domain.certificate_id)
  if (automatic) tx.remove(certificates, automatic)
  const idle = withoutJob(tx, domain, 'The policy was detached from the domain.')
  return { ...idle, policy: null, renews_at: null, due: null, certificate_id: null }
}

function withoutJob<D extends ManagedDomain>(tx: Transaction, domain: D, reason: string): D {
  return domain.job ? applyTransition(tx, domain, 'cancelled', { reason }) : domain
}

/** If the delay is 0, runs the first attempt within the call that starts the job. */
function attemptWithoutDelay<D extends ManagedDomain>(tx: Transaction, domain: D): D {
  return provisioningOptions(tx.options).provisioningDelay === 0 ? runAttempt(tx, domain) : domain
}
