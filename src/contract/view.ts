import type { Authority } from './authority.ts'
import type { CommonDialect } from './dialect.ts'

/** A value that is frozen with everything in it, as all answers are. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** What a record is shown with: the gateway's base URL, its dialect, and who makes its automatic certificates. */
export interface Wire {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** Who makes automatic certificates. */
  readonly authority: Authority
}

/** Makes the wire's form of a record. Pure, so that its result can be kept as long as the record and the URL stay. */
export type View<R, Shown> = (record: R, wire: Wire) => Shown

/** The latest time that the wire's timestamps can show: the end of the year 9999. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59)

/** A time in ms as the wire's timestamp: UTC, whole seconds (rules: time#timestamps). Later ones show as the latest. */
export function timestamp(ms: number): string {
  return `${new Date(Math.min(ms, LATEST_TIME)).toISOString().slice(0, 19)}Z`
}

/** The wire's form of a reference, or null where there is none. */
export function refTo(wire: Wire, path: string, id: string): { id: string; uri: string }
export function refTo(wire: Wire, path: string, id: string | null): { id: string; uri: string } | null
export function refTo(wire: Wire, path: string, id: string | null) {
  return id === null ? null : { id, uri: `${wire.url}${path}/${id}` }
}

/** Freezes a value and everything in it, however deep, and returns it. */
export function deepFreeze<T>(value: T): T {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each !== 'object' || each === null || Object.isFrozen(each)) continue
    Object.freeze(each)
    for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) left.push(inner)
  }
  return value
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
