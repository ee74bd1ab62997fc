import * as v from 'valibot'
import { general } from './general-errors.ts'
import { idProblem, isOwnId, ownIdSequence } from './ids.ts'
import { type Report, rule, type StateFacts } from './rule.ts'
import { LATEST_TIME } from './time.ts'

/** The largest number that an id can come from and leave room for as many more as anybody can make. */
export const LARGEST_SEQUENCE = 62 ** 7 - 62 ** 6

/** The state of a record that stands by itself: every fact can be. */
const ANY_STATE: StateFacts = { now: Number.NEGATIVE_INFINITY, sequence: Number.POSITIVE_INFINITY }

/** A rule on one field that looks at the state it belongs to. */
export function recordRule<T>(check: (value: T, report: Report, state: StateFacts) => void) {
  return rule<T, never>([], (value, report, { state = ANY_STATE }) => check(value, report, state))
}

/** A number from 0 to `most`; `what` says in messages what it is. */
const fromZero = (what: string, most: number) => {
  const message = `${what}, from 0 to ${most}`
  return v.pipe(v.number(message), v.minValue(0, message), v.maxValue(most, message))
}

/** When something happened, in ms since 1970: anything that a gateway's clock can show. */
export const instant: v.GenericSchema<number> = fromZero('a time in ms', LATEST_TIME)

/** When something happened, in whole seconds since 1970. */
export const seconds: v.GenericSchema<number> = v.pipe(
  fromZero('a time in whole seconds', LATEST_TIME / 1000),
  v.integer('whole seconds'),
)

const WHOLE = 'a time in ms that is a whole second'

/** When something is to happen, in ms since 1970: a whole second (rules: time#whole-seconds). */
export const scheduledTime: v.GenericSchema<number> = v.pipe(instant, v.multipleOf(1000, WHOLE))

/** When something is due: what was due by the time of the state has happened. */
export const dueTime: v.GenericSchema<number> = v.pipe(
  scheduledTime,
  recordRule((at, report, { now }) => {
    if (at <= now) report(general.field_invalid, { allowed: `a time in ms after ${now}, the time of the state` })
  }),
)

/** How often something happened. It leaves room for as much more as anybody can do. */
export const count: v.GenericSchema<number> = v.pipe(fromZero('a number', 2 ** 52), v.integer('an integer'))

/** How many numbers were drawn: what the next id comes from. */
export const sequence = v.pipe(fromZero('an integer', LARGEST_SEQUENCE), v.integer('an integer'))

/** A number that was drawn from the sequence. */
export const drawn = v.pipe(
  v.number('an integer'),
  recordRule((number, report, { sequence }) => {
    if (!(Number.isSafeInteger(number) && number >= 0 && number < sequence)) {
      report(general.field_invalid, { allowed: `an integer from 0 to below ${sequence}, the sequence` })
    }
  }),
)

/** The id of a record of the gateway's own. It was made from a number of the sequence, so that no new one equals it. */
export function ownId(prefix: string): v.GenericSchema<string> {
  return v.pipe(
    v.string(),
    recordRule((id, report, { sequence }) => {
      if (!isOwnId(id, prefix)) report(general.field_invalid, { allowed: `"${prefix}_" and 27 letters and digits` })
      else if (ownIdSequence(id) >= sequence) {
        report(general.field_invalid, { allowed: `an id that was made before number ${sequence} of the sequence` })
      }
    }),
  )
}

/** The id of something that may be of somebody else's making. */
export function idOf(prefix: string): v.GenericSchema<string> {
  return v.pipe(
    v.string(),
    rule([], (id, report) => {
      if (idProblem(id, prefix)) report(general.field_invalid, { allowed: `"${prefix}_" and letters and digits` })
    }),
  )
}

/** The fields that the record of every top-level resource begins with. */
export function recordHead<D extends v.GenericSchema, M extends v.GenericSchema>(
  prefix: string,
  { description, metadata }: { description: D; metadata: M },
) {
  return { id: ownId(prefix), created_at: instant, description, metadata }
}

/** One of several texts. */
export function oneOfThese<const T extends readonly string[]>(texts: T) {
  return v.picklist(texts, texts.join(', '))
}

/** A text that says something. */
export const someText: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1, 'a text that is not empty'))
