const MIN_TTL_MS = 1000
const MAX_TTL_DAYS = 366

/** The allowed times to live, as text for messages about requests and variables. */
export const TTL_RANGE = `from 1s to ${MAX_TTL_DAYS}d`

/** Returns whether a number of ms is an allowed time to live for a sandbox or key. */
export function isTtl(ms: number | undefined): ms is number {
  return ms !== undefined && ms >= MIN_TTL_MS && ms <= MAX_TTL_DAYS * 86_400_000
}
