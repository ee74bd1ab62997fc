import * as v from 'valibot'
import { documented } from './documentation.ts'
import { facts } from './facts.ts'
import { type DurationRange, RANGE_ALLOWED, RANGE_FACTS, RANGE_IN_TEXT, rangeMs } from './time.ts'

/** Creates the schema of a duration or range of durations whose output is the value as sent. */
export function sentRange(sentence: string) {
  const schema = v.custom<DurationRange>((value) => rangeMs(value) !== undefined, RANGE_ALLOWED)
  return documented(v.pipe(schema, v.metadata({ typed: RANGE_IN_TEXT })), sentence, RANGE_FACTS)
}

/** Creates the schema of a duration or range of durations; its output is the range in ms. */
/* @__NO_SIDE_EFFECTS__ */
export function durationRange() {
  return v.pipe(
    v.custom<DurationRange>((value) => rangeMs(value) !== undefined, RANGE_ALLOWED),
    v.transform((value) => rangeMs(value) ?? { from: 0, to: 0 }),
    v.metadata({ placeholder: 'D', typed: RANGE_IN_TEXT }),
    facts(RANGE_FACTS),
  )
}
