const MIN_TTL_MS = 1000
const MAX_TTL_DAYS = 366

/** The times to live that requests and variables may set, for messages. */
export const TTL_RANGE = `from 1s to ${MAX_TTL_DAYS}d`

/** Returns whether a sandbox, or a key, may live for this many ms. */
export function isTtl(ms: number | undefined): ms is number {
  return ms !== undefined && ms >= MIN_TTL_MS && ms <= MAX_TTL_DAYS * 86_400_000
}
