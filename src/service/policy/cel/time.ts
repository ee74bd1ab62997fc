import { timeMs } from '../../../core/schema/time.ts'
import { DURATION_PART, isDuration } from '../time.ts'
import { EvaluationProblem } from './values.ts'

const NS_PER_MS = 1_000_000n
const NS_PER_SECOND = 1_000_000_000n

/** A number of nanoseconds. */
export abstract class Time {
  constructor(readonly nanoseconds: bigint) {}

  toJSON(): string {
    return this.toString()
  }
}

/** A CEL duration. */
export class Duration extends Time {
  constructor(nanoseconds: bigint) {
    super(nanoseconds)
    if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) throw new EvaluationProblem('the duration is too long')
  }

  /** Returns the duration in seconds, such as `1.5s`. */
  override toString(): string {
    const { nanoseconds } = this
    const length = nanoseconds < 0n ? -nanoseconds : nanoseconds
    return `${nanoseconds < 0n ? '-' : ''}${length / NS_PER_SECOND}${toFraction(length % NS_PER_SECOND)}s`
  }
}

/** The years 1 to 9999. */
const [FIRST, END] = [-62_135_596_800n * NS_PER_SECOND, 253_402_300_800n * NS_PER_SECOND]

/** A CEL timestamp, in nanoseconds since the Unix epoch. */
export class Timestamp extends Time {
  constructor(nanoseconds: bigint) {
    super(nanoseconds)
    if (nanoseconds < FIRST || nanoseconds >= END)
      throw new EvaluationProblem('the timestamp is not in the years 1 to 9999')
  }

  static fromMs(ms: number): Timestamp {
    return new Timestamp(BigInt(Math.trunc(ms)) * NS_PER_MS)
  }

  /** Returns the whole seconds since the Unix epoch. */
  get seconds(): bigint {
    return (this.nanoseconds - modulo(this.nanoseconds, NS_PER_SECOND)) / NS_PER_SECOND
  }

  /** Returns the timestamp in RFC 3339 format, in UTC. */
  override toString(): string {
    const seconds = new Date(Number(this.seconds) * 1000).toISOString().slice(0, -'.000Z'.length)
    return `${seconds}${toFraction(modulo(this.nanoseconds, NS_PER_SECOND))}Z`
  }
}

function modulo(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by
}

function toFraction(nanoseconds: bigint): string {
  return nanoseconds === 0n ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`
}

/** Parses an RFC 3339 timestamp. */
export function parseTimestamp(text: string): Timestamp {
  const ms = timeMs(text)
  if (ms === undefined) throw new EvaluationProblem('the text is not a timestamp, such as 2026-01-31T12:00:00Z')
  const [, digits = ''] = /\.\d{3}(\d{1,6})/.exec(text) ?? []
  return new Timestamp(BigInt(ms) * NS_PER_MS + BigInt(digits.padEnd(6, '0')))
}

const UNITS: Readonly<Record<string, bigint>> = {
  ...{ h: 3600n * NS_PER_SECOND, m: 60n * NS_PER_SECOND, s: NS_PER_SECOND, ms: NS_PER_MS },
  ...{ us: 1000n, µs: 1000n, μs: 1000n, ns: 1n },
}

/** Parses a Go-style duration such as `1h30m`. */
export function parseDuration(text: string): Duration {
  if (!isDuration(text)) throw new EvaluationProblem('the text is not a duration, such as 1h30m')
  let nanoseconds = 0n
  for (const [, amount = '', unit = ''] of text.matchAll(DURATION_PART)) {
    const [whole = '', fraction = ''] = amount.split('.')
    const factor = UNITS[unit] ?? 0n
    nanoseconds += BigInt(whole) * factor + (BigInt(fraction || 0) * factor) / 10n ** BigInt(fraction.length)
  }
  return new Duration(text.startsWith('-') ? -nanoseconds : nanoseconds)
}

/** Returns a date whose UTC components equal the timestamp's components in a time zone, such as `Asia/Tokyo` or `-02:30`. */
function toLocal(timestamp: Timestamp, zone = 'UTC'): Date {
  const ms = Number(timestamp.nanoseconds / NS_PER_MS)
  const [found, sign, hours, minutes] = /^([+-])?(\d\d?):(\d\d)$/.exec(zone) ?? []
  if (found) return new Date(ms + Number(`${sign ?? '+'}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000)
  if (zone === 'UTC') return new Date(ms)
  try {
    // The Swedish date format is that of ISO 8601.
    return new Date(`${new Date(ms).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')}Z`)
  } catch (cause) {
    throw new EvaluationProblem('the time zone is unknown', { cause })
  }
}

const ofDate = (read: (date: Date) => number) => (timestamp: Timestamp, zone?: string) =>
  BigInt(read(toLocal(timestamp, zone)))

function dayOfYear(date: Date): number {
  const days = (each: Date) => Math.floor(each.getTime() / 86_400_000)
  return days(date) - days(new Date(new Date(date).setUTCMonth(0, 1)))
}

/** The methods of timestamps, by name. They accept a time zone. */
export const OF_TIMESTAMP = {
  getDate: ofDate((date) => date.getUTCDate()),
  getDayOfMonth: ofDate((date) => date.getUTCDate() - 1),
  getDayOfWeek: ofDate((date) => date.getUTCDay()),
  getDayOfYear: ofDate(dayOfYear),
  getFullYear: ofDate((date) => date.getUTCFullYear()),
  getHours: ofDate((date) => date.getUTCHours()),
  getMilliseconds: (timestamp: Timestamp) => modulo(timestamp.nanoseconds, NS_PER_SECOND) / NS_PER_MS,
  getMinutes: ofDate((date) => date.getUTCMinutes()),
  getMonth: ofDate((date) => date.getUTCMonth()),
  getSeconds: ofDate((date) => date.getUTCSeconds()),
}

const inUnits = (unit: bigint) => (duration: Duration) => duration.nanoseconds / unit

/** The methods of durations, by name. */
export const OF_DURATION = {
  getHours: inUnits(3600n * NS_PER_SECOND),
  getMilliseconds: (duration: Duration) => inUnits(NS_PER_MS)(duration) % 1000n,
  getMinutes: inUnits(60n * NS_PER_SECOND),
  getSeconds: inUnits(NS_PER_SECOND),
}
