import * as v from 'valibot'
import { documented, named } from '../contract/documentation.ts'
import { oneOfThese, seconds } from '../contract/record-schema.ts'
import { time } from '../contract/schema.ts'
import type { Frozen } from '../contract/view.ts'
import { OUTCOMES, type Outcome } from './outcomes.ts'

/** What can happen to a domain's provisioning. */
export const TRANSITIONS = [
  'started',
  'failed',
  'retried',
  'issued',
  'renewal started',
  'renewal failed',
  'renewed',
  'cancelled',
] as const

/** What can happen to a domain's provisioning. */
export type Transition = (typeof TRANSITIONS)[number]

const timelineEntry = v.object({
  /** Seconds since 1970. */
  at: seconds,
  transition: oneOfThese(TRANSITIONS),
  outcome: v.nullable(oneOfThese(OUTCOMES)),
  /** What its message needs: a certificate's id, why an attempt failed, … */
  note: v.nullable(v.string()),
})

/** One thing that a domain's provisioning did, as it is kept. There are many: whole seconds take the least memory. */
export type TimelineEntry = Frozen<v.InferOutput<typeof timelineEntry>>

/** One thing that a domain's provisioning did, as it is shown; `at` is a timestamp. */
export interface ShownTimelineEntry {
  /** When it happened: UTC, in whole seconds. */
  readonly at: string
  /** What happened. */
  readonly transition: Transition
  /** What an attempt came to; null for what is no attempt's end. */
  readonly outcome: Outcome | null
  /** The same in words for people. */
  readonly message: string
}

/** {@link ShownTimelineEntry} as a schema. */
export const shownTimelineEntry = named(
  v.object({
    at: documented(time, 'When it happened.'),
    transition: documented(v.picklist(TRANSITIONS), 'What happened.'),
    outcome: documented(
      v.nullable(v.picklist(OUTCOMES)),
      "What an attempt came to; null for what is no attempt's end.",
    ),
    message: documented(v.string(), 'The same in words for people.'),
  }),
  'TimelineEntry',
  "One thing that a domain's provisioning did.",
)

/** How many entries a domain keeps; the oldest give way. */
export const LONGEST_TIMELINE = 100

/** What a domain's provisioning did, oldest first. */
export const timeline = v.pipe(
  v.array(timelineEntry),
  v.maxLength(LONGEST_TIMELINE, `at most ${LONGEST_TIMELINE} entries`),
)

/** What nothing happened to. Most domains have it, so it is there once. */
export const NO_TIMELINE: readonly TimelineEntry[] = Object.freeze([])

/** A timeline with one more entry. */
export function withEntry(timeline: readonly TimelineEntry[], entry: TimelineEntry): readonly TimelineEntry[] {
  return [...(timeline.length < LONGEST_TIMELINE ? timeline : timeline.slice(1 - LONGEST_TIMELINE)), entry]
}

/** A timeline as text, one line per entry. */
export function printedTimeline(timeline: readonly ShownTimelineEntry[]): string {
  const width = Math.max(0, ...timeline.map(({ transition }) => transition.length))
  return timeline.map(({ at, transition, message }) => `${at}  ${transition.padEnd(width)}  ${message}`).join('\n')
}
