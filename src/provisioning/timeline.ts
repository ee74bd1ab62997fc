import type { Outcome } from './outcomes.ts'
import type { Transition } from './transitions.ts'

/** One thing that a domain's provisioning did, as it is kept. There are many: whole seconds take the least memory. */
export interface TimelineEntry {
  /** Seconds since 1970. */
  readonly at: number
  readonly transition: Transition
  readonly outcome: Outcome | null
  /** What its message needs: a certificate's id, why an attempt failed, … */
  readonly note: string | null
}

/** One thing that a domain's provisioning did, as it is shown; `at` is a timestamp. */
export interface ShownTimelineEntry {
  readonly at: string
  readonly transition: Transition
  /** What an attempt came to; null for what is no attempt's end. */
  readonly outcome: Outcome | null
  readonly message: string
}

/** How many entries a domain keeps; the oldest give way. */
export const LONGEST_TIMELINE = 100

/** A timeline with one more entry. */
export function withEntry(timeline: readonly TimelineEntry[], entry: TimelineEntry): readonly TimelineEntry[] {
  return [...(timeline.length < LONGEST_TIMELINE ? timeline : timeline.slice(1 - LONGEST_TIMELINE)), entry]
}

/** A timeline as text, one line per entry. */
export function printedTimeline(timeline: readonly ShownTimelineEntry[]): string {
  const width = Math.max(0, ...timeline.map(({ transition }) => transition.length))
  return timeline.map(({ at, transition, message }) => `${at}  ${transition.padEnd(width)}  ${message}`).join('\n')
}
