import type { Transaction } from '../../core/operation/transaction.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timeMs } from '../../core/schema/time.ts'
import type { DnsRecord, NeededRecord } from '../../generated/controls.ts'
import { addIssuer, type CaaProblem, describeCaa, describeIssuers, findCaaProblem } from './caa.ts'
import type { CertificateErrorKey } from './certificate-errors.ts'
import { getCaa, getParentKey, normalizeName, resolve, reverseLabels, zone } from './dns.ts'

interface DomainTargets {
  readonly domain: string
  readonly policy: { readonly authority: string } | null
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
}

/** A problem with a required record. */
type RecordProblem = 'missing' | 'address' | 'mismatch' | 'proxied' | 'lookup failed' | CaaProblem

/** The record that was found instead of a required one. */
interface Found {
  readonly problem: RecordProblem
  /** Describes, as a fragment for a message, the record that was found. `called` is the required record's name, or a term for it. */
  describe(called: string): string
  /** The value of a record that fixes the problem. Default: the value of the required record. */
  readonly replacement?: string
  /** The advice to wait, if a record was set that is not visible yet. */
  readonly wait?: string
  /** True if nothing but time is missing. */
  readonly isPropagating?: true
}

/** A required record, and what was found instead, or null if the name resolves correctly. */
interface CheckedRecord extends Pick<NeededRecord, 'name' | 'type' | 'value'> {
  readonly found: Found | null
}

/** Returns the records that a domain needs, like {@link findNeededRecords}, with their problems as sentences. */
export function checkNeededRecords(tx: Transaction, domain: DomainTargets): NeededRecord[] {
  return findNeededRecords(tx, domain).map((record) => {
    const { name, type, value, found } = record
    const problem = found && describeProblem(record, found, domain)
    return { name, type, value, problem, found: found?.describe(name) ?? null }
  })
}

function describeProblem({ name, type, value }: CheckedRecord, found: Found, { domain }: DomainTargets): string {
  const expected =
    type === 'CNAME'
      ? `a CNAME record for ${name} with the value ${value}`
      : `no CAA record for ${domain} or a parent domain that forbids ${value} to issue`
  return `Expected ${expected}. Found ${found.describe(name)}.`
}

/** Returns the first problem with the records that a domain needs, with its numbered errors. */
export function findDnsProblem(tx: Transaction, domain: DomainTargets) {
  for (const record of findNeededRecords(tx, domain)) {
    const { found } = record
    if (found) return { text: describeProblem(record, found, domain), errors: errorsOf(found, record, domain) }
  }
  return undefined
}

/** The numbered errors of each problem: the error of the check and the error of the record (rules: simulated-dns#numbers). */
const ERRORS: Readonly<Record<RecordProblem, readonly CertificateErrorKey[]>> = {
  missing: ['dcv_cname_missing', 'cname_missing'],
  address: ['dcv_cname_missing', 'cname_is_address'],
  mismatch: ['dcv_cname_mismatch', 'cname_mismatch'],
  proxied: ['dcv_cname_missing', 'domain_proxied'],
  'lookup failed': ['preflight_check_failed', 'lookup_failed'],
  'not authorized': ['caa_check_blocked', 'caa_not_authorized'],
  account: ['caa_check_blocked', 'caa_account_restricted'],
  method: ['caa_check_blocked', 'caa_method_restricted'],
}

/** The numbered errors for a challenge's CNAME record. */
const CHALLENGE_ERRORS: typeof ERRORS = {
  ...ERRORS,
  missing: ['dns_01_cname_missing', 'challenge_missing'],
  address: ['dns_01_cname_missing', 'challenge_is_address'],
  mismatch: ['dns_01_cname_mismatch', 'challenge_mismatch'],
  proxied: ['dns_01_cname_missing', 'challenge_proxied'],
}

function errorsOf(
  { problem }: Found,
  { name, type }: CheckedRecord,
  { domain }: DomainTargets,
): readonly CertificateErrorKey[] {
  if (type === 'CAA')
    return problem === 'lookup failed' ? ['caa_check_lookup_failed', 'lookup_failed'] : ERRORS[problem]
  if (name !== domain) return CHALLENGE_ERRORS[problem]
  const isWildcard = problem === 'proxied' && domain.startsWith('*.')
  return isWildcard ? ['dcv_cname_missing', 'wildcard_proxied'] : ERRORS[problem]
}

