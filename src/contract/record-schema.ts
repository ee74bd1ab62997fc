import * as v from 'valibot'
import { idProblem, isOwnId, ownIdSequence } from './ids.ts'
import { as, type Report, type RuleContext, rule } from './schema.ts'
import { LATEST_TIME } from './view.ts'

/** What the fields of kept records are checked against, beside what fields of requests are: the state they belong to. */
export interface RecordContext extends RuleContext {
  /** The time of the state, in ms since 1970. */
  readonly now: number
  /** The number that the next id comes from. */
  readonly sequence: number
}

/** The largest number that an id can come from and leave room for as many more as anybody can make. */
export const LARGEST_SEQUENCE = 62 ** 7 - 62 ** 6

/** A rule on one field that looks at the state it belongs to. */
export function recordRule<T>(check: (value: T, report: Report, context: RecordContext) => void) {
  // Only `readRecords` reads these schemas, and it passes such a context.
  return rule<T>((value, report, context) => check(value, report, context as RecordContext))
}

/** A number from 0 to `most`; `what` says in messages what it is. */
const fromZero = (what: string, most: number) => {
  const message = as('field_invalid', { allowed: `${what}, from 0 to ${most}` })
  return v.pipe(v.number(message), v.minValue(0, message), v.maxValue(most, message))
}

/** When something happened, in ms since 1970: anything that a gateway's clock can show. */
export const instant = fromZero('a time in ms', LATEST_TIME)

/** When something happened, in whole seconds since 1970. */
export const seconds = v.pipe(
  fromZero('a time in whole seconds', LATEST_TIME / 1000),
  v.integer(as('field_invalid', { allowed: 'whole seconds' })),
)

const WHOLE = as('field_invalid', { allowed: 'a time in ms that is a whole second' })

/** When something is to happen, in ms since 1970: a whole second (decisions, "Wire"). */
export const scheduledTime = v.pipe(instant, v.multipleOf(1000, WHOLE))

/** When something is due: what was due by the time of the state has happened. */
export const dueTime = v.pipe(
  scheduledTime,
  recordRule<number>((at, report, { now }) => {
    if (at <= now) report('field_invalid', { allowed: `a time in ms after ${now}, the time of the state` })
  }),
)

/** How often something happened. It leaves room for as much more as anybody can do. */
export const count = v.pipe(fromZero('a number', 2 ** 52), v.integer(as('field_invalid', { allowed: 'an integer' })))

/** How many numbers were drawn: what the next id comes from. */
export const sequence = v.pipe(
  fromZero('an integer', LARGEST_SEQUENCE),
  v.integer(as('field_invalid', { allowed: 'an integer' })),
)

/** A number that was drawn from the sequence. */
export const drawn = v.pipe(
  v.number(as('field_invalid', { allowed: 'an integer' })),
  recordRule<number>((number, report, { sequence }) => {
    if (!(Number.isSafeInteger(number) && number >= 0 && number < sequence)) {
      report('field_invalid', { allowed: `an integer from 0 to below ${sequence}, the sequence` })
    }
  }),
)

/** The id of a record of the gateway's own. It was made from a number of the sequence, so that no new one equals it. */
export function ownId(prefix: string) {
  return v.pipe(
    v.string(),
    recordRule<string>((id, report, { sequence }) => {
      if (!isOwnId(id, prefix)) report('field_invalid', { allowed: `"${prefix}_" and 27 letters and digits` })
      else if (ownIdSequence(id) >= sequence) {
        report('field_invalid', { allowed: `an id that was made before number ${sequence} of the sequence` })
      }
    }),
  )
}

/** The id of something that may be of somebody else's making. */
export function idOf(prefix: string) {
  return v.pipe(
    v.string(),
    rule<string>((id, report) => {
      if (idProblem(id, prefix)) report('field_invalid', { allowed: `"${prefix}_" and letters and digits` })
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
  return v.picklist(texts, as('field_invalid', { allowed: texts.join(', ') }))
}

/** A text that says something. */
export const someText = v.pipe(v.string(), v.minLength(1, as('field_invalid', { allowed: 'a text that is not empty' })))
