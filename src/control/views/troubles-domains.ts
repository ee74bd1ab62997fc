import type { EngineState } from '../../core/engine/engine-state.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timeMs, timestamp } from '../../core/schema/time.ts'
import type { Trouble } from '../../generated/controls.ts'
import { caaZone, zone } from '../../service/provisioning/dns.ts'
import { findNeededRecords } from '../../service/provisioning/dns-check.ts'
import { provisioningOptions } from '../../service/provisioning/managed-domain.ts'
import { ANY_DOMAIN, lastingOutcomes, scriptedOutcomes } from '../../service/provisioning/outcomes.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { describeProblem, findCertificate, groupPendingByDomain } from './timelines.ts'
import { describeLasting, type Fix, MAX_CALLS, MAX_PLACES, removeOutcome } from './troubles-injected.ts'

/** The time before expiry, in ms, at which an uploaded certificate is considered at risk. */
export const SOON_MS = 30 * 86_400_000

/**
 * The cause of one domain's problem, without the name, so domains with the same cause are listed together. Rarely needed values are
 * functions.
 */
interface Cause extends Pick<Trouble, 'kind' | 'cause'> {
  /** For a cause that affects only one domain, returns the cause with names and numbers. */
  readonly alone?: (tx: Transaction) => string
  readonly fix?: () => Fix
  /** The time of the next attempt in ms; absent if none is due. */
  readonly due?: number | undefined
}

interface Group extends Pick<Trouble, 'kind' | 'cause'> {
  readonly alone: Cause['alone']
  readonly about: Trouble['about'][number][]
  readonly fix: Fix[number][]
  count: number
  due: number
}

/** The cause of a domain's problem, if any, between two times in ms, as long as no record in {@link SOURCES} changes. */
interface Known {
  readonly domain: DomainRecord
  /** The kind and the cause. */
  readonly group: string
  readonly found: Cause | undefined
  readonly from: number
  readonly until: number
}

/** The collections on which causes depend. Certificates do not change, and each change to a domain creates a new record. */
const SOURCES = [zone, caaZone, scriptedOutcomes, lastingOutcomes].map(({ name }) => name)

/**
 * Lists the domains that have problems, grouped by cause, with the largest groups first. Causes are cached: finding them again for 10,000
 * domains after one change takes 50 ms.
 */
export function listDomains(state: EngineState, tx: Transaction, maxCalls = MAX_CALLS): Trouble[] {
  const groups = new Map<string, Group>()
  const outcomes = groupPendingByDomain(tx)
  const createKnown = () => ({
    value: new Map<string, Known>(),
    until: isPropagating(tx) ? tx.now : Number.POSITIVE_INFINITY,
  })
  const causes = state.derive(tx, findCause, createKnown, SOURCES)
  for (const domain of tx.newestFirst(domains)) {
    let known = causes.get(domain.id)
    if (known?.domain !== domain || tx.now < known.from || tx.now >= known.until) {
      const found = findCause(tx, domain, outcomes)
      known = {
        domain,
        group: found ? `${found.kind}: ${found.cause}` : '',
        found,
        from: tx.now,
        until: findNextChange(tx, domain),
      }
      causes.set(domain.id, known)
    }
    if (known.found) addToGroup(groups, known, known.found, maxCalls)
  }
  // Domains that were deleted are still among them.
  if (causes.size > 2 * tx.count(domains)) causes.clear()
  return [...groups]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([id, { kind, alone, cause, count, about, fix, due }]) => ({
      kind,
      count,
      cause: (count === 1 && alone?.(tx)) || cause,
      about,
      ...(Number.isFinite(due) && { due: timestamp(due) }),
      ...(fix.length > 0 && { id, fix }),
    }))
}

function addToGroup(groups: Map<string, Group>, { domain, group: id }: Known, found: Cause, maxCalls: number): void {
  const { kind, cause, alone, fix, due = Number.POSITIVE_INFINITY } = found
  const group = groups.get(id) ?? { kind, cause, alone, count: 0, about: [], fix: [], due }
  groups.set(id, group)
  group.count++
  group.due = Math.min(group.due, due)
  if (group.about.length < MAX_PLACES)
    group.about.push({ collection: domains.name, key: domain.id, name: domain.domain })
  if (!fix || group.fix.length >= maxCalls) return
  const calls = fix()
  // One outcome may make all domains fail.
  const isKnown = calls[0]?.method === 'DELETE' && group.count > 1
  if (!isKnown && group.fix.length + calls.length <= maxCalls) group.fix.push(...calls)
}