/**
 * Returns the records that a domain needs: its own CNAME and, for a wildcard, the CNAME of the ACME challenge. If these are correct, also
 * returns the CAA record, if any, that forbids the certificate authority from issuing (rules: simulated-dns#required-records,
 * simulated-dns#caa).
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

/** Returns the CAA record, at the name or its nearest parent, that forbids the certificate authority from issuing (RFC 8659, 3). */
function findForbiddingCaa(tx: Transaction, { domain, policy }: DomainTargets): CheckedRecord[] {
  if (!policy) return []
  const { authority } = policy
  for (let key = reverseLabels(domain.replace(/^\*\./, '')); key !== ''; key = getParentKey(key)) {
    const failing = tx.get(zone, key)
    if (failing && isVisible(tx, failing) && (failing.type === 'SERVFAIL' || failing.type === 'TIMEOUT'))
      return [{ name: failing.name, type: 'CAA', value: authority, found: findInstead(tx, failing) }]
    const caa = getCaa(tx, key)
    if (!caa || !isVisible(tx, caa)) continue
    const problem = findCaaProblem(caa, authority, domain)
    if (!problem) return []
    const describe = (called: string) => `one for ${called} that ${describeCaa(caa, domain, problem, authority)}`
    const replacement = addIssuer(caa, authority)
    return [{ name: caa.name, type: 'CAA', value: authority, found: { problem, describe, replacement } }]
  }
  return []
}

function isVisible({ now }: Transaction, { visibleFrom }: DnsRecord): boolean {
  return (timeMs(visibleFrom) ?? now) <= now
}

/** Returns the record that exists for a name instead of a CNAME record. */
function findInstead(tx: Transaction, record: DnsRecord | undefined, isSeen = isVisible): Found {
  if (record && !isSeen(tx, record)) {
    const left = formatCount(Math.ceil(((timeMs(record.visibleFrom) ?? 0) - tx.now) / 1000), 'second')
    const until = `the record was set, but won't propagate until ${record.visibleFrom}`
    return {
      problem: 'missing',
      describe: (name) => `no record for ${name} yet: ${until}`,
      wait: `Wait another ${left}`,
    }
  }
  switch (record?.type) {
    case 'A':
      return { problem: 'address', describe: () => `an A record with the value ${record.value}` }
    case 'CAA':
      return { problem: 'missing', describe: () => `a CAA record that ${describeIssuers(record)}` }
    case 'PROXY':
      return {
        problem: /^cloudflare$/i.test(record.value ?? '') ? 'proxied' : 'address',
        describe: (name) =>
          `addresses of ${record.value}, a CDN that proxies ${name} and hides its CNAME record. Turn off its ` +
          `proxy for this name`,
      }
    case 'SERVFAIL':
      return {
        problem: 'lookup failed',
        describe: (name) =>
          `a SERVFAIL response from the name servers for ${name}. Fix their zone, for example its DNSSEC records`,
      }
    case 'TIMEOUT':
      return {
        problem: 'lookup failed',
        describe: (name) =>
          `no response in time from the name servers for ${name}. Check that they are running and reachable`,
      }
    default:
      return { problem: 'missing', describe: (name) => `no record for ${name}` }
  }
}

const MAX_CHAIN_LENGTH = 8

/** Follows a name's CNAME records to a target. Returns null if the target is the expected one. Also follows records not yet visible. */
function findMismatch(tx: Transaction, name: string, target: string): Found | null {
  const found = followRecords(tx, name, target, isVisible)
  if (!found?.wait) return found
  const later = followRecords(tx, name, target, () => true)
  const describe = (called: string) =>
    `${found.describe(called)}. ${later ? `After that: ${later.describe(called)}` : found.wait}`
  return { ...found, describe, ...(!later && { isPropagating: true }) }
}

/** Follows the visible CNAME records of a name. */
function followRecords(tx: Transaction, name: string, target: string, isSeen: typeof isVisible): Found | null {
  const chain: string[] = []
  const mismatch = (describe: Found['describe']): Found => ({ problem: 'mismatch', describe })
  for (let at = name; ; at = chain.at(-1) ?? name) {
    const record = resolve(tx, at)
    if (record?.type !== 'CNAME' || !isSeen(tx, record)) {
      const end = findInstead(tx, record, isSeen)
      if (chain.length === 0) return end
      const what = record ? end.describe(at) : 'no record'
      const found = mismatch(() => `a CNAME record to ${joinNames(chain)}, which has ${what}`)
      return end.wait === undefined ? found : { ...found, wait: end.wait }
    }
    const { value = '' } = record
    if (chain.length === MAX_CHAIN_LENGTH)
      return mismatch(
        (called) => `a chain of more than ${MAX_CHAIN_LENGTH} CNAME records: ${joinNames([called, ...chain, value])}`,
      )
    if (value === target) return null
    if (value === name || chain.includes(value))
      return mismatch(
        (called) => `a loop of CNAME records: ${joinNames([called, ...chain, value === name ? called : value])}`,
      )
    chain.push(value)
  }
}

function joinNames(names: readonly string[]): string {
  return names.join(' -> ')
}
