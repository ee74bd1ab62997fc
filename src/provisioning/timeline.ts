import { timestamp } from '../contract/view.ts'
import type { Transition } from './transitions.ts'

/** One thing that a domain's provisioning did, as it is kept; `at` in ms since 1970. */
export interface TimelineEntry {
  readonly at: number
  readonly transition: Transition
  readonly outcome: 'success' | 'INTERNAL_ERROR' | 'DNS_ERROR' | null
  readonly message: string
}

/** One thing that a domain's provisioning did, with its time as a timestamp. */
export type ShownTimelineEntry = Omit<TimelineEntry, 'at'> & { readonly at: string }

/** How many entries a domain keeps; the oldest give way. */
export const LONGEST_TIMELINE = 100

/** A timeline with one more entry. */
export function withEntry(timeline: readonly TimelineEntry[], entry: TimelineEntry): readonly TimelineEntry[] {
  return [...(timeline.length < LONGEST_TIMELINE ? timeline : timeline.slice(1 - LONGEST_TIMELINE)), entry]
}

/** A timeline as it is shown to people and over HTTP. */
export function shownTimeline(timeline: readonly TimelineEntry[]): readonly ShownTimelineEntry[] {
  return timeline.map(({ at, transition, outcome, message }) => ({ at: timestamp(at), transition, outcome, message }))
}

/** A timeline as text, one line per entry. */
export function printedTimeline(timeline: readonly ShownTimelineEntry[]): string {
  const width = Math.max(0, ...timeline.map(({ transition }) => transition.length))
  return timeline.map(({ at, transition, message }) => `${at}  ${transition.padEnd(width)}  ${message}`).join('\n')
}
