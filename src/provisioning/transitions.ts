import type { Transaction } from '../contract/transaction.ts'
import { timestamp } from '../contract/view.ts'
import { type CertificateRecord, certificates } from './certificate-records.ts'
import type { DomainRecord, Job, Policy, ProvisioningError } from './domain-records.ts'
import { type TimelineEntry, withEntry } from './timeline.ts'

/**
 * Where a domain stands in its provisioning. Never stored: it follows from (certificate, renews_at, provisioning_job)
 * (decisions, "Provisioning jobs").
 */
export type ProvisioningState = 'unmanaged' | 'provisioning' | 'failing' | 'issued' | 'renewing' | 'renewal failing'

/** What can happen to a domain's provisioning. */
export type Transition =
  | 'started'
  | 'failed'
  | 'retried'
  | 'issued'
  | 'renewal started'
  | 'renewal failed'
  | 'renewed'
  | 'cancelled'

/** A row of the table: from where, by which rule, and what it does. */
interface Row<Facts> {
  readonly from: readonly ProvisioningState[]
  /** The rule of decisions.md, "Provisioning jobs" unless another part is named. */
  readonly rule: string
  readonly outcome: (facts: Facts) => TimelineEntry['outcome']
  readonly apply: (tx: Transaction, domain: DomainRecord, facts: Facts) => DomainRecord
  readonly message: (domain: DomainRecord, facts: Facts) => string
}

interface Failure {
  readonly error_code: ProvisioningError
  readonly msg: string
}

const failure: Pick<Row<Failure>, 'outcome' | 'apply' | 'message'> = {
  outcome: ({ error_code }) => error_code,
  apply: withFailure,
  message: ({ job }, { error_code, msg }) =>
    `${error_code}: ${msg} Next attempt at ${timestamp(job?.retries_at ?? 0)}.`,
}

const success: Pick<Row<object>, 'outcome' | 'apply' | 'message'> = {
  outcome: () => 'success',
  apply: withNewCertificate,
  message: ({ certificate_id, renews_at }) => `${certificate_id} is in use. Renewal at ${timestamp(renews_at ?? 0)}.`,
}

/** The life of a managed certificate, as a table. */
export const transitions = {
  started: row<{ policy: Policy }>({
    from: ['unmanaged', 'issued'],
    rule: '1: a policy, or another key type, starts a job',
    outcome: () => null,
    apply: (tx, domain, { policy }) => withJob(tx, { ...domain, policy }),
    message: ({ policy }) => `A certificate with an ${policy?.private_key_type} key was requested.`,
  }),
  retried: row<object>({
    from: ['failing', 'renewal failing'],
    rule: '5: at retries_at the next attempt runs',
    outcome: () => null,
    apply: (_tx, domain) => domain,
    message: ({ job }) => `Another attempt, after ${job?.error_code}.`,
  }),
  failed: row<Failure>({ from: ['provisioning', 'failing'], rule: '4: failure', ...failure }),
  issued: row<object>({ from: ['provisioning', 'failing'], rule: '3: success', ...success }),
  'renewal started': row<object>({
    from: ['issued'],
    rule: '5: at renews_at a renewal job starts',
    outcome: () => null,
    apply: (tx, domain) => withJob(tx, domain),
    message: ({ certificate_id }) => `${certificate_id} stays in use meanwhile.`,
  }),
  'renewal failed': row<Failure>({
    from: ['renewing', 'renewal failing'],
    rule: '4: the certificate in use stays, even past its expiry',
    ...failure,
  }),
  renewed: row<object>({
    from: ['renewing', 'renewal failing'],
    rule: '3: the certificate it replaces is deleted',
    ...success,
  }),
  cancelled: row<{ reason: string }>({
    from: ['provisioning', 'failing', 'renewing', 'renewal failing'],
    rule: 'Reserved domains: what ends a job',
    outcome: () => null,
    apply: (_tx, domain) => ({ ...domain, job: null, due: null }),
    message: (_domain, { reason }) => reason,
  }),
} as const satisfies Record<Transition, unknown>

type FactsOf<T extends Transition> = Parameters<(typeof transitions)[T]['apply']>[2]

/** Takes a domain through one transition and notes it in its timeline. */
export function transit<T extends Transition>(
  tx: Transaction,
  domain: DomainRecord,
  transition: T,
  facts: FactsOf<T>,
): DomainRecord {
  const { from, apply, message, outcome } = transitions[transition] as unknown as Row<FactsOf<T>>
  const state = stateOf(domain)
  if (!from.includes(state)) throw new Error(`A domain that is ${state} cannot be "${transition}".`)
  const after = apply(tx, domain, facts)
  const entry = { at: tx.now, transition, outcome: outcome(facts), message: message(after, facts) }
  return { ...after, timeline: withEntry(after.timeline, entry) }
}

/** Where a domain stands, from what is known of it. */
export function stateOf({ policy, job, certificate_id }: DomainRecord): ProvisioningState {
  if (!policy) return 'unmanaged'
  if (!job) return 'issued'
  if (certificate_id === null) return job.error_code === null ? 'provisioning' : 'failing'
  return job.error_code === null ? 'renewing' : 'renewal failing'
}

function row<Facts>(definition: Row<Facts>): Row<Facts> {
  return definition
}

function withJob(tx: Transaction, domain: DomainRecord): DomainRecord {
  const job: Job = {
    error_code: null,
    msg: 'Managed certificate provisioning in progress.',
    started_at: tx.now,
    retries_at: null,
    internal_errors: 0,
  }
  return { ...domain, job, due: { at: tx.now + tx.rules.provisioningDelay, order: tx.nextOrder() } }
}

function withFailure(tx: Transaction, domain: DomainRecord, { error_code, msg }: Failure): DomainRecord {
  const before = domain.job as Job
  const isInternal = error_code === 'INTERNAL_ERROR'
  const { first, most } = tx.rules.internalErrorBackoff
  const wait = isInternal ? Math.min(most, first * 2 ** before.internal_errors) : tx.rules.dnsErrorRetry
  const retries_at = tx.now + wait
  const internal_errors = before.internal_errors + (isInternal ? 1 : 0)
  return {
    ...domain,
    job: { ...before, error_code, msg, retries_at, internal_errors },
    due: { at: retries_at, order: tx.nextOrder() },
  }
}

function withNewCertificate(tx: Transaction, domain: DomainRecord): DomainRecord {
  const replaced = domain.certificate_id === null ? undefined : tx.get(certificates, domain.certificate_id)
  if (replaced) tx.remove(certificates, replaced)
  const { id, order } = tx.put(certificates, newCertificate(tx, domain))
  const renews_at = (order?.not_after ?? 0) - tx.rules.renewalLead
  return { ...domain, certificate_id: id, renews_at, job: null, due: { at: renews_at, order: tx.nextOrder() } }
}

/** The record of an automatic certificate. The certificate itself is made when somebody reads it. */
function newCertificate(tx: Transaction, { domain, policy }: DomainRecord): CertificateRecord {
  const { private_key_type } = policy as Policy
  return {
    id: tx.newId('cert'),
    created_at: tx.now,
    issued_at: tx.now,
    upload: null,
    order: {
      domain,
      private_key_type,
      not_before: tx.now,
      not_after: tx.now + tx.rules.certificateValidity,
      number: tx.nextOrder(),
    },
  }
}
