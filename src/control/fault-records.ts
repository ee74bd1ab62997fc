import { collection } from '../contract/collection.ts'
import type { ArmedFault, FaultRequest } from '../contract/fault.ts'
import type { Family } from '../contract/resource.ts'
import type { Transaction } from '../contract/transaction.ts'

/** Armed faults, the oldest first to match. One with a predicate is no data, so no snapshot has it. */
export const faults = collection<ArmedFault>({
  name: 'faults',
  key: (record) => record.id,
  fields: ['id', 'hits', 'passed'],
  exported: (record) => (record.when ? null : record),
})

/** What the tests keep: the faults on order. */
export const faultState: Family<Record<never, never>> = { operations: {}, collections: [faults] }

/** All armed faults, oldest first. */
export function armedFaults(tx: Transaction): ArmedFault[] {
  return [...tx.newestFirst(faults)].reverse()
}

/** The fault that a request meets now, if any. It counts as a hit; matching faults that begin later count it too. */
export function takeFault(tx: Transaction, request: FaultRequest): ArmedFault | undefined {
  for (const fault of armedFaults(tx)) {
    if (isUsedUp(fault) || mismatches(fault, request).length > 0) continue
    if (fault.passed >= (fault.after ?? 0)) return tx.put(faults, { ...fault, hits: fault.hits + 1 })
    tx.put(faults, { ...fault, passed: fault.passed + 1 })
  }
  return undefined
}

/** Whether a fault has met all the requests that it was to meet. */
export function isUsedUp({ times, hits }: ArmedFault): boolean {
  return times !== undefined && hits >= times
}

/** Whether a fault still waits for requests: one without a number of times waits for its first. */
export function isPending(fault: ArmedFault): boolean {
  return fault.times === undefined ? fault.hits === 0 : !isUsedUp(fault)
}

/** In what a request is not what a fault waits for, for people. */
export function mismatches(fault: ArmedFault, request: FaultRequest): string[] {
  const found: string[] = []
  const compare = (what: string, wanted: string | undefined, is: string) => {
    if (wanted !== undefined && wanted !== is) found.push(`its ${what} is ${is}, not ${wanted}`)
  }
  compare('operation', fault.operation, request.operation)
  compare('method', fault.method?.toUpperCase(), request.method)
  compare('path', fault.path, request.path)
  const { resource, when } = fault
  if (resource !== undefined && !Object.values(request.ids).includes(resource))
    found.push(`${resource} is not in its path`)
  if (found.length === 0 && when && !when(request)) found.push('its predicate said no')
  return found
}
