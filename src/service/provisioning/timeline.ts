import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import { made, seconds } from '../../core/schema/record-schema.ts'
import { time } from '../../core/schema/schema.ts'
import type { Frozen } from '../../core/schema/values.ts'
import { OUTCOMES } from './outcomes.ts'

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

export type Transition = (typeof TRANSITIONS)[number]

const timelineEntry = v.object({
  /** Seconds since the Unix epoch. */
  at: seconds,
  transition: oneOfThese(TRANSITIONS),
  outcome: v.nullable(oneOfThese(OUTCOMES)),
  /** The variable part of the message: a certificate's ID, the reason for a failure, … */
  note: v.nullable(v.string()),
})

/** A transition, as stored in records. */
export type TimelineRecord = Frozen<v.InferOutput<typeof timelineEntry>>

/** The most recent transitions of a domain, oldest first. */
export type Timeline = readonly TimelineRecord[]

export const timelineEntryView = named(
  v.object({
    at: documented(time, 'The time of the transition: UTC, in whole seconds.'),
    transition: documented(v.picklist(TRANSITIONS), 'The transition.'),
    outcome: documented(
      v.nullable(v.picklist(OUTCOMES)),
      'The outcome of an attempt; null for transitions that do not end an attempt.',
    ),
    message: documented(v.string(), 'A description of the transition.'),
  }),
  'TimelineEntry',
  'A provisioning transition of a domain.',
)

const MAX_TIMELINE_ENTRIES = 100

/** The maximum total number of entries across all domains, except that each domain can always have {@link MIN_TIMELINE_ENTRIES}. */
const MAX_ENTRIES_IN_ALL = 40_000

const MIN_TIMELINE_ENTRIES = 4

export const timeline = made(
  v.pipe(v.array(timelineEntry), v.maxLength(MAX_TIMELINE_ENTRIES, `at most ${MAX_TIMELINE_ENTRIES} entries`)),
)

/** Adds an entry, and drops the oldest entries if there are too many for the number of domains. */
export function withEntry(timeline: Timeline, entry: TimelineRecord, domains: number): Timeline {
  const share = Math.max(MIN_TIMELINE_ENTRIES, Math.floor(MAX_ENTRIES_IN_ALL / Math.max(1, domains)))
  // `slice` creates an array of exactly this length. On frozen arrays, `slice` and `concat` take twenty times as long.
  const last = [...timeline, Object.freeze(entry)].slice(-Math.min(MAX_TIMELINE_ENTRIES, share))
  // Otherwise, each attempt would visit every earlier entry to freeze it.
  return Object.freeze(last)
}
