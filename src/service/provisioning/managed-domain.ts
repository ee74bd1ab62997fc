import * as v from 'valibot'
import type { Collection, Due } from '../../core/operation/collection.ts'
import { sectionReader } from '../../core/operation/family.ts'
import { general } from '../../core/schema/general-errors.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import {
  dueTime,
  idOf,
  instant,
  made,
  scheduledTime,
  sequenceNumber,
  someText,
} from '../../core/schema/record-schema.ts'
import { type Report, rule } from '../../core/schema/rule.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Frozen } from '../../core/schema/values.ts'
import { MANAGED_KEY_TYPES } from '../x509/order.ts'
import type { CertificateLifetime } from './certificate-profiles.ts'
import { isDnsName, normalizeName } from './dns.ts'
import { PROVISIONING_ERRORS, type ProvisioningError } from './outcomes.ts'
import { timeline } from './timeline.ts'

/** A gateway's provisioning options. See `GatewayOptions` for their meanings and defaults. Durations are in ms. */
export interface ProvisioningOptions {
  readonly dns: 'off' | 'simulated'
  readonly provisioningDelay: number
  readonly account?: { readonly state?: string | undefined } | undefined
  readonly certificates: CertificateLifetime | undefined
  readonly internalErrorBackoff: { readonly first: number; readonly most: number }
  readonly dnsErrorRetry: number
  readonly quirks: { readonly lateStatus: boolean }
  readonly hooks: AttemptHooks
  /** The collection of all domains. The number of domains limits the timelines. */
  readonly domains: Collection<object>
}

/** A hook that can decide the outcome of each provisioning attempt. */
export interface AttemptHooks {
  /** Called at each attempt with its usual error, if any. Returns the error to use; without the hook, the usual error applies. */
  attempt?:
    | ((domain: string, now: number, usual: ProvisioningError | undefined) => ProvisioningError | undefined)
    | undefined
}

export const provisioningOptions = sectionReader<ProvisioningOptions>('provisioningDelay')

export const policy = v.object({ authority: someText, private_key_type: oneOfThese(MANAGED_KEY_TYPES) })

export type Policy = Frozen<v.InferOutput<typeof policy>>

export const job = v.object({
  error_code: v.nullable(oneOfThese(PROVISIONING_ERRORS)),
  msg: v.string(),
  started_at: instant,
  retries_at: v.nullable(scheduledTime),
  /** The number of INTERNAL_ERRORs so far. Each error increases the backoff. */
  internal_errors: sequenceNumber,
  /** The number of failed attempts so far. Absent if there are none, and in records from older versions. */
  attempts: v.exactOptional(sequenceNumber),
  /** True if a test's script or hook caused the last attempt to fail. */
  scripted: v.exactOptional(v.literal(true)),
})

/** A running provisioning job (rules: provisioning-jobs#start). Times are in ms since the Unix epoch. */
export type Job = Frozen<v.InferOutput<typeof job>>

const dnsName = v.pipe(
  v.string(),
  rule([], (name, report) => {
    if (!isDnsName(normalizeName(name))) report(general.field_invalid, { allowed: 'a DNS name' })
  }),
)

export const managedFields = {
  cname_target: v.nullable(made(dnsName)),
  acme_challenge_cname_target: v.nullable(made(dnsName)),
  certificate_id: v.nullable(idOf('cert')),
  policy: v.nullable(policy),
  renews_at: v.nullable(scheduledTime),
  job: v.nullable(made(job)),
  /** The job's next attempt or, without a job, the next renewal. */
  due: v.nullable(made(v.object({ at: dueTime, order: sequenceNumber })) satisfies v.GenericSchema<unknown, Due>),
  timeline,
}

type ManagedFields = v.InferOutput<v.ObjectSchema<typeof managedFields, undefined>>

export type ManagedDomain = Frozen<ManagedFields> & { readonly domain: string }

/**
 * Reports a record with contradictory fields (rules: domain-certificates#one-or-the-other, provisioning-jobs#state). A job whose
 * `retries_at` has passed by `now` is due later.
 */
export function checkManaged(domain: ManagedFields & { domain: string }, report: Report, now: number): void {
  const { policy, job, due, renews_at } = domain
  const isManaged = policy !== null
  const hasTarget = domain.cname_target !== null && domain.domain.startsWith('*.')
  const expected: readonly (readonly [field: keyof ManagedFields, isPresent: boolean, when: string])[] = [
    ['acme_challenge_cname_target', hasTarget, 'a wildcard domain with a cname_target'],
    ['job', isManaged && job !== null, 'a policy'],
    ['certificate_id', domain.certificate_id !== null || (isManaged && job === null), 'a policy and no job'],
    ['renews_at', isManaged && domain.certificate_id !== null, 'a policy and a certificate'],
    ['due', isManaged && (due !== null || !mayNeverHappen(domain, now)), 'a policy'],
  ]
  for (const [field, isPresent, when] of expected) {
    const value = domain[field]
    const allowed = isPresent ? `a value, with ${when}` : `null, without ${when}`
    if ((value !== null) !== isPresent) report(general.field_invalid, { allowed }, { path: [field], value })
  }
  if (job) checkJob(job, report)
  const at = job ? job.retries_at : renews_at
  if (due && at !== null && due.at !== at && !(job && at <= now)) {
    const allowed = `${at}, the value of ${job ? 'job.retries_at' : 'renews_at'}`
    report(general.field_invalid, { allowed }, { path: ['due', 'at'], value: due.at })
  }
}

/**
 * Returns whether the next event may be after the year 9999, so that it never falls due. Records don't contain the time of a job's first
 * attempt, or of an attempt whose `retries_at` has passed.
 */
function mayNeverHappen({ job, renews_at }: ManagedFields, now: number): boolean {
  const at = job ? job.retries_at : renews_at
  return at === null || at === LATEST_TIME || (job !== null && at <= now)
}

function checkJob({ error_code, retries_at, internal_errors }: Job, report: Report): void {
  const isFailing = error_code !== null
  if ((retries_at !== null) !== isFailing) {
    const allowed = isFailing ? 'a value, with an error_code' : 'null, without an error_code'
    report(general.field_invalid, { allowed }, { path: ['job', 'retries_at'], value: retries_at })
  }
  const isCountValid = isFailing ? error_code !== 'INTERNAL_ERROR' || internal_errors > 0 : internal_errors === 0
  if (!isCountValid) {
    const allowed = isFailing ? 'at least 1 with INTERNAL_ERROR' : '0 without an error_code'
    report(general.field_invalid, { allowed }, { path: ['job', 'internal_errors'], value: internal_errors })
  }
}
