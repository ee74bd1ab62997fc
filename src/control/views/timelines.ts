import * as v from 'valibot'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { idPattern } from '../../core/schema/ids.ts'
import { integerFrom } from '../../core/schema/options.ts'
import { count } from '../../core/schema/record-schema.ts'
import { time } from '../../core/schema/schema.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { DomainTimeline, ListedOutcome, Timelines, TimelinesQuery } from '../../generated/controls.ts'
import { certificates } from '../../service/provisioning/certificate-records.ts'
import { checkNeededRecords } from '../../service/provisioning/dns-check.ts'
import { provisioningOptions } from '../../service/provisioning/managed-domain.ts'
import { ANY_DOMAIN, listPendingOutcomes } from '../../service/provisioning/outcomes.ts'
import { timelineEntryView } from '../../service/provisioning/timeline.ts'
import { getState, PROVISIONING_STATES, timelineView } from '../../service/provisioning/transitions.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { pendingOutcome } from '../provisioning/script.ts'

const state = v.picklist(PROVISIONING_STATES, PROVISIONING_STATES.join(', '))

const neededRecord = named(
  v.object({
    name: documented(v.string(), 'The name that attempts look up.'),
    type: documented(v.picklist(['CNAME', 'CAA']), 'The type of the record.'),
    value: documented(v.string(), 'The required target of the name, or the authority that must be allowed.'),
    problem: documented(
      v.nullable(v.string()),
      'The expected record and the record found, as text; null if the name resolves to the value.',
    ),
    found: documented(
      v.nullable(v.string()),
      'The second half of the problem: the record found. Null if there is no problem.',
    ),
  }),
  'NeededRecord',
  'A DNS record that the attempts of a domain need, and the problem with it, if any.',
)

const due = v.object({
  at: documented(time, 'The due time.'),
  event: documented(v.picklist(['attempt', 'renewal']), 'The event.'),
})

const domainTimeline = named(
  v.object({
    id: documented(v.string(), 'The ID of the domain.', { json: { pattern: idPattern('rd') } }),
    domain: documented(v.string(), 'Its hostname.'),
    state: documented(state, 'Its provisioning state.'),
    due: documented(v.nullable(due), 'The next due event, or null.'),
    startedAt: documented(v.nullable(time), 'The start of the running job; null if none is running.'),
    attempts: documented(
      v.nullable(count),
      'The number of attempts of the running job or, if none is running, of the last job. Null if it is no longer known.',
    ),
    certificate: documented(v.nullable(v.string()), 'The ID of the certificate in use; null if there is none.'),
    validFrom: documented(
      v.nullable(time),
      'The start of the validity period of the certificate in use; null if there is none.',
    ),
    expiresAt: documented(v.nullable(time), 'The expiry of the certificate in use; null if there is none.'),
    problem: documented(
      v.nullable(v.string()),
      'The problem with the certificate in use: it or one of its issuers has expired, or it is for other names. ' +
        'Null if there is none.',
    ),
    records: documented(v.array(neededRecord), 'The DNS records that attempts need, if DNS is simulated.'),
    pending: documented(
      v.array(pendingOutcome),
      'The outcomes of its next attempts, in order: first those for this domain, then those for any domain. At most 20.',
    ),
    outcomes: documented(count, 'The number of these outcomes, including those that `pending` omits.'),
    timeline: documented(v.array(timelineEntryView), 'The last 100 transitions, oldest first.'),
    earlier: v.exactOptional(
      documented(
        count,
        'The number of these transitions that happened before the server restarted. Absent if there are none.',
      ),
    ),
  }),
  'DomainTimeline',
  'The provisioning of one domain: its transitions and its next due event.',
)

const timelinesView = named(
  v.object({
    total: documented(count, 'The number of domains that match the query, before `skip` and `limit`.'),
    states: documented(
      v.record(v.string(), count),
      'The number of domains in each state, regardless of the `state` in the query.',
    ),
    since: documented(
      v.nullable(time),
      'The time of the oldest transition or job start among the matching domains; null if there is none.',
    ),
    timelines: documented(
      v.array(domainTimeline),
      'The domains: failing domains first with `order=failing`, or newest first.',
    ),
  }),
  'Timelines',
  'The provisioning of domains: their transitions and next due events.',
)

