/** Durations in ms. */
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: SECOND, m: MINUTE, h: HOUR }

/** Parses a Go-style duration such as `1h30m` or `0.5s`. Returns ms, or undefined if it is not a duration. */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (text.length > 64 || !/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0)
}

/** One component of a CEL duration, such as `30m`. */
export const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)/g

/** Returns whether CEL's `duration` accepts a string such as `-1h30m`. */
export function isDuration(text: string): boolean {
  const length = text.replace(/^[+-]/, '')
  return length === '0' || (length !== '' && length.replace(DURATION_PART, '') === '')
}
