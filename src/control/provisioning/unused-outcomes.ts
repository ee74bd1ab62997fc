import type { Transaction } from '../../operation/transaction.ts'
import { pendingOutcomes } from '../../provisioning/outcomes.ts'
import { type DomainRecord, domains } from '../../resources/reserved-domains/records.ts'
import { timestamp } from '../../schema/time.ts'

/** How many unused outcomes a message names, and of how many domains it says why. */
const MOST_NAMED = 20
const MOST_EXPLAINED = 5

/** Which outcomes on order no attempt has used, and why; undefined where there are none. */
export function unusedOutcomes(tx: Transaction): string | undefined {
  const left = pendingOutcomes(tx)
  if (left.length === 0) return undefined
  const named = left.slice(0, MOST_NAMED).map(({ domain, outcome }) => `${outcome} for ${domain ?? 'any domain'}`)
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : ''
  const scopes = [...new Set(left.map(({ domain }) => domain))].slice(0, MOST_EXPLAINED)
  const reasons = scopes.map((domain) => `\n  ${domain ?? 'any domain'}: ${domain ? whyNot(tx, domain) : whyNone(tx)}.`)
  return `No attempt used these outcomes: ${named.join(', ')}${more}.${reasons.join('')}`
}

function whyNot(tx: Transaction, name: string): string {
  const domain = tx.find(domains, 'domain', name)
  if (!domain) return 'no domain of that name is reserved'
  if (!domain.policy) return 'it has no certificate management policy, so there are no attempts'
  return `${domain.job ? 'its next attempt' : 'its renewal'} is due ${dueAt(domain, tx)}`
}

function whyNone(tx: Transaction): string {
  let next: DomainRecord | undefined
  for (const domain of tx.newestFirst(domains)) {
    if (domain.due && !(next?.due && next.due.at < domain.due.at)) next = domain
  }
  if (!next) return 'no domain has an attempt before it'
  return `the next ${next.job ? 'attempt' : 'renewal'}, of ${next.domain}, is due ${dueAt(next, tx)}`
}

function dueAt({ due }: DomainRecord, tx: Transaction): string {
  return due ? `at ${timestamp(due.at)}, and it is ${timestamp(tx.now)}` : 'after the last time that there is'
}
