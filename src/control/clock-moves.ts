import * as v from 'valibot'
import { type Clock, isManual, type MovableClock, stopwatch } from '../core/engine/clock.ts'
import { documented } from '../core/schema/documentation.ts'
import { declareErrors, entry, refuse } from '../core/schema/errors.ts'
import { formatCount } from '../core/schema/text.ts'
import { durationText, timestamp } from '../core/schema/time.ts'
import type { ControlHost } from './control.ts'
import { findTransitions } from './transitions.ts'
import { delayedResponses } from './waiting-requests.ts'

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

/** The method and path of the call that moves the clock. */
export const MOVE_PLACE = { method: 'POST', path: '/clock' } as const

/** The field that makes it possible to undo a clock move. */
export const remember = v.optional(
  documented(
    v.literal(true),
    "Save the previous state, so that `POST /_fauxgate/undo` can return to it, and count the move's events in the overview.",
  ),
)

export function requireManual(clock: Clock): MovableClock {
  return isManual(clock) ? clock : refuse(errors.clock_not_manual, {})
}

/** Runs work after earlier work, which a host may run in parts. */
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
    if (isManual(host.clock) && ms > 0) controlLog.addControl({ ...MOVE_PLACE, from: 'body' }, sent, from, undefined)
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
