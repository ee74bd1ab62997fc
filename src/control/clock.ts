import * as v from 'valibot'
import { DURATION_ALLOWED, type Duration, durationMs } from '../contract/duration.ts'
import { refuse } from '../contract/errors.ts'
import { quote } from '../contract/quote.ts'
import { as, ruleOnWhole } from '../contract/schema.ts'
import { LATEST_TIME, TIME_ALLOWED, timeMs, timestamp } from '../contract/view.ts'
import { type Clock, isManual, type ManualClock } from '../engine/clock.ts'
import { type ControlHost, control, plainControl } from './control-operation.ts'

const move = v.object({
  advance: v.optional(v.union([v.string(), v.number()], as('field_invalid', { allowed: DURATION_ALLOWED }))),
  to: v.optional(v.string()),
  next: v.optional(v.literal(true)),
})

const exactlyOne = ruleOnWhole<v.InferOutput<typeof move>>((sent, report) => {
  const names = Object.keys(sent)
  if (names.length !== 1) report('field_invalid', { allowed: 'exactly one of advance, to and next' })
})

export const clockControls = {
  read: plainControl({ method: 'GET', path: '/clock', summary: "The gateway's time", run: shownClock }),
  move: control({
    method: 'POST',
    path: '/clock',
    summary: 'Move a manual clock',
    from: 'body',
    input: v.pipe(move, exactlyOne),
    run(host, { advance, to }) {
      const clock = requireManual(host.clock)
      if (advance !== undefined)
        clock.advanceTo(requireReachable('advance', advance, clock.now + requireDuration(advance)))
      else if (to !== undefined) clock.advanceTo(requireLater(clock, to))
      else clock.advanceToNext()
      return shownClock(host)
    },
  }),
}

function shownClock(host: ControlHost) {
  return { now: timestamp(host.now()), manual: isManual(host.clock) }
}

function requireManual(clock: Clock): ManualClock {
  return isManual(clock) ? clock : refuse('clock_not_manual', {})
}

function requireDuration(value: string | number): number {
  const ms = durationMs(value as Duration)
  return ms ?? refuse('field_invalid', { field: 'advance', received: quote(value), allowed: DURATION_ALLOWED })
}

function requireLater(clock: ManualClock, to: string): number {
  const ms = timeMs(to)
  const allowed = `${TIME_ALLOWED}, from ${timestamp(clock.now)} on`
  if (ms === undefined || ms < clock.now) return refuse('field_invalid', { field: 'to', received: quote(to), allowed })
  return requireReachable('to', to, ms)
}

function requireReachable(field: string, received: unknown, ms: number): number {
  const allowed = 'a time up to the year 9999'
  return ms <= LATEST_TIME ? ms : refuse('field_invalid', { field, received: quote(received), allowed })
}
