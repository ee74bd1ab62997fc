import * as v from 'valibot'
import { type Clock, isManual, type MovableClock } from '../core/engine/clock.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { sentDuration } from '../core/schema/options.ts'
import { count } from '../core/schema/record-schema.ts'
import { ruleOnWhole } from '../core/schema/rule.ts'
import { time } from '../core/schema/schema.ts'
import { quote } from '../core/schema/text.ts'
import { type Duration, durationMs, exactTimestamp, LATEST_TIME, timeMs, timestamp } from '../core/schema/time.ts'
import { after, errors, MOVE_PLACE, moveTo, moveWithMemory, remember, requireManual } from './clock-moves.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'
import { waitingRequest, waitingRequests } from './waiting-requests.ts'

const move = v.object({
  advance: v.optional(sentDuration('How far to advance: a number of ms, or a whole number with a unit.')),
  to: v.optional(
    documented(v.string(), 'The time to advance to, not before the current time.', { json: { format: 'date-time' } }),
  ),
  next: v.optional(
    documented(
      v.literal(true),
      'Advance to the next event that is due, to the next delayed response, or to the next attempt to deliver account events.',
    ),
  ),
  remember,
})

const exactlyOne = ruleOnWhole<v.InferOutput<typeof move>, never>([], (sent, report) => {
  const names = Object.keys(sent).filter((name) => name !== 'remember')
  if (names.length !== 1) report(general.field_invalid, { allowed: 'exactly one of advance, to, and next' })
})

const clockView = named(
  v.object({
    now: documented(time, "The gateway's time: UTC, in whole seconds."),
    ms: documented(count, "The gateway's time in epoch ms."),
    manual: documented(v.boolean(), 'True for a manual clock, which you can advance.'),
    waiting: v.exactOptional(
      documented(
        v.array(waitingRequest),
        'The requests whose responses a fault delays, earliest response first: at most 100. Absent if there are none.',
      ),
    ),
  }),
  'Clock',
  "The gateway's clock.",
)

const read = controlCall({
  method: 'GET',
  path: '/clock',
  summary: "Show the gateway's time",
  commands: [{ name: 'clock' }],
  response: clockView,
  run: showClock,
})

const moveCall = controlCall({
  ...MOVE_PLACE,
  summary: 'Advance a manual clock',
  commands: [
    {
      name: 'clock advance',
      summary: 'Advance a manual clock by a duration',
      words: { advance: 'DURATION' },
      flags: [],
      example: '30s',
      notes: [
        'DURATION is a whole number followed by a unit: ms, s, m, h, or d. Everything that falls due runs, in order.',
      ],
    },
    {
      name: 'clock to',
      summary: 'Advance a manual clock to a time',
      words: { to: 'TIME' },
      flags: [],
      example: '2026-03-01T00:00:00Z',
    },
    {
      name: 'clock next',
      summary: 'Advance a manual clock to the next event',
      fixedFields: { next: true },
      flags: [],
    },
  ],
  from: 'body',
  schema: named(v.pipe(move, exactlyOne), 'ClockMove', 'How to advance a manual clock: exactly one of these fields.'),
  response: clockView,
  errors: [errors.clock_not_manual, errors.clock_move_stopped],
  run(host, { advance, to, next, remember }) {
    const clock = requireManual(host.clock)
    return moveWithMemory(host, remember, () => {
      if (next && !clock.nextDueAt) {
        clock.advanceToNext()
        return showClock(host)
      }
      return after(moveTo(host, clock, targetTime(clock, advance, to)), () => showClock(host))
    })
  },
})

export const clock: Control<{ readonly clock: Clock }, typeof errors> = {
  errors,
  calls: [read, moveCall],
  members: (host) => ({ clock: host.clock }),
}

/** Returns the time to advance to. By default, when the next event or delayed response is due, or now if nothing is due. */
function targetTime(clock: MovableClock, advance: Duration | undefined, to: string | undefined): number {
  if (advance !== undefined) return requireReachable('advance', advance, clock.now + (durationMs(advance) ?? 0))
  return to === undefined ? Math.max(clock.nextDueAt?.() ?? clock.now, clock.now) : requireLater(clock, to)
}

function showClock(host: ControlHost) {
  const ms = host.engine.now
  const waiting = waitingRequests(host)
  return { now: timestamp(ms), ms, manual: isManual(host.clock), ...(waiting.length > 0 && { waiting }) }
}

function requireLater(clock: MovableClock, to: string): number {
  const ms = timeMs(to) ?? timeMs(completeTime(to))
  const allowed = `an RFC 3339 time, at the earliest "${exactTimestamp(clock.now)}"`
  if (ms === undefined || ms < clock.now)
    return refuse(general.field_invalid, { field: 'to', received: quote(to), allowed })
  return requireReachable('to', to, ms)
}

/** Completes a date, or a time without seconds or time zone, to a time in UTC. */
function completeTime(text: string): string {
  const [, date, time = '00:00', seconds = ':00'] =
    /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?\s*$/.exec(text) ?? []
  return `${date}T${time}${seconds}Z`
}

function requireReachable(field: string, received: unknown, ms: number): number {
  const allowed = 'a time up to the year 9999'
  return ms <= LATEST_TIME ? ms : refuse(general.field_invalid, { field, received: quote(received), allowed })
}
