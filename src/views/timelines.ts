import * as v from 'valibot'
import { controlCall } from '../control/control.ts'
import type { Transaction } from '../operation/transaction.ts'
import { certificates } from '../provisioning/certificate-records.ts'
import type { DnsRecord } from '../provisioning/dns.ts'
import { neededRecords } from '../provisioning/dns.ts'
import { provisioningRules } from '../provisioning/managed-domain.ts'
import { type ShownTimelineEntry, shownTimelineEntry } from '../provisioning/timeline.ts'
import { PROVISIONING_STATES, type ProvisioningState, shownTimeline, stateOf } from '../provisioning/transitions.ts'
import { type DomainRecord, domains } from '../resources/reserved-domains/records.ts'
import { documented, named } from '../schema/documentation.ts'
import { idPattern } from '../schema/ids.ts'
import type { SchemasOf } from '../schema/options.ts'
import { count } from '../schema/record-schema.ts'
import { time } from '../schema/schema.ts'
import { timestamp } from '../schema/time.ts'

/** A record that the attempts of a domain look for, and what is found. */
export interface NeededRecord extends DnsRecord {
  /** What is found in its place; null where the name leads to the value. */
  readonly problem: string | null
}

/** What the provisioning of one domain did, and what it does next. */
export interface DomainTimeline {
  /** The id of the domain. */
  readonly id: string
  /** Its hostname. */
  readonly domain: string
  /** Where its provisioning stands. */
  readonly state: ProvisioningState
  /** What is due next, or null. */
  readonly due: { readonly at: string; readonly event: 'attempt' | 'renewal' } | null
  /** When the certificate in use expires; null without one. */
  readonly expiresAt: string | null
  /** The DNS records that attempts look for, where DNS is simulated. */
  readonly records: readonly NeededRecord[]
  /** What happened, oldest first: the last 100 transitions. */
  readonly timeline: readonly ShownTimelineEntry[]
}

/** Which timelines are wanted; all where nothing is said. */
export interface TimelinesQuery {
  /** Only domains whose hostname or id has this in it. */
  readonly name?: string
  /** Only domains whose provisioning stands there. */
  readonly state?: ProvisioningState
  /** How many of them to leave out, from the newest on. */
  readonly skip?: number | string
  /** How many of them to answer at most. Default: all. */
  readonly limit?: number | string
}

/** The timelines that were asked for. */
export interface Timelines {
  /** How many domains the query is true of; `skip` and `limit` take a part of them. */
  readonly total: number
  /** The domains, newest first. */
  readonly timelines: readonly DomainTimeline[]
}

/** What the inspector asks of provisioning. */
export interface TimelinesMember {
  /** The timelines of all domains that have one, with what is due next: all, or those that are asked for. */
  timelines(query?: TimelinesQuery): Timelines
}

const state = v.picklist(PROVISIONING_STATES, PROVISIONING_STATES.join(', '))

const shown = named(
  v.object({
    total: documented(count, 'How many domains the query is true of.'),
    timelines: documented(
      v.array(
        v.object({
          id: documented(v.string(), 'The id of the domain.', { json: { pattern: idPattern('rd') } }),
          domain: documented(v.string(), 'Its hostname.'),
          state: documented(state, 'Where its provisioning stands.'),
          due: documented(
            v.nullable(
              v.object({
                at: documented(time, 'When it is due.'),
                event: documented(v.picklist(['attempt', 'renewal']), 'What is due.'),
              }),
            ),
            'What is due next, or null.',
          ),
          expiresAt: documented(v.nullable(time), 'When the certificate in use expires; null without one.'),
          records: documented(
            v.array(
              v.object({
                name: documented(v.string(), 'The name that is looked for.'),
                type: documented(v.picklist(['CNAME', 'A']), 'The type of record.'),
                value: documented(v.string(), 'What the name must lead to.'),
                problem: documented(v.nullable(v.string()), 'What is found in its place, or null.'),
              }),
            ),
            'The DNS records that attempts look for, where DNS is simulated.',
          ),
          timeline: documented(v.array(shownTimelineEntry), 'What happened, oldest first: the last 100 transitions.'),
        }),
      ),
      'The domains, newest first.',
    ),
  }),
  'Timelines',
  'What the provisioning of domains did, and what it does next.',
)

const wholeNumber = (sentence: string) => {
  const allowed = 'an integer from 0 on'
  const read = v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/, allowed))], allowed),
    v.transform(Number),
    v.safeInteger(allowed),
    v.minValue(0, allowed),
  )
  return v.optional(documented(read, sentence, { json: { type: 'integer', minimum: 0 } }))
}

const query = v.object({
  name: v.optional(documented(v.string(), 'Only domains whose hostname or id has this in it.')),
  state: v.optional(documented(state, 'Only domains whose provisioning stands there.')),
  skip: wholeNumber('How many of them to leave out, from the newest on.'),
  limit: wholeNumber('How many of them to answer at most; all where it is left out.'),
} satisfies SchemasOf<TimelinesQuery>)

/** The timelines of all domains that have one, in one answer. */
export const timelines = controlCall({
  method: 'GET',
  path: '/timelines',
  summary: 'What the provisioning of all domains did and does next',
  from: 'query',
  schema: query,
  answer: shown,
  run: (host, sent) => host.transact((tx) => timelinesOf(tx, sent)),
})

function timelinesOf(
  tx: Transaction,
  { name = '', state, skip = 0, limit = Number.POSITIVE_INFINITY }: v.InferOutput<typeof query>,
): Timelines {
  const wanted = name.toLowerCase()
  const chosen: DomainRecord[] = []
  let total = 0
  for (const domain of tx.newestFirst(domains)) {
    if (!domain.policy && domain.timeline.length === 0) continue
    if (!domain.domain.includes(wanted) && !domain.id.toLowerCase().includes(wanted)) continue
    if (state !== undefined && stateOf(domain) !== state) continue
    if (total >= skip && chosen.length < limit) chosen.push(domain)
    total++
  }
  return { total, timelines: chosen.map((domain) => shownDomainTimeline(tx, domain)) }
}

function shownDomainTimeline(tx: Transaction, domain: DomainRecord): DomainTimeline {
  const { id, due, job, timeline } = domain
  return {
    id,
    domain: domain.domain,
    state: stateOf(domain),
    due: due && { at: timestamp(due.at), event: job ? 'attempt' : 'renewal' },
    expiresAt: expiryOf(tx, domain),
    records: provisioningRules(tx.rules).dns === 'simulated' ? neededRecords(tx, domain) : [],
    timeline: shownTimeline(timeline, provisioningRules(tx.rules)),
  }
}

function expiryOf(tx: Transaction, { certificate_id }: DomainRecord): string | null {
  const certificate = certificate_id === null ? undefined : tx.get(certificates, certificate_id)
  if (!certificate) return null
  return timestamp((certificate.upload ? certificate.upload.leaf : certificate.order).not_after)
}
