import { refuse } from '../contract/errors.ts'
import { quote } from '../contract/quote.ts'

/** The version of snapshots that this fauxgate writes and reads. */
export const SNAPSHOT_VERSION = 1

/** The state of a gateway as plain JSON. */
export interface Snapshot {
  readonly version: typeof SNAPSHOT_VERSION
  /** The gateway's time in ms since 1970. */
  readonly now: number
  /** What ids and automatic certificates come from; null where the authority has keys of its own. */
  readonly seed: string | null
  /** The number that the next id comes from. */
  readonly sequence: number
  /** When the requests came that the rate limit counts, in ms. */
  readonly rateLimit: readonly number[]
  /** All records, by collection, oldest first. Private keys are left out unless they were asked for. */
  readonly records: Readonly<Record<string, readonly object[]>>
}

/** Reads a snapshot's outside; its records are checked where they are kept. */
export function readSnapshot(value: unknown): Snapshot {
  const { version, now, seed, sequence, rateLimit, records } = (value ?? {}) as Partial<Snapshot>
  const wrong = (field: string, received: unknown, allowed: string): never =>
    refuse('field_invalid', { field, received: quote(received), allowed })
  if (version !== SNAPSHOT_VERSION) wrong('version', version, `${SNAPSHOT_VERSION}, the version this fauxgate reads`)
  if (!isNumber(now)) wrong('now', now, 'a number of ms since 1970')
  if (seed !== null && typeof seed !== 'string') wrong('seed', seed, 'a string or null')
  if (!isNumber(sequence) || !Number.isInteger(sequence)) wrong('sequence', sequence, 'an integer')
  if (!Array.isArray(rateLimit) || !rateLimit.every(isNumber)) wrong('rateLimit', rateLimit, 'an array of numbers')
  if (typeof records !== 'object' || records === null) wrong('records', records, 'an object')
  return value as Snapshot
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
