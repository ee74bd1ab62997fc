import type { Transaction } from '../../core/operation/transaction.ts'
import { timestamp } from '../../core/schema/time.ts'
import { ANY_DOMAIN, listPendingOutcomes, listUnusedLasting } from '../../service/provisioning/outcomes.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'

const MAX_NAMED = 20
const MAX_EXPLAINED = 5

/** Describes the outcomes that no attempt has used, and why. Returns undefined if there are none. */
export function describeUnusedOutcomes(tx: Transaction): string | undefined {
  const lasting = listUnusedLasting(tx).map(({ domain, outcome, error }) => ({
    domain: domain === ANY_DOMAIN ? null : domain,
    outcome: `always ${error ?? outcome}`,
  }))
  const scripted = listPendingOutcomes(tx).flatMap(({ always, domain, outcome, error }) =>
    always ? [] : { domain, outcome: error ?? outcome },
  )
  const unused = [...scripted, ...lasting]
  if (unused.length === 0) return undefined
  const texts = unused.slice(0, MAX_NAMED).map(({ domain, outcome }) => `${outcome} for ${domain ?? 'any domain'}`)
  const more = unused.length > MAX_NAMED ? ` and ${unused.length - MAX_NAMED} more` : ''
  const scopes = [...new Set(unused.map(({ domain }) => domain))].slice(0, MAX_EXPLAINED)
  const reasons = scopes.map(
    (domain) => `\n  ${domain ?? 'any domain'}: ${domain ? explainUnused(tx, domain) : explainUnusedForAny(tx)}.`,
  )
  return `No attempt used these outcomes: ${texts.join(', ')}${more}.${reasons.join('')}`
}

function explainUnused(tx: Transaction, name: string): string {
  const domain = tx.find(domains, 'domain', name)
  if (!domain) return `no domain with that name is reserved${describeNewest(tx)}`
  if (!domain.policy) return 'it has no certificate management policy, so there are no attempts'
  return `${domain.job ? 'its next attempt' : 'its renewal'} is due ${describeDue(domain, tx)}`
}

const MAX_NEWEST = 5

function describeNewest(tx: Transaction): string {
  const names = [...tx.newestFirst(domains)].slice(0, MAX_NEWEST).map(({ domain }) => domain)
  return names.length === 0 ? '' : `; the newest are ${names.join(', ')}`
}

function explainUnusedForAny(tx: Transaction): string {
  let next: DomainRecord | undefined
  for (const domain of tx.newestFirst(domains)) {
    if (domain.due && !(next?.due && next.due.at < domain.due.at)) next = domain
  }
  if (!next) return 'no domain has a pending attempt or renewal'
  return `the next ${next.job ? 'attempt' : 'renewal'}, for ${next.domain}, is due ${describeDue(next, tx)}`
}

function describeDue({ due }: DomainRecord, tx: Transaction): string {
  return due ? `at ${timestamp(due.at)}, and it is ${timestamp(tx.now)}` : 'after the year 9999'
}
