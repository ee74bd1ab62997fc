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
