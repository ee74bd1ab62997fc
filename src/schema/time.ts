import type { Facts } from './documentation.ts'

/** The latest time that the wire's timestamps can show: the end of the year 9999. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59)

/** A time in ms as the wire's timestamp: UTC, whole seconds (rules: time#timestamps). Later ones show as the latest. */
export function timestamp(ms: number): string {
  return `${new Date(Math.min(ms, LATEST_TIME)).toISOString().slice(0, 19)}Z`
}

/** The time in ms that an RFC 3339 timestamp, a `Date` or a number of ms stands for, or undefined where it is none. */
export function timeMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? timestampMs(value) : value instanceof Date ? value.getTime() : value
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined
}

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

/** Strict, unlike the platform's parser, and the same on every host. There are no leap seconds. */
function timestampMs(text: string): number | undefined {
  const parts = RFC_3339.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hours, minutes, seconds, fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = parts
  const midnight = new Date(0)
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (midnight.getUTCDate() !== Number(day)) return undefined
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes)
  const minute = Number(hours) * 60 + Number(minutes) + (sign === '-' ? offset : -offset)
  const ms = Number(fraction.slice(1, 4).padEnd(3, '0'))
  return midnight.getTime() + (minute * 60 + Number(seconds)) * 1000 + ms
}

/** How messages say what a time can be. */
export const TIME_ALLOWED = 'an RFC 3339 time such as "2026-01-01T00:00:00Z"'

/** A span of time: a number of ms, or a whole number with a unit: `250ms`, `30s`, `5m`, `24h`, `90d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** How messages say what a duration can be. */
export const DURATION_ALLOWED = 'a number of ms, or a whole number with ms, s, m, h or d, such as "30s"'

/** The same where only a text can be given. */
export const inTexts = (allowed: string) => allowed.replace('a number of ms, or ', '')

/** What JSON Schema says of a duration. */
export const DURATION_FACTS: Facts = {
  json: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,12}(ms|s|m|h|d)$', examples: ['30s'] },
  type: 'Duration',
  imports: { Duration: 'schema/time.ts' },
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration as a person would write it: in the largest unit of which it is a whole number. */
export function durationText(ms: number): Duration {
  const unit = (['d', 'h', 'm', 's'] as const).find((each) => ms % (UNIT_MS[each] ?? 1) === 0) ?? 'ms'
  return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
}

/** A duration in ms, or undefined where the value is none. Durations are whole and not negative. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  const [, count, unit = ''] = (typeof value === 'string' && /^(\d{1,12})(ms|s|m|h|d)$/.exec(value)) || []
  const ms = UNIT_MS[unit]
  return ms === undefined ? undefined : Number(count) * ms
}
