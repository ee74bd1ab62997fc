import * as v from 'valibot'
import { DURATION_ALLOWED, durationMs } from '../contract/duration.ts'
import { catalogue, isErrorKey } from '../contract/errors.ts'
import type { FaultRequest } from '../contract/fault.ts'
import { anyObject, as, rule } from '../contract/schema.ts'
import { control, plainControl } from './control-operation.ts'
import { armedFaults, faults } from './fault-records.ts'

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

const when = v.custom<(request: FaultRequest) => boolean>(
  (value) => typeof value === 'function',
  as('field_invalid', { allowed: 'a function' }),
)

const spec = v.object({
  operation: text,
  method: text,
  path: text,
  resource: text,
  when: v.optional(when),
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
})

export const faultControls = {
  list: plainControl({
    method: 'GET',
    path: '/faults',
    summary: 'The armed faults, oldest first',
    run: (host) => host.control(armedFaults),
  }),
  add: control({
    method: 'POST',
    path: '/faults',
    summary: 'Arm a fault',
    from: 'body',
    input: spec,
    run: (host, sent) =>
      host.control((tx) => tx.put(faults, { id: tx.newId('fault'), ...(sent as object), hits: 0, passed: 0 })),
  }),
  remove: control({
    method: 'DELETE',
    path: '/faults',
    summary: 'Remove all faults, or one',
    from: 'query',
    input: v.object({ id: text }),
    run: (host, { id }) =>
      host.control((tx) => {
        for (const fault of armedFaults(tx)) if (id === undefined || fault.id === id) tx.remove(faults, fault)
      }),
  }),
}
