import { schedule } from '../../core/operation/schedule.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { LATEST_TIME, roundUpToSecond, timestamp } from '../../core/schema/time.ts'
import type { TimelineEntry } from '../../generated/controls.ts'
import { getCertificateLifetime } from './certificate-profiles.ts'
import { type CertificateRecord, certificates } from './certificate-records.ts'
import {
  type Job,
  type ManagedDomain,
  type Policy,
  type ProvisioningOptions,
  provisioningOptions,
} from './managed-domain.ts'
import type { ProvisioningError } from './outcomes.ts'
import { type Timeline, type TimelineRecord, type Transition, withEntry } from './timeline.ts'

export const PROVISIONING_STATES = [
  'unmanaged',
  'provisioning',
  'failing',
  'issued',
  'renewing',
  'renewal failing',
] as const

/** The state of a domain's provisioning (rules: provisioning-jobs#state). It is never stored: {@link getState} computes it. */
type ProvisioningState = (typeof PROVISIONING_STATES)[number]

/** The effects of a transition: the changes to the domain, and the parts of the timeline entry that differ. */
interface Effects extends Partial<Pick<TimelineRecord, 'outcome' | 'note'>> {
  readonly changes: Partial<ManagedDomain>
}

interface Row<TransitionInput> {
  readonly from: readonly ProvisioningState[]
  readonly apply: (tx: Transaction, domain: ManagedDomain, facts: TransitionInput) => Effects
  readonly message: (entry: TimelineRecord, rules: ProvisioningOptions) => string
}

/** The reason for an attempt's failure. */
export interface AttemptFailure {
  readonly error_code: ProvisioningError
  readonly msg: string
  /** The time until `retries_at`, in ms. Can be negative. Default: the usual wait. */
  readonly retriesAfter?: number | undefined
  /** True if a test's scripted outcome or hook caused the failure. */
  readonly scripted?: true
}

const failure = {
  apply: failJob,
  message: ({ outcome, note }: TimelineRecord) => `${outcome}: ${note}`,
}

const success = {
  apply: putNewCertificate,
  message: ({ at, note }: TimelineRecord, rules: ProvisioningOptions) => {
    const issuedAt = at * 1000
    const renewal = timestamp(roundUpToSecond(getRenewalTime(issuedAt, rules)))
    return `${note} is valid until ${timestamp(getExpiry(issuedAt, rules))}, and will be renewed at ${renewal}.`
  },
}

/** The input of each transition, in addition to the domain. */
interface Facts {
  readonly started: { readonly policy: Policy }
  readonly retried: object
  readonly failed: AttemptFailure
  readonly issued: object
  readonly 'renewal started': object
  readonly 'renewal failed': AttemptFailure
  readonly renewed: object
  readonly cancelled: { readonly reason: string }
}

/**
 * The life cycle of a managed certificate, as a table (rules: provisioning-jobs#start, provisioning-jobs#success,
 * provisioning-jobs#failure, provisioning-jobs#renewal, provisioning-jobs#cancelled).
 */
const transitions: { readonly [T in Transition]: Row<Facts[T]> } = {
  started: {
    from: ['unmanaged', 'issued'],
    apply: (tx, _domain, { policy }) => ({ changes: { policy, ...startJob(tx) }, note: policy.private_key_type }),
    message: ({ note }) => `A certificate with an ${note} key is requested.`,
  },
  retried: {
    from: ['failing', 'renewal failing'],
    apply: () => ({ changes: {} }),
    message: () => 'The next attempt runs.',
  },
  failed: { from: ['provisioning', 'failing'], ...failure },
  issued: { from: ['provisioning', 'failing'], ...success },
  'renewal started': {
    from: ['issued'],
    apply: (tx) => ({ changes: startJob(tx) }),
    message: () => 'A new certificate is requested; the old one stays in use.',
  },
  'renewal failed': { from: ['renewing', 'renewal failing'], ...failure },
  renewed: { from: ['renewing', 'renewal failing'], ...success },
  cancelled: {
    from: ['provisioning', 'failing', 'renewing', 'renewal failing'],
    apply: (_tx, _domain, { reason }) => ({ changes: { job: null, due: null }, note: reason }),
    message: ({ note }) => `${note}`,
  },
}

/** Returns a timeline in the form shown by the API. */
export function timelineView(tx: Pick<Transaction, 'options'>, timeline: Timeline): readonly TimelineEntry[] {
  const options = provisioningOptions(tx.options)
  return timeline.map((entry) => {
    const { at, transition, outcome } = entry
    return { at: timestamp(at * 1000), transition, outcome, message: transitions[transition].message(entry, options) }
  })
}

