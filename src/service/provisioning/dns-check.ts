import type { Transaction } from '../../core/operation/transaction.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timeMs } from '../../core/schema/time.ts'
import type { DnsRecord, NeededRecord } from '../../generated/controls.ts'
import { getParentKey, normalizeName, parseAuthorities, resolve, reverseLabels, zone } from './dns.ts'

interface DomainTargets {
  readonly domain: string
  readonly policy: { readonly authority: string } | null
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
}

/** Returns what was found, as a fragment for a message. `called` is the word or the name for the record in it. */
type Found = (called: string) => string

/** A needed record, and what was found in its place: null if the name leads to the value. */
interface CheckedRecord extends Pick<NeededRecord, 'name' | 'type' | 'value'> {
  readonly found: Found | null
}

/** Returns the records that a domain needs, as {@link findNeededRecords} does, with their problems in sentences. */
export function checkNeededRecords(tx: Transaction, domain: DomainTargets): NeededRecord[] {
  return findNeededRecords(tx, domain).map(({ name, type, value, found }) => {
    if (!found) return { name, type, value, problem: null, found: null }
    const expected =
      type === 'CNAME'
        ? `a CNAME record for ${name} with the value ${value}`
        : `no CAA record for ${domain.domain} that forbids ${value} to issue, at it or above it`
    return { name, type, value, problem: `Expected ${expected}. Found ${found(name)}.`, found: found(name) }
  })
}

/**
 * Returns the records that a domain needs: its own CNAME and, for a wildcard, the CNAME of the ACME challenge. If these
 * are right, also returns the CAA record that forbids the authority to issue (rules: simulated-dns#needed-records, simulated-dns#caa).
 */
export function findNeededRecords(tx: Transaction, domain: DomainTargets): CheckedRecord[] {
  const targets = [
    [domain.domain, domain.cname_target],
    [`_acme-challenge.${domain.domain.replace(/^\*\./, '')}`, domain.acme_challenge_cname_target],
  ] as const
  const needed = targets.flatMap(([name, value]): CheckedRecord[] => {
    if (value === null) return []
    return [{ name, type: 'CNAME', value, found: findMismatch(tx, name, normalizeName(value)) }]
  })
  return needed.every(({ found }) => found === null) ? [...needed, ...findForbiddingCaa(tx, domain)] : needed
}

/** Returns the CAA record, at the name or the nearest name above, that forbids the authority to issue (RFC 8659, 3). */
function findForbiddingCaa(tx: Transaction, { domain, policy }: DomainTargets): CheckedRecord[] {
  if (!policy) return []
  const { authority } = policy
  for (let key = reverseLabels(domain.replace(/^\*\./, '')); key !== ''; key = getParentKey(key)) {
    const record = tx.get(zone, key)
    if (!record || !isVisible(tx, record)) continue
    const { name, type, value } = record
    const isFailing = type === 'SERVFAIL' || type === 'TIMEOUT'
    if (type !== 'CAA' && !isFailing) continue
    // The service names its authority by the first label of the name that CAA has, such as letsencrypt.org.
    const isAllowed = parseAuthorities(value).some((each) => each === authority || each.startsWith(`${authority}.`))
    if (isAllowed) return []
    const found: Found = (called) =>
      isFailing
        ? describeInsteadOfCname(tx, record, called)
        : `one for ${called} that ${describeAuthorities(value)}. Add ${authority} to it, or remove it`
    return [{ name, type: 'CAA', value: authority, found }]
  }
  return []
}

function describeAuthorities(value: string): string {
  return value === '' ? 'allows no authority' : `allows only ${value}`
}

function isVisible({ now }: Transaction, { visibleFrom }: DnsRecord): boolean {
  return (timeMs(visibleFrom) ?? now) <= now
}

/** Describes the record that a name has instead of a CNAME record, as a fragment for a message. */
function describeInsteadOfCname(tx: Transaction, record: DnsRecord | undefined, name: string): string {
  if (record && !isVisible(tx, record)) {
    const left = formatCount(Math.ceil(((timeMs(record.visibleFrom) ?? 0) - tx.now) / 1000), 'second')
    return `no record for ${name} yet: the one that was set propagates until ${record.visibleFrom}. Wait for another ${left}`
  }
  switch (record?.type) {
    case 'A':
      return `an A record with the value ${record.value}`
    case 'CAA':
      return `a CAA record that ${describeAuthorities(record.value)}`
    case 'PROXY':
      return `addresses of ${record.value}, a CDN that proxies ${name} and hides its CNAME record. Switch its proxy off for this name`
    case 'SERVFAIL':
      return `the answer SERVFAIL of the name servers of ${name}. Correct their zone, for example its DNSSEC`
    case 'TIMEOUT':
      return `no answer of the name servers of ${name} in time. Check that they run and can be reached`
    default:
      return `no record for ${name}`
  }
}

const MAX_CHAIN_LENGTH = 8

/** Follows the CNAME records of a name to its target. Returns null if they lead to the target. */
function findMismatch(tx: Transaction, name: string, target: string): Found | null {
  const chain: string[] = []
  for (let at = name; ; at = chain.at(-1) ?? name) {
    const record = resolve(tx, at)
    if (record?.type !== 'CNAME' || !isVisible(tx, record)) {
      if (chain.length === 0) return (called) => describeInsteadOfCname(tx, record, called)
      const end = record ? describeInsteadOfCname(tx, record, at) : 'no record'
      return () => `a CNAME record to ${joinNames(chain)}, which has ${end}`
    }
    const { value } = record
    if (chain.length === MAX_CHAIN_LENGTH)
      return (called) =>
        `a chain of more than ${MAX_CHAIN_LENGTH} CNAME records: ${joinNames([called, ...chain, value])}`
    if (value === target) return null
    if (value === name || chain.includes(value))
      return (called) => `a loop of CNAME records: ${joinNames([called, ...chain, value === name ? called : value])}`
    chain.push(value)
  }
}

function joinNames(names: readonly string[]): string {
  return names.join(' -> ')
}
