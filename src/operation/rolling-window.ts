/**
 * Counts one more event at `now`. At most `max` events may be within a `window` of ms. Returns the times of the events in the
 * window; times after `now`, as on a clock that was set back, are dropped. Returns the seconds to wait if there are too many.
 */
export function countOneMore(
  times: readonly number[],
  { max, window }: { readonly max: number; readonly window: number },
  now: number,
): { readonly times: readonly number[] } | { readonly wait: number } {
  const within = times.filter((at) => at > now - window && at <= now)
  if (within.length < max) return { times: [...within, now] }
  return { wait: Math.ceil((Math.min(...within) + window - now) / 1000) }
}
