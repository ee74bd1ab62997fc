import { isObject } from '../../core/schema/values.ts'

/** The attempt that a domain without a certificate waits for. */
export interface PendingAttempt {
  /** The domain's hostname. */
  readonly domain: string
  /** When the attempt is due, in ms. */
  readonly at: number
  /** True if no attempt has failed so far. */
  readonly isFirst: boolean
}

/**
 * Returns the attempt that a record of the journal or of a snapshot waits for, or undefined if the record isn't a domain that waits for an
 * attempt.
 */
export function findPendingAttempt(record: unknown): PendingAttempt | undefined {
  if (!isObject(record) || record.certificate_id !== null) return undefined
  const { domain, job, due } = record
  const at = isObject(due) ? due.at : undefined
  if (typeof domain !== 'string' || typeof at !== 'number' || !isObject(job)) return undefined
  return { domain, at, isFirst: job.retries_at === null }
}
