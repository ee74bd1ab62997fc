import type { Transaction } from '../operation/transaction.ts'
import { normalName } from './dns-names.ts'
import type { DomainRecord } from './domain-records.ts'
import { answerFor } from './zone.ts'

const LONGEST_CHAIN = 8

/** A CNAME record that a domain needs, and what is wrong with it; null where nothing is. */
interface Needed {
  readonly name: string
  readonly type: 'CNAME'
  readonly value: string
  readonly problem: string | null
}

/**
 * The records that a domain needs: its own CNAME and, for a wildcard, the one of the ACME challenge
 * (rules: simulated-dns#needed-records).
 */
export function neededRecords(tx: Transaction, domain: DomainRecord): Needed[] {
  const challenge = `_acme-challenge.${domain.domain.replace(/^\*\./, '')}`
  return [
    ...needed(tx, domain.domain, domain.cname_target),
    ...needed(tx, challenge, domain.acme_challenge_cname_target),
  ]
}

/** What is wrong with the records that a domain needs, or undefined. */
export function dnsFinding(tx: Transaction, domain: DomainRecord): string | undefined {
  return neededRecords(tx, domain).find(({ problem }) => problem !== null)?.problem ?? undefined
}

function needed(tx: Transaction, name: string, value: string | null): Needed[] {
  if (value === null) return []
  const found = whatIsFound(tx, name, normalName(value))
  const problem =
    found === undefined ? null : `Expected a CNAME record for ${name} with the value ${value}. Found ${found}.`
  return [{ name, type: 'CNAME', value, problem }]
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
