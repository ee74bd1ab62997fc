import type { TimelineEntry } from '../../generated/controls.ts'

/** Formats a timeline for people, with one line per transition, oldest first. */
export function formatTimeline(timeline: readonly TimelineEntry[]): string {
  const width = Math.max(0, ...timeline.map(({ transition }) => transition.length))
  return timeline.map(({ at, transition, message }) => `${at}  ${transition.padEnd(width)}  ${message}`).join('\n')
}
