import * as v from 'valibot'
import { DURATION_ALLOWED, durationMs } from '../contract/duration.ts'
import { catalogue, isErrorKey, refuse } from '../contract/errors.ts'
import { FAULT_METHODS, type FaultRequest } from '../contract/fault.ts'
import { idProblem } from '../contract/ids.ts'
import type { Operation } from '../contract/operation.ts'
import { quote } from '../contract/quote.ts'
import { anyObject, as, rule } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { type ControlHost, control, plainControl } from './control-operation.ts'
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

const method = v.pipe(
  v.string(),
  v.toUpperCase(),
  v.picklist(FAULT_METHODS, as('field_invalid', { allowed: FAULT_METHODS.join(', ') })),
)

const spec = v.object({
  operation: text,
  method: v.optional(method),
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

type Sent = v.InferOutput<typeof spec>

/** How many faults a gateway keeps; used-up ones give way to new ones. */
const MOST_FAULTS = 1000

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
    run(host, sent) {
      requireMeetable(host, sent)
      return host.control((tx) => {
        makeRoom(tx)
        return tx.put(faults, { id: tx.newId('fault'), ...(sent as object), hits: 0, passed: 0 })
      })
    },
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

/** Lets the oldest used-up fault give way where there is no room for another one. */
function makeRoom(tx: Transaction): void {
  if (tx.count(faults) < MOST_FAULTS) return
  const usedUp = tx.find(faults, 'usedUp', '')
  if (!usedUp) refuse('too_many_on_order', { what: 'faults', most: MOST_FAULTS })
  tx.remove(faults, usedUp)
}

/** Refuses a fault that no request can meet: a test that waits for it would pass without ever seeing it. */
function requireMeetable(host: ControlHost, { operation, method, path, resource }: Sent): void {
  let left = host.operations
  const narrow = (field: string, wanted: string | undefined, test: (each: Operation) => boolean, of: Named) => {
    if (wanted === undefined) return
    const allowed = [...new Set(left.flatMap(of))].join(', ') || 'nothing, because such requests name no resource'
    left = left.filter(test)
    if (left.length === 0) refuse('field_invalid', { field, received: quote(wanted), allowed })
  }
  const atPath = path === undefined ? [] : host.operationsAt(path)
  narrow('operation', operation, ({ name }) => name === operation, named)
  narrow('method', method, (each) => methodsOf(each).includes(method as string), methodsOf)
  narrow('path', path, (each) => atPath.includes(each), pathOf)
  narrow('resource', resource, (each) => isNamed(each, resource as string), idsOf)
}

type Named = (operation: Operation) => readonly string[]

const named: Named = ({ name }) => [name]

const methodsOf: Named = ({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const pathOf: Named = ({ path }) => [path]

const idsOf: Named = ({ ids }) => Object.values(ids).map((prefix) => `${prefix}_…`)

function isNamed({ ids }: Operation, resource: string): boolean {
  return Object.values(ids).some((prefix) => idProblem(resource, prefix) === undefined)
}
