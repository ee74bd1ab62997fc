import type { Transaction } from '../operation/transaction.ts'
import { LATEST_TIME, timestamp } from '../schema/time.ts'
import { type CertificateRecord, certificates } from './certificate-records.ts'
import type { DomainRecord, Job, Policy, ProvisioningError } from './domain-records.ts'
import { type ProvisioningRules, provisioningRules } from './rules.ts'
import { scheduled, wholeSecond } from './schedule.ts'
import {
  entriesOf,
  type ShownTimelineEntry,
  type Timeline,
  type TimelineEntry,
  type Transition,
  withEntry,
} from './timeline.ts'

/** Where a domain can stand in its provisioning (rules: provisioning-jobs#state). */
export const PROVISIONING_STATES = [
  'unmanaged',
  'provisioning',
  'failing',
  'issued',
  'renewing',
  'renewal failing',
] as const

/** Where a domain stands in its provisioning. Never stored: it follows from (certificate, renews_at, provisioning_job). */
export type ProvisioningState = (typeof PROVISIONING_STATES)[number]

/** A row of the table: from where, by which rule, and what it does. */
interface Row<Facts> {
  readonly from: readonly ProvisioningState[]
  /** The rule that it follows: page and heading in docs/decisions. */
  readonly rule: string
  /** What it changes in the domain. */
  readonly apply: (tx: Transaction, domain: DomainRecord, facts: Facts) => Partial<DomainRecord>
  /** What the timeline keeps of it beside time and name: little, because there are many. */
  readonly note?: (after: Partial<DomainRecord>, facts: Facts) => Pick<TimelineEntry, 'outcome' | 'note'>
  /** What people read. */
  readonly message: (entry: TimelineEntry, rules: ProvisioningRules) => string
}

interface Failure {
  readonly error_code: ProvisioningError
  readonly msg: string
}

const failure: Pick<Row<Failure>, 'apply' | 'note' | 'message'> = {
  apply: failedJob,
  note: (_after, { error_code, msg }) => ({ outcome: error_code, note: msg }),
  message: ({ outcome, note }) => `${outcome}: ${note}`,
}

const success: Pick<Row<object>, 'apply' | 'note' | 'message'> = {
  apply: newCertificateInUse,
  note: ({ certificate_id = null }) => ({ outcome: 'success', note: certificate_id }),
  message: ({ at, note }, rules) =>
    `${note} is in use, to be renewed at ${timestamp(wholeSecond(renewalTime(at * 1000, rules)))}.`,
}

/** What each transition is told beside the domain. */
interface Facts {
  readonly started: { readonly policy: Policy }
  readonly retried: object
  readonly failed: Failure
  readonly issued: object
  readonly 'renewal started': object
  readonly 'renewal failed': Failure
  readonly renewed: object
  readonly cancelled: { readonly reason: string }
}

/** The life of a managed certificate, as a table. */
export const transitions: { readonly [T in Transition]: Row<Facts[T]> } = {
  started: {
    from: ['unmanaged', 'issued'],
    rule: 'provisioning-jobs#start: a policy, or another key type, starts a job',
    apply: (tx, _domain, { policy }) => ({ policy, ...newJob(tx) }),
    note: (_after, { policy }) => ({ outcome: null, note: policy.private_key_type }),
    message: ({ note }) => `A certificate with an ${note} key is requested.`,
  },
  retried: {
    from: ['failing', 'renewal failing'],
    rule: 'provisioning-jobs#renewal: at retries_at the next attempt runs',
    apply: () => ({}),
    message: () => 'The next attempt runs.',
  },
  failed: { from: ['provisioning', 'failing'], rule: 'provisioning-jobs#failure: failure', ...failure },
  issued: { from: ['provisioning', 'failing'], rule: 'provisioning-jobs#success: success', ...success },
  'renewal started': {
    from: ['issued'],
    rule: 'provisioning-jobs#renewal: at renews_at a renewal job starts',
    apply: newJob,
    message: () => 'A new certificate is requested; the old one stays in use.',
  },
  'renewal failed': {
    from: ['renewing', 'renewal failing'],
    rule: 'provisioning-jobs#failure: the certificate in use stays, even past its expiry',
    ...failure,
  },
  renewed: {
    from: ['renewing', 'renewal failing'],
    rule: 'provisioning-jobs#success: the certificate it replaces is deleted',
    ...success,
  },
  cancelled: {
    from: ['provisioning', 'failing', 'renewing', 'renewal failing'],
    rule: 'provisioning-jobs#cancelled: what ends a job',
    apply: () => ({ job: null, due: null }),
    note: (_after, { reason }) => ({ outcome: null, note: reason }),
    message: ({ note }) => `${note}`,
  },
}

