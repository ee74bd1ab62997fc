import * as v from 'valibot'
import { documented, named } from '../schema/documentation.ts'
import { oneOfThese, seconds } from '../schema/record-schema.ts'
import { time } from '../schema/schema.ts'
import type { Frozen } from '../schema/values.ts'
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

/** One thing that a domain's provisioning did, as snapshots have it; `at` in seconds since 1970. */
export type TimelineEntry = Frozen<v.InferOutput<typeof timelineEntry>>

/**
 * What a domain's provisioning did as it is kept, oldest first: of each entry its values, one after the other. There are
 * many; as objects they take twice the memory.
 */
export type Timeline = readonly TimelineEntry[keyof TimelineEntry][]

/** How many values an entry has. */
const WIDTH = 4

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
  v.transform((entries) => timelineOf(entries)),
)

/** What nothing happened to. Most domains have it, so it is there once. */
export const NO_TIMELINE: Timeline = Object.freeze([])

/** A timeline with one more entry. */
export function withEntry(timeline: Timeline, entry: TimelineEntry): Timeline {
  const most = (LONGEST_TIMELINE - 1) * WIDTH
  // A list that is put together with `...` has room for more, which nobody uses.
  return (timeline.length <= most ? timeline : timeline.slice(-most)).concat(valuesOf(entry))
}

/** A timeline of these entries, oldest first. */
export function timelineOf(entries: readonly TimelineEntry[]): Timeline {
  return entries.length === 0 ? NO_TIMELINE : entries.flatMap(valuesOf)
}

/** The entries of a timeline, oldest first. */
export function entriesOf(timeline: Timeline): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  for (let i = 0; i < timeline.length; i += WIDTH) {
    const [at, transition, outcome, note] = timeline.slice(i, i + WIDTH)
    // Four values that stand together are those of an entry.
    entries.push({ at, transition, outcome, note } as TimelineEntry)
  }
  return entries
}

function valuesOf({ at, transition, outcome, note }: TimelineEntry): Timeline {
  return [at, transition, outcome, note]
}

/** A timeline as text, one line per entry. */
export function printedTimeline(timeline: readonly ShownTimelineEntry[]): string {
  const width = Math.max(0, ...timeline.map(({ transition }) => transition.length))
  return timeline.map(({ at, transition, message }) => `${at}  ${transition.padEnd(width)}  ${message}`).join('\n')
}