const optionalInteger = (sentence: string) => {
  const fromText = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))
  const read = v.pipe(v.union([v.number(), fromText], 'an integer'), integerFrom(0, Number.MAX_SAFE_INTEGER))
  return v.optional(documented(read, sentence, { json: { type: 'integer', minimum: 0 } }))
}

const query = named(
  v.object({
    name: v.optional(documented(v.string(), 'Only domains whose hostname or ID contains this text.')),
    state: v.optional(documented(state, 'Only domains in this provisioning state.')),
    order: v.optional(
      documented(
        v.picklist(['newest', 'failing'], 'newest, failing'),
        'The order: `newest` first, or `failing` first. Default: newest.',
      ),
    ),
    skip: optionalInteger('The number of domains to skip at the start.'),
    limit: optionalInteger('The maximum number of domains to return. Default: all.'),
  }),
  'TimelinesQuery',
  'A query for timelines. Default: all timelines.',
)

const read = controlCall({
  method: 'GET',
  path: '/timelines',
  summary: 'List the transitions of all domains and their next due events',
  commands: [
    {
      name: 'timeline',
      summary: 'Show past and upcoming provisioning steps, for one domain or for all',
      words: { name: '[DOMAIN]' },
      example: 'app.example.com',
    },
  ],
  from: 'query',
  schema: query,
  response: timelinesView,
  run: (host, sent) => host.transact((tx) => listTimelines(host, tx, sent)),
})

export interface TimelinesMember {
  /** Returns the timelines and next due events of all domains, or of those that match a query. */
  timelines(query?: TimelinesQuery): Timelines
}

/** The type of a gateway omits this member: see `inspected`. */
export const timelines: Control = {
  calls: [read],
  members: (host): TimelinesMember => ({ timelines: (query = {}) => read.run(host, query) }),
}

function listTimelines(
  host: ControlHost,
  tx: Transaction,
  { name = '', state, order, skip = 0, limit }: v.InferOutput<typeof query>,
): Timelines {
  const searched = name.toLowerCase()
  const states: Record<string, number> = {}
  const failing: DomainRecord[] = []
  const others: DomainRecord[] = []
  // In seconds, like the times in timelines.
  let since = Number.POSITIVE_INFINITY
  for (const domain of tx.newestFirst(domains)) {
    const hasProblem = describeProblem(tx, domain) !== null
    if (!domain.policy && domain.timeline.length === 0 && !hasProblem) continue
    if (!domain.domain.includes(searched) && !domain.id.toLowerCase().includes(searched)) continue
    const domainState = getState(domain)
    states[domainState] = (states[domainState] ?? 0) + 1
    if (state !== undefined && domainState !== state) continue
    const start = domain.job ? domain.job.started_at / 1000 : since
    since = Math.min(since, start, domain.timeline[0]?.at ?? since)
    const list = order === 'failing' && (hasProblem || domainState.includes('failing')) ? failing : others
    list.push(domain)
  }
  const all = [...failing, ...others]
  const page = all.slice(skip, skip + (limit ?? all.length))
  const outcomes = groupPendingByDomain(tx)
  return {
    total: all.length,
    // In the order of the states, not of the domains.
    states: Object.fromEntries(PROVISIONING_STATES.flatMap((each) => (states[each] ? [[each, states[each]]] : []))),
    since: Number.isFinite(since) ? timestamp(since * 1000) : null,
    timelines: page.map((domain) => createDomainTimeline(host, tx, domain, outcomes)),
  }
}

const MAX_PENDING = 20

