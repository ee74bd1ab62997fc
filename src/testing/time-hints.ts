import { isManual, readClock, systemClock } from '../core/engine/clock.ts'
import { formatCount } from '../core/schema/text.ts'
import { timestamp } from '../core/schema/time.ts'
import type { Gateway } from '../gateway/types.ts'
import type { ReplacedTimers } from './replaced-timers.ts'
import { hasTimesApart, listDifferences } from './shown-values.ts'

/** Matches a date as failed assertions about times show it. */
const DATE = /\b\d{4}-\d\d-\d\d(?!\d)/

/** Matches the message of a failed assertion. */
const ASSERTION = /\bexpect/i

const MINUTE_MS = 60_000

/**
 * Returns a hint if a failure may be due to local times that differ from the service's. With the `globals` option, the fixture knows
 * whether code used local times. Otherwise, the error must be about a date, or about two times that differ by the offset.
 */
export function timeZoneHint(
  failure: string,
  timers: ReplacedTimers | undefined,
  { clock }: Pick<Gateway, 'clock'>,
): readonly string[] {
  const text = "The service's times are in UTC. Local times in this process have the offset"
  if (timers) {
    const { used, offset, hasParsed } = timers.localTimes
    const isAboutTime = hasParsed || ASSERTION.test(failure) || hasTimesApart(failure, offset * MINUTE_MS)
    if (used.size === 0 || !isAboutTime) return []
    return [`${text} ${formatOffset(offset)}. The code in this test used ${[...used].join(', ')}.`]
  }
  const [date] = failure.match(DATE) ?? []
  const minutes = -new Date(date ?? readClock(clock)).getTimezoneOffset()
  if (minutes === 0 || (date === undefined && !hasTimesApart(failure, minutes * MINUTE_MS))) return []
  return [`${text} ${formatOffset(minutes)}.`]
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    `${part}`.padStart(2, '0'),
  )
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

const UNITS = [
  ['ms', 1],
  ['second', 1000],
  ['minute', MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['day', 24 * 60 * MINUTE_MS],
] as const

/** Smaller differences are common for other reasons. */
const MIN_UNITS = 30

/** Returns a hint if the values in a failed assertion differ by as much as the machine's clock and the gateway's. */
export function machineClockHint(failure: string, { clock }: Pick<Gateway, 'clock'>): readonly string[] {
  if (!isManual(clock)) return []
  const machine = readClock(systemClock)
  const apart = Math.abs(machine - clock.now)
  for (const difference of listDifferences(failure)) {
    // Code rounds its values, and some time has passed since it read the clock.
    const unit = UNITS.find(([, ms]) => Math.abs(difference * ms - apart) <= Math.max(ms, MINUTE_MS))
    if (!unit || difference < MIN_UNITS) continue
    return [
      `The values differ by ${formatCount(Math.round(difference), unit[0], unit[0] === 'ms' ? 'ms' : undefined)}, like this machine's clock ` +
        `(${timestamp(machine)}) and the gateway's (${timestamp(clock.now)}). Does the code read the machine's time, for example with ` +
        'Date.now()? Pass it `gateway.clock.now`, or use the `globals` option.',
    ]
  }
  return []
}
