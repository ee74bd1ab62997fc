import * as v from 'valibot'
import { type Control, controlCall } from '../control/control.ts'
import type { DomainTimeline, NeededRecord, Timelines, TimelinesQuery } from '../generated/controls.ts'
import type { Transaction } from '../operation/transaction.ts'
import { certificates } from '../provisioning/certificate-records.ts'
import { neededRecords } from '../provisioning/dns.ts'
import { provisioningRules } from '../provisioning/managed-domain.ts'
import { shownTimelineEntry } from '../provisioning/timeline.ts'
import { PROVISIONING_STATES, shownTimeline, stateOf } from '../provisioning/transitions.ts'
import { type DomainRecord, domains } from '../resources/reserved-domains/records.ts'
import { documented, named } from '../schema/documentation.ts'
import { idPattern } from '../schema/ids.ts'
import { integerFrom } from '../schema/options.ts'
import { count } from '../schema/record-schema.ts'
import { time } from '../schema/schema.ts'
import { timestamp } from '../schema/time.ts'

export type { DomainTimeline, NeededRecord, Timelines, TimelinesQuery }

const state = v.picklist(PROVISIONING_STATES, PROVISIONING_STATES.join(', '))

const neededRecord = named(
  v.object({
    name: documented(v.string(), 'The name that is looked for.'),
    type: documented(v.picklist(['CNAME', 'A']), 'The type of the record.'),
    value: documented(v.string(), 'What the name must lead to.'),
    problem: documented(v.nullable(v.string()), 'What is found in its place; null where the name leads to the value.'),
  }),
  'NeededRecord',
  'A record that the attempts of a domain look for, and what is found.',
)

const due = v.object({
  at: documented(time, 'When it is due.'),
  event: documented(v.picklist(['attempt', 'renewal']), 'What is due.'),
})

const domainTimeline = named(
  v.object({
    id: documented(v.string(), 'The id of the domain.', { json: { pattern: idPattern('rd') } }),
    domain: documented(v.string(), 'Its hostname.'),
    state: documented(state, 'The state of its provisioning.'),
    due: documented(v.nullable(due), 'What is due next, or null.'),
    expiresAt: documented(v.nullable(time), 'When the certificate in use expires; null without one.'),
    records: documented(v.array(neededRecord), 'The DNS records that attempts look for, where DNS is simulated.'),
    timeline: documented(v.array(shownTimelineEntry), 'What happened, oldest first: the last 100 transitions.'),
  }),
  'DomainTimeline',
  'What the provisioning of one domain did, and what it does next.',
)

const shown = named(
  v.object({
    total: documented(count, 'How many domains the query is true of; `skip` and `limit` take a part of them.'),
    timelines: documented(v.array(domainTimeline), 'The domains, newest first.'),
  }),
  'Timelines',
  'What the provisioning of domains did, and what it does next.',
)

/** A number, which a query has as text. */
const wholeNumber = (sentence: string) => {
  const fromText = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))
  const read = v.pipe(v.union([v.number(), fromText], 'an integer'), integerFrom(0, Number.MAX_SAFE_INTEGER))
  return v.optional(documented(read, sentence, { json: { type: 'integer', minimum: 0 } }))
}

const query = named(
  v.object({
    name: v.optional(documented(v.string(), 'Only domains whose hostname or id has this in it.')),
    state: v.optional(documented(state, 'Only domains whose provisioning stands there.')),
    skip: wholeNumber('How many of them to leave out, from the newest on.'),
    limit: wholeNumber('How many of them to answer at most. Default: all.'),
  }),
  'TimelinesQuery',
  'Which timelines are wanted; all where nothing is said.',
)

const read = controlCall({
  method: 'GET',
  path: '/timelines',
  summary: 'What the provisioning of all domains did and does next',
  from: 'query',
  schema: query,
  answer: shown,
  run: (host, sent) => host.transact((tx) => timelinesOf(tx, sent)),
})

export interface TimelinesMember {
  /** The timelines of all domains that have one, with what is due next: all, or those that are asked for. */
  timelines(query?: TimelinesQuery): Timelines
}

/** The timelines of all domains. The types of a gateway leave them to those of `inspected`. */
export const timelines: Control = {
  calls: { read },
  members: (host): TimelinesMember => ({
    timelines: (query = {}) => read.run(host, query),
  }),
}

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