/** Returns the pending outcomes by domain. The key `ANY_DOMAIN` has the outcomes for any domain. */
export function groupPendingByDomain(tx: Transaction): ReadonlyMap<string, ListedOutcome[]> {
  const outcomes = new Map<string, ListedOutcome[]>()
  for (const each of listPendingOutcomes(tx)) {
    const list = outcomes.get(each.domain ?? ANY_DOMAIN)
    if (list) list.push(each)
    else outcomes.set(each.domain ?? ANY_DOMAIN, [each])
  }
  return outcomes
}

function createDomainTimeline(
  { earlierTransitions }: ControlHost,
  tx: Transaction,
  domain: DomainRecord,
  outcomes: ReturnType<typeof groupPendingByDomain>,
): DomainTimeline {
  const { id, due, job, timeline } = domain
  const certificate = findCertificate(tx, domain)
  const own = (domain.policy && outcomes.get(domain.domain)) ?? []
  const forAny = (domain.policy && outcomes.get(ANY_DOMAIN)) ?? []
  const earlier = timeline.findLastIndex((each) => earlierTransitions.has(each)) + 1
  const pending = [...own.slice(0, MAX_PENDING), ...forAny.slice(0, MAX_PENDING)].slice(0, MAX_PENDING)
  return {
    id,
    domain: domain.domain,
    state: getState(domain),
    due: due && { at: timestamp(due.at), event: job ? 'attempt' : 'renewal' },
    startedAt: job && timestamp(job.started_at),
    attempts: countAttempts(domain),
    certificate: certificate ? domain.certificate_id : null,
    validFrom: certificate ? timestamp(certificate.notBefore) : null,
    expiresAt: certificate ? timestamp(certificate.notAfter) : null,
    problem: describeProblem(tx, domain),
    records: provisioningOptions(tx.options).dns === 'simulated' ? checkNeededRecords(tx, domain) : [],
    pending: pending.map(({ id: _, ...each }) => each),
    outcomes: own.length + forAny.length,
    timeline: timelineView(tx, timeline),
    ...(earlier > 0 && { earlier }),
  }
}

function countAttempts({ job, timeline }: DomainRecord): number | null {
  if (job) return job.attempts ?? job.internal_errors
  const start = timeline.findLastIndex(({ transition }) => transition.endsWith('started'))
  if (start < 0 && timeline.length > 0) return null
  return timeline.slice(start + 1).filter(({ outcome }) => outcome !== null).length
}

/** Returns the times and names of the certificate in use, if there is one. */
export function findCertificate(tx: Transaction, { certificate_id }: DomainRecord) {
  const certificate = certificate_id === null ? undefined : tx.get(certificates, certificate_id)
  if (!certificate) return undefined
  const { upload, order } = certificate
  if (!upload)
    return {
      notBefore: order.not_before,
      notAfter: order.not_after,
      chainNotAfter: order.not_after,
      names: [order.domain],
    }
  const { not_before: notBefore, not_after: notAfter, subject_alternative_names: names } = upload.leaf
  return { notBefore, notAfter, chainNotAfter: upload.not_after, names: names.dns_names }
}

/**
 * Describes why browsers would show a certificate warning for a domain: an expired certificate or issuer, or a certificate for other names
 * (RFC 9525, 6.3). `called` is the name to show for the domain.
 */
export function describeProblem(tx: Transaction, domain: DomainRecord, called = domain.domain): string | null {
  const certificate = findCertificate(tx, domain)
  if (!certificate) return null
  const { notBefore, notAfter, chainNotAfter, names } = certificate
  if (notAfter <= tx.now) return `The certificate expired at ${timestamp(notAfter)}.`
  if (chainNotAfter <= tx.now)
    return `An issuer in the chain of the certificate expired at ${timestamp(chainNotAfter)}.`
  const wildcard = domain.domain.replace(/^[^.]+/, '*')
  if (names.some((name) => name === domain.domain || name === wildcard))
    return notBefore > tx.now ? `The certificate is not valid before ${timestamp(notBefore)}.` : null
  return `The certificate is for ${names.slice(0, 3).join(', ') || 'no name'}, not for ${called}.`
}
