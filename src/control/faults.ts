import * as v from 'valibot'
import { refuse } from '../contract/errors.ts'
import { idProblem } from '../contract/ids.ts'
import type { Operation } from '../contract/operation.ts'
import { quote } from '../contract/quote.ts'
import type { Transaction } from '../contract/transaction.ts'
import { type ControlHost, control, plainControl } from './control-operation.ts'
import { armedFaults, faults, MOST_FAULTS } from './fault-records.ts'
import { faultSpec, when } from './fault-spec.ts'

const spec = v.object({ ...faultSpec, when: v.optional(when) })

type Sent = v.InferOutput<typeof spec>

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
    input: v.object({ id: v.optional(v.string()) }),
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
