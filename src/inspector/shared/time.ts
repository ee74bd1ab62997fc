const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** A length of time in its two largest units: `2 d 3 h`, `30 s`. */
export function lengthOf(ms: number): string {
  const left = Math.max(0, Math.round(ms / 1000) * 1000)
  const first = UNITS.findIndex(([, size]) => left >= size)
  if (first < 0) return '0 s'
  const [unit, size] = UNITS[first] as (typeof UNITS)[number] // It has just been found there.
  const [nextUnit, nextSize] = UNITS[first + 1] ?? ['', 1]
  const rest = Math.floor((left % size) / nextSize)
  return `${Math.floor(left / size)} ${unit}${rest > 0 && nextUnit ? ` ${rest} ${nextUnit}` : ''}`
}

/** A time as people read it: UTC, in whole seconds. */
export function readable(time: string | number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** When something is, seen from now: `in 30 s`, `2 d ago`, `now`. */
export function fromNow(timestamp: string, now: number): string {
  const ms = Date.parse(timestamp) - now
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `in ${lengthOf(ms)}` : `${lengthOf(-ms)} ago`
}
