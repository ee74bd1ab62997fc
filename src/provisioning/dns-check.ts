import type { Transaction } from '../contract/transaction.ts'
import { normalName } from './dns-names.ts'
import type { DomainRecord } from './domain-records.ts'
import { answerFor } from './zone.ts'

const LONGEST_CHAIN = 8

/**
 * What is wrong with the records that a domain needs, or undefined: its own CNAME and, for a wildcard, the one of the
 * ACME challenge (rules: simulated-dns#needed-records).
 */
export function dnsFinding(tx: Transaction, domain: DomainRecord): string | undefined {
  const challenge = `_acme-challenge.${domain.domain.replace(/^\*\./, '')}`
  return (
    recordFinding(tx, domain.domain, domain.cname_target) ??
    recordFinding(tx, challenge, domain.acme_challenge_cname_target)
  )
}

function recordFinding(tx: Transaction, name: string, target: string | null): string | undefined {
  if (target === null) return undefined
  const found = whatIsFound(tx, name, normalName(target))
  return found === undefined
    ? undefined
    : `Expected a CNAME record for ${name} with the value ${target}. Found ${found}.`
}

/** Follows the CNAME records of a name to the target. Answers what stands in the way, or undefined. */
function whatIsFound(tx: Transaction, name: string, target: string): string | undefined {
  const chain: string[] = []
  for (let at = name, steps = 1; steps <= LONGEST_CHAIN; steps++) {
    const record = answerFor(tx, at)
    if (!record)
      return chain.length === 0 ? `no record for ${name}` : `a CNAME record to ${path(chain)}, which has no record`
    if (record.type === 'A') {
      return chain.length === 0
        ? `an A record with the value ${record.value}`
        : `a CNAME record to ${path(chain)}, which has an A record with the value ${record.value}`
    }
    if (record.value === target) return undefined
    if (record.value === name || chain.includes(record.value))
      return `a loop of CNAME records: ${path([name, ...chain, record.value])}`
    chain.push(record.value)
    at = record.value
  }
  return `a chain of more than ${LONGEST_CHAIN} CNAME records: ${path([name, ...chain])}`
}

function path(names: readonly string[]): string {
  return names.join(' -> ')
}
