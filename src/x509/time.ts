import { binaryOf } from './bytes.ts'
import { type Asn1, contentOf, tagOf, Unreadable } from './der.ts'

const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const DAY = 86_400_000
/** The calendar repeats after 400 years. Date.UTC takes the years 0 to 99 for 1900 to 1999, later ones as they are. */
const CYCLE_YEARS = 400
const CYCLE = 146_097 * DAY

/**
 * A validity time as milliseconds since 1970. RFC 5280, 4.1.2.5: UTCTime (1950 to 2049) or GeneralizedTime, to the
 * second and in UTC ("Z").
 *
 * @throws Unreadable for another form or a time that does not exist
 */
export function timeOf(element: Asn1 | undefined, what: string): number {
  const tag = element && tagOf(element)
  if (tag !== UTC_TIME && tag !== GENERALIZED_TIME) throw unreadable(what)
  const text = binaryOf(contentOf(element, what, tag))
  const full = tag === UTC_TIME ? (text < '50' ? `20${text}` : `19${text}`) : text
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full)
  if (!match) throw unreadable(what)
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.map(Number)
  const fits = day >= 1 && day <= daysOf(year, month) && hour < 24 && minute < 60 && second < 60
  if (!fits) throw unreadable(what)
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE
}

function daysOf(year: number, month: number): number {
  if (month < 1 || month > 12) return 0
  return (Date.UTC(year + CYCLE_YEARS, month, 1) - Date.UTC(year + CYCLE_YEARS, month - 1, 1)) / DAY
}

function unreadable(what: string): Unreadable {
  return new Unreadable(`its ${what} time is not a valid UTC time in the form of RFC 5280`)
}
