import * as v from 'valibot'
import { DURATION_ALLOWED, durationMs } from '../contract/duration.ts'
import { catalogue, isErrorKey } from '../contract/errors.ts'
import { FAULT_METHODS, type FaultRequest } from '../contract/fault.ts'
import { anyObject, as, rule } from '../contract/schema.ts'

const text = v.optional(v.string())

const whole = (min: number, max: number) => {
  const message = as('field_invalid', { allowed: `an integer from ${min} to ${max}` })
  return v.optional(v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message)))
}

const duration = v.optional(
  v.pipe(
    v.union([v.number(), v.string()], as('field_invalid', { allowed: DURATION_ALLOWED })),
    rule<number | string>((value, report) => {
      if (durationMs(value) === undefined) report('field_invalid', { allowed: DURATION_ALLOWED })
    }),
  ),
)

const errorKey = v.pipe(
  v.string(),
  rule<string>((key, report) => {
    if (!isErrorKey(key))
      report('field_invalid', { allowed: `a key of the catalogue: ${Object.keys(catalogue).join(', ')}` })
  }),
)

const method = v.pipe(
  v.string(),
  v.toUpperCase(),
  v.picklist(FAULT_METHODS, as('field_invalid', { allowed: FAULT_METHODS.join(', ') })),
)

/** A predicate is no data: only a caller in this process has one. */
export const when = v.custom<(request: FaultRequest) => boolean>(
  (value) => typeof value === 'function',
  as('field_invalid', { allowed: 'a function' }),
)

/** What a fault is ordered by, as data. */
export const faultSpec = {
  operation: text,
  method: v.optional(method),
  path: text,
  resource: text,
  times: whole(1, 1_000_000),
  after: whole(0, 1_000_000),
  phase: v.optional(v.picklist(['before', 'after'], as('field_invalid', { allowed: 'before or after' }))),
  status: whole(400, 599),
  error: v.optional(errorKey),
  message: text,
  retryAfter: duration,
  latency: duration,
  drop: v.optional(v.boolean()),
  truncate: whole(0, 1_000_000),
  body: v.optional(v.union([v.string(), anyObject()], as('field_invalid', { allowed: 'a text or an object' }))),
}
