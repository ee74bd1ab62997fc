import * as v from 'valibot'
import { type Clock, isManual, type MovableClock, stopwatch } from '../core/engine/clock.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { declareErrors, entry, refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { sentDuration } from '../core/schema/options.ts'
import { count } from '../core/schema/record-schema.ts'
import { ruleOnWhole } from '../core/schema/rule.ts'
import { time } from '../core/schema/schema.ts'
import { formatCount, quote } from '../core/schema/text.ts'
import {
  type Duration,
  durationMs,
  durationText,
  exactTimestamp,
  LATEST_TIME,
  roundUpToSecond,
  timeMs,
  timestamp,
} from '../core/schema/time.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'
import { findTransitions } from './transitions.ts'

export const errors = declareErrors({
  clock_not_manual: entry(
    90420,
    400,
    "This gateway's clock cannot be advanced, because it is not a manual clock. Start the server with `--clock manual`, or create the gateway with `clock: manualClock('2026-01-01T00:00:00Z')`.",
  ),
  clock_move_stopped: entry(
    90422,
    504,
    (it: { seconds: number; reached: string; target: string; isSettled: boolean }) =>
      `The advance was stopped after ${formatCount(it.seconds, 'second')} of work. The clock is at ${it.reached}, and ` +
      `${it.target} was requested. ${
        it.isSettled
          ? 'Everything due by then has happened. Continue from here, or advance in smaller steps.'
          : 'Some events due by then have not happened yet. The next call continues with them.'
      }`,
  ),
})

/** The field that makes it possible to undo a clock move. */
export const remember = v.optional(
  documented(
    v.literal(true),
    "Save the previous state, so that `POST /_fauxgate/undo` can return to it, and count the move's events in the overview.",
  ),
)

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

/** A request whose response a fault delays. */
export const waitingRequest = named(
  v.object({
    operationId: documented(v.string(), "The ID of the request's operation, as in the journal."),
    until: documented(time, 'The time of the response, rounded up to a whole second.'),
  }),
  'WaitingRequest',
  "A request whose response is waiting for a time on the gateway's clock, because of a fault's latency.",
)

const MAX_WAITING = 100

/** Returns at most 100 requests whose responses a fault delays, ordered by response time. */
export function waitingRequests(host: ControlHost) {
  return delayedResponses(host)
    .slice(0, MAX_WAITING)
    .map(({ key, until }) => ({ operationId: key, until: timeOfStep(until) }))
}

/** Returns the delayed responses, earliest first. */
export const delayedResponses = (host: ControlHost) =>
  host.engine.clock.waiting.filter(({ event }) => event === 'response')

/**
 * Formats the time of a delayed response or a delivery, rounded up to a whole second, so that it has happened once the clock reaches that
 * time.
 */
export function timeOfStep(until: number): string {
  return timestamp(roundUpToSecond(until))
}

const clockView = named(
  v.object({
    now: documented(time, "The gateway's time: UTC, in whole seconds."),
    ms: documented(count, "The gateway's time in ms since 1970."),
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

const PLACE = { method: 'POST', path: '/clock' } as const

const moveCall = controlCall({
  ...PLACE,
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

/** Runs work after any other work that a host may be running in parts. */
export function after<T>(earlier: void | Promise<void>, next: () => T): T | Promise<T> {
  return earlier instanceof Promise ? earlier.then(next) : next()
}

/**
 * Runs a move of the clock. With `remember`, an undo returns to the state before the move, and the overview counts the events since the move. If a move
 * fails without moving the clock, an undo still returns to the state before the previous move.
 */
export function moveWithMemory<T>(
  host: ControlHost,
  isRemembered: true | undefined,
  move: () => T | Promise<T>,
): T | Promise<T> {
  const { engine, controlLog } = host
  const from = engine.now
  const finish = isRemembered ? rememberMove(host) : () => undefined
  // A stopped move has still moved the clock, so the log records the part that happened.
  const fail = (error: unknown): never => {
    const ms = engine.lastNow - from
    const sent = { advance: durationText(ms), ...(isRemembered && { remember: isRemembered }) }
    if (isManual(host.clock) && ms > 0) controlLog.addControl({ ...PLACE, from: 'body' }, sent, from, undefined)
    throw error
  }
  let moved: T | Promise<T> | undefined
  try {
    moved = move()
  } catch (error) {
    return fail(error)
  } finally {
    if (!(moved instanceof Promise)) finish()
  }
  return moved instanceof Promise ? moved.catch(fail).finally(finish) : moved
}

/** Remembers the state before a move. Returns a function to call at the end of the move. */
function rememberMove(host: ControlHost): () => void {
  const { engine, snapshots } = host
  // The store receives one commit at the end: the move, and the state before it.
  const end = engine.startMove()
  const before = host.snapshot(true)
  const waiting = delayedResponses(host)
  const counts: Record<string, number> = {}
  engine.listener = ({ changes }) => {
    for (const change of changes) {
      for (const { transition } of findTransitions(change)?.added ?? [])
        counts[transition] = (counts[transition] ?? 0) + 1
    }
  }
  return () => {
    engine.listener = undefined
    try {
      if (engine.now === before.now) return
      const responses = waiting.filter(({ until }) => until <= engine.now).length
      snapshots.remembered.rememberMove(before, { ...counts, ...(responses > 0 && { responses }) })
    } finally {
      end()
    }
  }
}

/** The maximum duration of a move that isn't divided. All other requests wait for it. */
const MAX_WORK_MS = 10_000

/** Advances a clock. Throws `clock_move_stopped` if the move takes too long and is not finished. */
export function moveTo(host: ControlHost, clock: MovableClock, to: number): void | Promise<void> {
  const {
    engine,
    hooks: { moveParts },
  } = host
  const advance = (isOver: () => boolean) => engine.runMove(() => clock.advanceTo(to), isOver)
  if (!moveParts) {
    const elapsedMs = stopwatch()
    if (advance(() => elapsedMs() >= MAX_WORK_MS)) requireArrival(host, clock, to, MAX_WORK_MS)
    return
  }
  return moveParts.run(async () => {
    const end = engine.startMove()
    let parts = 1
    try {
      for (; advance(moveParts.start()); parts++) {
        if (moveParts.isLast(parts)) return requireArrival(host, clock, to, moveParts.maxWorkMs)
        await moveParts.pause()
      }
    } finally {
      if (parts > 1) await moveParts.pauseBeforeCommit(parts)
      end()
    }
  })
}

function requireArrival({ engine }: ControlHost, clock: MovableClock, to: number, limit: number): void {
  const isSettled = (engine.nextDue?.due.at ?? Number.POSITIVE_INFINITY) > clock.now
  if (isSettled && clock.now >= to) return
  const facts = { reached: timestamp(clock.now), target: timestamp(to) }
  refuse(errors.clock_move_stopped, { seconds: limit / 1000, isSettled, ...facts })
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

export function requireManual(clock: Clock): MovableClock {
  return isManual(clock) ? clock : refuse(errors.clock_not_manual, {})
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