export function applyTransition<D extends ManagedDomain, T extends Transition>(
  tx: Transaction,
  domain: D,
  transition: T,
  facts: Facts[T],
): D {
  const { from, apply }: Row<Facts[T]> = transitions[transition]
  const state = getState(domain)
  if (!from.includes(state)) throw new Error(`A domain that is ${state} cannot be "${transition}".`)
  const { changes, outcome = null, note = null } = apply(tx, domain, facts)
  const entry = { at: Math.floor(tx.now / 1000), transition, outcome, note }
  const timeline = withEntry(domain.timeline, entry, tx.count(provisioningOptions(tx.options).domains))
  return { ...domain, ...changes, timeline }
}

export function getState({ policy, job, certificate_id }: ManagedDomain): ProvisioningState {
  if (!policy) return 'unmanaged'
  if (!job) return 'issued'
  if (certificate_id === null) return job.error_code === null ? 'provisioning' : 'failing'
  return job.error_code === null ? 'renewing' : 'renewal failing'
}

/** Starts a job whose first attempt runs after the usual delay. */
export function startJob(tx: Transaction): Pick<ManagedDomain, 'job' | 'due'> {
  const job: Job = {
    error_code: null,
    msg: 'Managed certificate provisioning in progress.',
    started_at: tx.now,
    retries_at: null,
    internal_errors: 0,
  }
  return { job, due: schedule(tx, tx.now + provisioningOptions(tx.options).provisioningDelay).due }
}

function failJob(tx: Transaction, domain: ManagedDomain, failure: AttemptFailure): Effects {
  // According to the table, only a domain with a job can fail.
  const changes = scheduleRetry(tx, domain.job as Job, failure)
  return { changes, outcome: failure.error_code, note: failure.msg }
}

/** Returns a job after a failed attempt, with the time of the next attempt. */
export function scheduleRetry(
  tx: Transaction,
  before: Job,
  { error_code, msg, retriesAfter, scripted }: AttemptFailure,
) {
  const { internalErrorBackoff, dnsErrorRetry } = provisioningOptions(tx.options)
  const isInternal = error_code === 'INTERNAL_ERROR'
  const backoff = Math.min(internalErrorBackoff.most, internalErrorBackoff.first * 2 ** before.internal_errors)
  const usual = tx.now + (isInternal ? backoff : dnsErrorRetry)
  const retryTime = retriesAfter === undefined ? usual : Math.max(0, tx.now + retriesAfter)
  // An attempt can't run at a past time, so it runs at the usual time.
  const isPast = roundUpToSecond(retryTime) <= tx.now
  const { at, due } = schedule(tx, isPast ? usual : retryTime)
  const retries_at = isPast ? roundUpToSecond(retryTime) : at
  const internal_errors = before.internal_errors + (isInternal ? 1 : 0)
  const attempts = (before.attempts ?? before.internal_errors) + 1
  const { scripted: _, ...rest } = before
  const job: Job = { ...rest, error_code, msg, retries_at, internal_errors, attempts, ...(scripted && { scripted }) }
  return { job, due }
}

function putNewCertificate(tx: Transaction, domain: ManagedDomain): Effects {
  const replaced = domain.certificate_id === null ? undefined : tx.get(certificates, domain.certificate_id)
  if (replaced) tx.remove(certificates, replaced)
  // Certificates show times in whole seconds, so the validity period starts at the shown second.
  const issued_at = Math.floor(tx.now / 1000) * 1000
  const { id } = tx.put(certificates, makeCertificateRecord(tx, domain, issued_at))
  return { changes: { certificate_id: id, ...scheduleRenewal(tx, issued_at) }, outcome: 'success', note: id }
}

/** Ends a job whose certificate was issued at a time in ms, and schedules the renewal. */
export function scheduleRenewal(tx: Transaction, issued_at: number) {
  const { at: renews_at, due } = schedule(tx, getRenewalTime(issued_at, provisioningOptions(tx.options)))
  return { renews_at, job: null, due }
}

/** Creates the record of an automatic certificate. The certificate itself is issued when it is read. */
function makeCertificateRecord(
  tx: Transaction,
  { domain, policy }: ManagedDomain,
  issued_at: number,
): CertificateRecord {
  const { private_key_type } = policy as Policy // Only managed domains reach this line.
  return {
    id: tx.newId('cert'),
    created_at: tx.now,
    issued_at,
    upload: null,
    order: {
      domain,
      private_key_type,
      not_before: issued_at,
      not_after: getExpiry(issued_at, provisioningOptions(tx.options)),
      number: tx.nextOrder(),
    },
  }
}

function getExpiry(issuedAtMs: number, { certificates: options }: ProvisioningOptions): number {
  return Math.min(issuedAtMs + getCertificateLifetime(issuedAtMs, options).validity, LATEST_TIME)
}

function getRenewalTime(issuedAtMs: number, { certificates: options }: ProvisioningOptions): number {
  const { validity, renewalLead } = getCertificateLifetime(issuedAtMs, options)
  return issuedAtMs + validity - renewalLead
}
