import type { Facts } from './facts.ts'
import { keysOf } from './values.ts'

/** The latest time that timestamps can express: the end of the year 9999. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59)

export const TIME_ALLOWED = 'an RFC 3339 time such as "2026-01-01T00:00:00Z"'

/** The platform's own `Date`. The `Date` of fake timers is slower, and each response formats several dates. */
const PlatformDate = Date

// (rules: time#timestamps)
/**
 * Formats a time in ms as the API's timestamp: UTC, in whole seconds.
 *
 * @example
 * ```ts
 * timestamp(0) // '1970-01-01T00:00:00Z'
 * ```
 */
export function timestamp(ms: number): string {
  return `${new PlatformDate(Math.min(ms, LATEST_TIME)).toISOString().slice(0, 19)}Z`
}

/** Formats a time like {@link timestamp}, including milliseconds if there are any. */
export function exactTimestamp(ms: number): string {
  return ms % 1000 === 0 ? timestamp(ms) : new PlatformDate(ms).toISOString()
}

/** Returns an RFC 3339 timestamp, a `Date`, or a number of ms as a time in ms. Returns undefined for anything else. */
export function timeMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parseTimestamp(value) : value instanceof Date ? value.getTime() : value
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined
}

/** Rounds a time in ms up to a whole second (rules: time#whole-seconds). */
export function roundUpToSecond(ms: number): number {
  return Math.ceil(ms / 1000) * 1000
}

/**
 * Returns the time in ms of a timestamp from 1970 to the end of the year 9999, the range of times in records. Returns undefined
 * for anything else.
 */
export function recordedMs(text: string): number | undefined {
  const ms = timeMs(text)
  return ms !== undefined && ms >= 0 && ms < LATEST_TIME + 1000 ? Math.min(ms, LATEST_TIME) : undefined
}

const RFC_3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(\d\d))T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Reads a timestamp strictly, because the platform's parser is more lenient and differs between hosts. Leap seconds are not supported. */
function parseTimestamp(text: string): number | undefined {
  const [, date = '', day, time, fraction = '', zone = ''] = RFC_3339.exec(text) ?? []
  const midnight = new Date(`${date}T00:00:00Z`)
  // The platform reads February 30 as March 2 or as an invalid date.
  if (midnight.getUTCDate() !== Number(day)) return undefined
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  return Date.parse(`${date}T${time}.${ms}${zone.toUpperCase()}`)
}

type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A span of time: a number of ms, or a whole number followed by a unit, such as `250ms`, `30s`, `5m`, `24h`, `90d`. */
export type Duration = number | DurationText

/** A duration, or the minimum and maximum of a range such as `1s..3s`. */
export type DurationRange = Duration | `${DurationText}..${DurationText}`

/** A duration as a string, for senders that cannot send a number of ms. */
export const DURATION_IN_TEXT = 'a whole number followed by a unit (ms, s, m, h, or d), such as "30s"'

export const RANGE_IN_TEXT =
  'a whole number followed by a unit (ms, s, m, h, or d), such as "30s", or a range such as "1s..3s"'

export const DURATION_ALLOWED = `a number of ms, or ${DURATION_IN_TEXT}`

export const DURATION_FACTS: Facts = {
  json: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,12}(ms|s|m|h|d)$', examples: ['30s'] },
  type: 'Duration',
  imports: { Duration: 'core/schema/time.ts' },
}

export const RANGE_ALLOWED = `${DURATION_ALLOWED}, or a range such as "1s..3s"`

export const RANGE_FACTS: Facts = {
  json: {
    type: ['integer', 'string'],
    minimum: 0,
    pattern: '^\\d{1,12}(ms|s|m|h|d)(\\.\\.\\d{1,12}(ms|s|m|h|d))?$',
    examples: ['30s', '1s..3s'],
  },
  type: 'DurationRange',
  imports: { DurationRange: 'core/schema/time.ts' },
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const UNITS = /* @__PURE__ */ keysOf(UNIT_MS)

/** Formats a duration in the largest unit that yields a whole number. */
export function durationText(ms: number): Duration {
  const unit = UNITS.find((each) => ms % UNIT_MS[each] === 0) ?? 'ms'
  return `${ms / UNIT_MS[unit]}${unit}`
}

/** Returns a duration in ms, or undefined if the value is not a duration. Durations are non-negative integers. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  const [, count, unit] = (typeof value === 'string' && /^(\d{1,12})(ms|s|m|h|d)$/.exec(value)) || []
  const known = UNITS.find((name) => name === unit)
  return known && Number(count) * UNIT_MS[known]
}

/** The bounds of a duration range. */
export interface Range {
  /** The bound, in ms. */
  readonly from: number
  /** The bound, in ms. */
  readonly to: number
}

/** Returns the bounds of a duration or a range in ms, or undefined if the value is neither. */
export function rangeMs(value: unknown): Range | undefined {
  const [first, last = first, ...others] = typeof value === 'string' ? value.split('..') : [value]
  const [from, to] = [durationMs(first), durationMs(last)]
  return from === undefined || to === undefined || to < from || others.length > 0 ? undefined : { from, to }
}

/** Draws a random number of ms, as an integer, from a range. */
export function drawMs({ from, to }: Range, randomInteger: (below: number) => number): number {
  return from === to ? from : from + randomInteger(to - from + 1)
}
