import type { Transaction } from '../operation/transaction.ts'
import { dnsFinding } from './dns-check.ts'
import type { DomainRecord, ProvisioningError } from './domain-records.ts'
import { takeOutcome } from './outcomes.ts'
import { provisioningRules } from './rules.ts'
import { transit } from './transitions.ts'

/** What failing attempts say when nothing closer is known. */
const MESSAGES: Readonly<Record<ProvisioningError, string>> = {
  INTERNAL_ERROR: 'The certificate authority could not be asked. This is temporary.',
  DNS_ERROR: 'The DNS records of the domain do not point to their targets. Correct them.',
}

/** Runs one attempt of a domain's job now: success or failure, as decided under "Provisioning jobs", 2 to 4. */
export function attempt(tx: Transaction, domain: DomainRecord): DomainRecord {
  const tried = domain.job?.error_code ? transit(tx, domain, 'retried', {}) : domain
  const isRenewal = domain.certificate_id !== null
  const failure = failureOf(tx, tried)
  if (!failure) return transit(tx, tried, isRenewal ? 'renewed' : 'issued', {})
  return transit(tx, tried, isRenewal ? 'renewal failed' : 'failed', failure)
}

/** Why an attempt fails now, or undefined: the script's word first, then the zone's, else success. */
function failureOf(tx: Transaction, domain: DomainRecord): { error_code: ProvisioningError; msg: string } | undefined {
  const scripted = takeOutcome(tx, domain.domain)
  if (scripted === 'success') return undefined
  if (scripted) return { error_code: scripted, msg: MESSAGES[scripted] }
  const finding = provisioningRules(tx.rules).dns === 'simulated' ? dnsFinding(tx, domain) : undefined
  return finding === undefined ? undefined : { error_code: 'DNS_ERROR', msg: finding }
}
