import * as v from 'valibot'
import { collection, type Due } from '../operation/collection.ts'
import { documented, named } from '../schema/documentation.ts'
import { declareErrors, tooLong } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import {
  drawn,
  dueTime,
  idOf,
  instant,
  oneOfThese,
  recordHead,
  scheduledTime,
  someText,
} from '../schema/record-schema.ts'
import { type Report, rule } from '../schema/rule.ts'
import { description, METADATA, REGIONS, textOfBytes } from '../schema/schema.ts'
import { LATEST_TIME } from '../schema/time.ts'
import type { Frozen } from '../schema/values.ts'
import { MANAGED_KEY_TYPES } from '../x509/order.ts'
import { isDnsName, normalName } from './dns-names.ts'
import { domainName } from './domain-names.ts'
import { entriesOf, timeline, timelineOf } from './timeline.ts'

/** What can be wrong with the texts of a reserved domain. */
export const recordErrors = declareErrors({
  domain_metadata_too_long: tooLong(421),
})

const policy = v.object({ authority: someText, private_key_type: oneOfThese(MANAGED_KEY_TYPES) })

/** How certificates of a domain are managed (rules: domain-certificates#one-or-the-other). */
export type Policy = Frozen<v.InferOutput<typeof policy>>

/** Why a provisioning attempt can fail (rules: provisioning-jobs#failure). */
export const PROVISIONING_ERRORS = ['INTERNAL_ERROR', 'DNS_ERROR'] as const

/** Why a provisioning attempt can fail (rules: provisioning-jobs#failure). */
export type ProvisioningError = (typeof PROVISIONING_ERRORS)[number]

const job = v.object({
  error_code: v.nullable(oneOfThese(PROVISIONING_ERRORS)),
  msg: v.string(),
  started_at: instant,
  retries_at: v.nullable(scheduledTime),
  /** How often it has met an INTERNAL_ERROR, which is what the backoff grows with. */
  internal_errors: drawn,
})

/** A running provisioning job (rules: provisioning-jobs#start); times in ms since 1970. */
export type Job = Frozen<v.InferOutput<typeof job>>

const dnsName = v.pipe(
  v.string(),
  rule([], (name, report) => {
    if (!isDnsName(normalName(name))) report(general.field_invalid, { allowed: 'a DNS name' })
  }),
)

export const domainMetadata = textOfBytes(4096, recordErrors.domain_metadata_too_long, METADATA)

const place = v.pipe(v.string(), v.nonEmpty('a non-empty string'))

export const resolvesTo = documented(
  v.array(
    named(
      v.object({ value: documented(place, 'What the place is called, such as a region.') }),
      'ResolvesTo',
      'A place that a name resolves to.',
    ),
  ),
  'Where the name resolves to; `[]` empties it.',
)

const fields = v.object({
  ...recordHead('rd', { description, metadata: domainMetadata }),
  domain: domainName,
  region: v.nullable(oneOfThese(REGIONS)),
  cname_target: v.nullable(dnsName),
  acme_challenge_cname_target: v.nullable(dnsName),
  certificate_id: v.nullable(idOf('cert')),
  policy: v.nullable(policy),
  renews_at: v.nullable(scheduledTime),
  job: v.nullable(job),
  /** The job's next attempt or, where no job runs, the next renewal. */
  due: v.nullable(v.object({ at: dueTime, order: drawn }) satisfies v.GenericSchema<unknown, Due>),
  /** What its provisioning did, oldest first. */
  timeline,
  http_endpoint_configuration_id: v.nullable(idOf('ec')),
  https_endpoint_configuration_id: v.nullable(idOf('ec')),
  /** Where the name resolves to; absent until it was set. */
  resolves_to: v.exactOptional(resolvesTo),
})

/** A reserved domain as it is kept. */
export type DomainRecord = Frozen<v.InferOutput<typeof fields>>

/** What the parts of a domain must be to one another (rules: domain-certificates#one-or-the-other, provisioning-jobs#state). */
const consistent = rule([], (domain: v.InferOutput<typeof fields>, report) => {
  const { policy, job, due, renews_at } = domain
  const isManaged = policy !== null
  const hasTarget = domain.cname_target !== null && domain.domain.startsWith('*.')
  const wanted: readonly (readonly [field: keyof DomainRecord, isWanted: boolean, when: string])[] = [
    ['acme_challenge_cname_target', hasTarget, 'a wildcard with a cname_target'],
    ['job', isManaged && job !== null, 'a policy'],
    ['certificate_id', domain.certificate_id !== null || (isManaged && job === null), 'a policy and no job'],
    ['renews_at', isManaged && domain.certificate_id !== null, 'a policy and a certificate'],
    ['due', isManaged && (due !== null || !mayNeverBe(domain)), 'a policy'],
  ]
  for (const [field, isWanted, when] of wanted) {
    const value = domain[field]
    const allowed = isWanted ? `a value, with ${when}` : `null, without ${when}`
    if ((value !== null) !== isWanted) report(general.field_invalid, { allowed }, { path: [field], value })
  }
  if (job) reportJob(job, report)
  const at = job ? job.retries_at : renews_at
  if (due && at !== null && due.at !== at) {
    const allowed = `${at}, as in ${job ? 'job.retries_at' : 'renews_at'}`
    report(general.field_invalid, { allowed }, { path: ['due', 'at'], value: due.at })
  }
})

/** What lies behind the last time that there is, is not due; when a new job's first attempt would be, nothing says. */
function mayNeverBe({ job, renews_at }: Pick<DomainRecord, 'job' | 'renews_at'>): boolean {
  const at = job ? job.retries_at : renews_at
  return at === null || at === LATEST_TIME
}

function reportJob({ error_code, retries_at, internal_errors }: Job, report: Report): void {
  const isFailing = error_code !== null
  if ((retries_at !== null) !== isFailing) {
    const allowed = isFailing ? 'a value, with an error_code' : 'null, without an error_code'
    report(general.field_invalid, { allowed }, { path: ['job', 'retries_at'], value: retries_at })
  }
  const isCounted = isFailing ? error_code !== 'INTERNAL_ERROR' || internal_errors > 0 : internal_errors === 0
  if (!isCounted) {
    const allowed = isFailing ? 'at least 1 with INTERNAL_ERROR' : '0 without an error_code'
    report(general.field_invalid, { allowed }, { path: ['job', 'internal_errors'], value: internal_errors })
  }
}

/** A domain as snapshots and stores have it. */
type ShownDomain = Frozen<v.InferInput<typeof fields>>

function shownDomain(record: DomainRecord): DomainRecord | ShownDomain {
  return record.timeline.length === 0 ? record : { ...record, timeline: entriesOf(record.timeline) }
}

function storedDomain(stored: object): DomainRecord {
  // A store gives back what it was given.
  const domain = stored as Omit<DomainRecord, 'timeline'> & Pick<ShownDomain, 'timeline'>
  return { ...domain, timeline: timelineOf(domain.timeline) }
}

export const domains = collection<DomainRecord>({
  name: 'reserved_domains',
  key: (record) => record.id,
  schema: v.pipe(fields, consistent),
  indexes: { domain: (record) => record.domain, certificate: (record) => record.certificate_id },
  due: (record) => record.due,
  exported: shownDomain,
  stored: { of: shownDomain, from: storedDomain },
})
