/**
 * Counts one more event at `now` to the times of those before; at most `max` may come within a `window` of ms. Returns the times that count: those within the window, and on
 * a clock that was moved back none that has not come yet. Returns the seconds to wait instead if there are too many.
 */
export function oneMore(
  times: readonly number[],
  { max, window }: { readonly max: number; readonly window: number },
  now: number,
): { readonly times: readonly number[] } | { readonly wait: number } {
  const within = times.filter((at) => at > now - window && at <= now)
  if (within.length < max) return { times: [...within, now] }
  return { wait: Math.ceil((Math.min(...within) + window - now) / 1000) }
}
