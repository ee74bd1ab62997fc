import * as v from 'valibot'
import { withSteps } from './documentation.ts'
import { facts } from './facts.ts'
import { general } from './general-errors.ts'
import { findIdError, idPattern, isOwnId, parseSequence } from './ids.ts'
import { type Report, rule, type StateFacts } from './rule.ts'
import { formatIdStart } from './text.ts'
import { LATEST_TIME } from './time.ts'

/** The maximum sequence number of a snapshot's next ID. It leaves 62 ** 6 more IDs available. */
const MAX_SEQUENCE = 62 ** 7 - 62 ** 6

/** The state to use when a record is read without one. Allows every value. */
const ANY_STATE: StateFacts = { now: Number.NEGATIVE_INFINITY, sequence: Number.POSITIVE_INFINITY }

/** Creates a rule on a record's field. The rule needs the state, such as the state's time. */
export function recordRule<T>(check: (value: T, report: Report, state: StateFacts) => void) {
  return rule<T, never>([], (value, report, { state = ANY_STATE }) => check(value, report, state))
}

const fromZero = (kind: string, max: number) => {
  const message = `${kind}, from 0 to ${max}`
  return v.pipe(v.number(message), v.minValue(0, message), v.maxValue(max, message))
}

/**
 * Marks a value that depends on time, chance, or call order, such as a token. The value may differ between equivalent runs, so `survives`
 * does not compare it.
 */
export function made<S extends v.GenericSchema>(schema: S): S {
  return withSteps(schema, v.metadata({ isMade: true }))
}

/** The schema of a past time in a record, in ms since the Unix epoch. */
export const instant: v.GenericSchema<number> = made(fromZero('a time in ms', LATEST_TIME))

/** The schema of a past time in a record, in whole epoch seconds. */
export const seconds: v.GenericSchema<number> = made(
  v.pipe(fromZero('a time in whole seconds', LATEST_TIME / 1000), v.integer('whole seconds')),
)

// (rules: time#whole-seconds)
/** The schema of a future time in a record, in epoch ms, rounded to a whole second. */
export const scheduledTime: v.GenericSchema<number> = v.pipe(
  instant,
  v.multipleOf(1000, 'a time in ms that is a whole second'),
)

/**
 * The schema of a record's due time, in ms since the Unix epoch. It must be later than the time of the state.
 *
 * @example
 * ```ts
 * const fields = { due: v.nullable(v.object({ at: dueTime, order: sequenceNumber })) }
 * ```
 */
export const dueTime: v.GenericSchema<number> = v.pipe(
  scheduledTime,
  recordRule((at, report, { now, mayBeOverdue = false }) => {
    if (at <= now && !mayBeOverdue)
      report(general.field_invalid, { allowed: `a time in ms after ${now}, the time of the state` })
  }),
)

/**
 * The schema of a count: an integer from 0 to 2^52.
 *
 * @example
 * ```ts
 * const fields = { uses: count }
 * ```
 */
export const count: v.GenericSchema<number> = v.pipe(fromZero('a number', 2 ** 52), v.integer('an integer'))

/** The schema of the sequence number of the next ID. */
export const sequence = v.pipe(fromZero('an integer', MAX_SEQUENCE), v.integer('an integer'))

/**
 * The schema of a number that was taken from the sequence.
 *
 * @example
 * ```ts
 * const fields = { order: sequenceNumber }
 * ```
 */
export const sequenceNumber = made(
  v.pipe(
    v.number('an integer'),
    recordRule((number, report, { sequence }) => {
      if (!(Number.isSafeInteger(number) && number >= 0 && number < sequence)) {
        report(general.field_invalid, {
          allowed: `a non-negative integer less than ${sequence}, the next sequence number`,
        })
      }
    }),
  ),
)

/** Creates the schema of an ID that the gateway generated. */
export function ownId(prefix: string): v.GenericSchema<string> {
  return v.pipe(
    v.string(),
    recordRule((id, report, { sequence }) => {
      if (!isOwnId(id, prefix))
        report(general.field_invalid, { allowed: `"${prefix}_" followed by 27 letters and digits` })
      else if (parseSequence(id) >= sequence) {
        report(general.field_invalid, { allowed: `an ID with a sequence number below ${sequence}` })
      }
    }),
  )
}

/**
 * Creates the schema of an ID that may come from elsewhere, such as a reference.
 *
 * @example
 * ```ts
 * const fields = { owner_id: idOf('usr') }
 * ```
 */
export function idOf(prefix: string): v.GenericSchema<string> {
  return v.pipe(
    v.string(),
    rule([], (id, report) => {
      if (findIdError(id, prefix))
        report(general.field_invalid, { allowed: `${formatIdStart(prefix)} followed by letters and digits` })
    }),
    facts({ json: { pattern: idPattern(prefix) } }),
  )
}

/**
 * Creates the schemas of the fields that begin every resource's record: `id`, `created_at`, `description`, and `metadata`.
 *
 * @example
 * ```ts
 * const record = v.object({ ...recordHead('wid', { description, metadata }), name: v.string() })
 * ```
 */
export function recordHead<D extends v.GenericSchema, M extends v.GenericSchema>(
  prefix: string,
  { description, metadata }: { description: D; metadata: M },
) {
  return { id: ownId(prefix), created_at: instant, description, metadata }
}

/** The schema of a non-empty string. */
export const someText: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1, 'a non-empty string'))