/** A timeline as it is shown to people and over HTTP. */
export function shownTimeline(timeline: Timeline, rules: ProvisioningRules): readonly ShownTimelineEntry[] {
  return entriesOf(timeline).map((entry) => {
    const { at, transition, outcome } = entry
    return { at: timestamp(at * 1000), transition, outcome, message: transitions[transition].message(entry, rules) }
  })
}

/** Takes a domain through one transition and notes it in its timeline. */
export function transit<T extends Transition>(
  tx: Transaction,
  domain: DomainRecord,
  transition: T,
  facts: Facts[T],
): DomainRecord {
  const { from, apply, note }: Row<Facts[T]> = transitions[transition]
  const state = stateOf(domain)
  if (!from.includes(state)) throw new Error(`A domain that is ${state} cannot be "${transition}".`)
  const changes = apply(tx, domain, facts)
  const { outcome, note: kept } = note?.(changes, facts) ?? NOTHING
  const timeline = withEntry(domain.timeline, { at: secondOf(tx.now), transition, outcome, note: kept })
  return { ...domain, ...changes, timeline }
}

const NOTHING = { outcome: null, note: null } as const

/** The second since 1970 that a time in ms falls into. */
function secondOf(ms: number): number {
  return Math.floor(ms / 1000)
}

/** When a certificate that was issued at a time in ms is to be renewed, in ms. */
function renewalTime(issuedAt: number, { certificateValidity, renewalLead }: ProvisioningRules): number {
  return issuedAt + certificateValidity - renewalLead
}

/** Where a domain stands, from what is known of it. */
export function stateOf({ policy, job, certificate_id }: DomainRecord): ProvisioningState {
  if (!policy) return 'unmanaged'
  if (!job) return 'issued'
  if (certificate_id === null) return job.error_code === null ? 'provisioning' : 'failing'
  return job.error_code === null ? 'renewing' : 'renewal failing'
}

function newJob(tx: Transaction): Partial<DomainRecord> {
  const job: Job = {
    error_code: null,
    msg: 'Managed certificate provisioning in progress.',
    started_at: tx.now,
    retries_at: null,
    internal_errors: 0,
  }
  return { job, due: scheduled(tx, tx.now + provisioningRules(tx.rules).provisioningDelay).due }
}

function failedJob(tx: Transaction, domain: DomainRecord, { error_code, msg }: Failure): Partial<DomainRecord> {
  const before = domain.job as Job // The table lets only a domain with a job fail.
  const isInternal = error_code === 'INTERNAL_ERROR'
  const { first, most } = provisioningRules(tx.rules).internalErrorBackoff
  const wait = isInternal
    ? Math.min(most, first * 2 ** before.internal_errors)
    : provisioningRules(tx.rules).dnsErrorRetry
  const { at: retries_at, due } = scheduled(tx, tx.now + wait)
  const internal_errors = before.internal_errors + (isInternal ? 1 : 0)
  return { job: { ...before, error_code, msg, retries_at, internal_errors }, due }
}

function newCertificateInUse(tx: Transaction, domain: DomainRecord): Partial<DomainRecord> {
  const replaced = domain.certificate_id === null ? undefined : tx.get(certificates, domain.certificate_id)
  if (replaced) tx.remove(certificates, replaced)
  // A certificate tells its times in whole seconds, so its life counts from the one that it shows.
  const issued_at = secondOf(tx.now) * 1000
  const { id } = tx.put(certificates, newCertificate(tx, domain, issued_at))
  const { at: renews_at, due } = scheduled(tx, renewalTime(issued_at, provisioningRules(tx.rules)))
  return { certificate_id: id, renews_at, job: null, due }
}

/** The record of an automatic certificate. The certificate itself is made when somebody reads it. */
function newCertificate(tx: Transaction, { domain, policy }: DomainRecord, issued_at: number): CertificateRecord {
  const { private_key_type } = policy as Policy // Only a managed domain gets here.
  return {
    id: tx.newId('cert'),
    created_at: tx.now,
    issued_at,
    upload: null,
    order: {
      domain,
      private_key_type,
      not_before: issued_at,
      not_after: Math.min(issued_at + provisioningRules(tx.rules).certificateValidity, LATEST_TIME),
      number: tx.nextOrder(),
    },
  }
}