function findCause(
  tx: Transaction,
  domain: DomainRecord,
  outcomes: ReturnType<typeof groupPendingByDomain>,
): Cause | undefined {
  const { id, job, policy } = domain
  if (!policy) return findCertificateCause(tx, domain)
  const isFailing = job !== null && job.error_code !== null
  const isChecked = provisioningOptions(tx.options).dns === 'simulated'
  const wrong = isChecked ? findNeededRecords(tx, domain).filter(({ found }) => found !== null) : []
  const due = job ? domain.due?.at : undefined
  const next = isFailing ? (outcomes.get(domain.domain)?.[0] ?? outcomes.get(ANY_DOMAIN)?.[0]) : undefined
  const injected = (cause: string, fix: () => Fix): Cause => {
    return { kind: 'injected', cause, alone: (tx) => cause + describeFailure(tx, domain), fix, due }
  }
  if (next?.always) return injected(describeLasting(next), () => removeOutcome(next))
  const fixable = wrong.filter(({ found }) => !found?.isPropagating)
  const [first = wrong[0]] = fixable
  if (first) {
    const cause = describeRecord(
      first,
      first.name === domain.domain ? 'the domain' : 'its ACME challenge',
      'its target',
    )
    const alone: Cause['alone'] = (tx) =>
      describeRecord(first, first.name, first.value) + (isFailing ? describeFailure(tx, domain) : '')
    if (fixable.length === 0) return { kind: 'waiting', cause, alone, due }
    return { kind: job ? 'broken' : 'risk', cause, alone, fix: () => fixable.map(setRecord), due }
  }
  const attempt = () => (due === undefined ? [] : [{ method: 'POST', path: '/provisioning/attempt', body: { id } }])
  if (isFailing && isChecked && job.error_code === 'DNS_ERROR' && !job.scripted)
    return { kind: 'fixed', cause: 'The DNS records are correct now.', fix: attempt, due }
  if (isFailing) return injected(`The last attempt ended in ${job.error_code}, because a test scripted it.`, attempt)
  const problem = findCertificateCause(tx, domain)
  return problem && { ...problem, fix: attempt, due }
}

type WrongRecord = ReturnType<typeof findNeededRecords>[number]

function setRecord({ name, type, value, found }: WrongRecord): Fix[number] {
  return { method: 'PUT', path: '/dns', body: { name, type, value: found?.replacement ?? value } }
}

/** Describes a missing or wrong record, with generic words or the names of the record and its target. */
function describeRecord({ name, type, value, found }: WrongRecord, called: string, target: string): string {
  const expected =
    type === 'CNAME'
      ? `No CNAME record${called.includes('_acme-challenge.') ? ` for ${called}` : ''} leads to ${target}`
      : `No CAA record may forbid ${value} from issuing`
  return `${expected}. Found ${found?.describe(type === 'CNAME' ? called : name)}.`
}

/** Describes a failing job: the number of its attempts, and the expiry of the certificate in use. */
function describeFailure(tx: Transaction, domain: DomainRecord): string {
  const { attempts, internal_errors = 0 } = domain.job ?? {}
  const { notAfter } = findCertificate(tx, domain) ?? {}
  const end = notAfter && ` The certificate ${notAfter <= tx.now ? 'expired' : 'expires'} at ${timestamp(notAfter)}.`
  return ` ${formatCount(attempts ?? internal_errors, 'attempt')} failed.${end ?? ''}`
}

/** Returns whether a DNS record is not yet visible. Messages about such a record count down the seconds. */
export function isPropagating(tx: Transaction): boolean {
  return [zone, caaZone]
    .flatMap((each) => tx.findAll(each, 'delayed', 'yes'))
    .some(({ visibleFrom }) => (timeMs(visibleFrom) ?? 0) > tx.now)
}

/** Returns the next time in ms at which a domain's certificate starts or stops having a problem. */
function findNextChange(tx: Transaction, domain: DomainRecord): number {
  const { notBefore = 0, notAfter = 0, chainNotAfter = 0 } = findCertificate(tx, domain) ?? {}
  const times = [notBefore, notAfter, chainNotAfter, chainNotAfter - SOON_MS]
  return Math.min(...times.filter((at) => at > tx.now))
}

/** Returns why browsers warn visitors of a domain, or soon will. */
function findCertificateCause(tx: Transaction, domain: DomainRecord): Cause | undefined {
  const alone = describeProblem(tx, domain)
  if (alone !== null) {
    const advice = domain.policy ? '' : ' Upload a new certificate, and attach it to the domain.'
    const cause = describeProblem(tx, domain, 'the domain') ?? alone
    return { kind: 'broken', alone: () => alone + advice, cause: cause + advice }
  }
  if (domain.policy) return undefined
  const certificate = findCertificate(tx, domain)
  if (certificate) {
    const { chainNotAfter } = certificate
    const cause = `The uploaded certificate expires at ${timestamp(chainNotAfter)}. It is not renewed automatically. Upload a new one.`
    return chainNotAfter - SOON_MS <= tx.now ? { kind: 'risk', cause } : undefined
  }
  // The service's own domains have a certificate of the service.
  if (domain.cname_target === null) return undefined
  const cause = 'No certificate is attached, and no policy requests one: browsers warn visitors.'
  return { kind: 'risk', cause }
}
