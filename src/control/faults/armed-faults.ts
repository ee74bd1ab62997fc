import type { ArmedFault } from '../../generated/controls.ts'
import { collection } from '../../operation/collection.ts'
import type { Transaction } from '../../operation/transaction.ts'
import type { ControlHost } from '../control.ts'
import { type FaultRequest, savedFault } from './fault.ts'

/** A request is looked up by what it is; a fault that asks for none of these stands under this. */
const ANY_REQUEST = ''

/** How many faults a gateway keeps; used-up ones give way to new ones. */
export const MOST_FAULTS = 1000

/**
 * Armed faults, the oldest first to match. They are found by one thing that they ask for, so that requests which have
 * nothing to do with them do not look at them. One with a predicate is no data, so no snapshot has it.
 */
export const faults = collection<ArmedFault>({
  name: 'faults',
  key: (record) => record.id,
  schema: savedFault,
  most: MOST_FAULTS,
  indexes: {
    waiting: (record) => (isUsedUp(record) ? null : askedFor(record)),
    usedUp: (record) => (isUsedUp(record) ? ANY_REQUEST : null),
  },
  exported: (record) => (record.when ? null : record),
})

function askedFor({ operation, resource, path, method }: ArmedFault): string {
  return operation ?? resource ?? path ?? method ?? ANY_REQUEST
}

/** All armed faults, oldest first. */
export function armedFaults(tx: Transaction): ArmedFault[] {
  return [...tx.newestFirst(faults)].reverse()
}

/** Whether a fault has met all the requests that it was to meet. */
export function isUsedUp({ times, hits }: ArmedFault): boolean {
  return times !== undefined && hits >= times
}

/** Whether a fault still waits for requests: one without a number of times waits for its first. */
export function isPending(fault: ArmedFault): boolean {
  return fault.times === undefined ? fault.hits === 0 : !isUsedUp(fault)
}

/**
 * The fault that a request meets now, if any: the oldest one that matches and has begun. It counts as a hit; matching
 * faults that begin later count it too. Predicates run before the counting, outside any transaction, so what they do to
 * the gateway is done for good, and a fault that they remove is not met.
 */
export function meetFault(host: Pick<ControlHost, 'findAll' | 'transact'>, request: FaultRequest) {
  const matching = waitingFor(host, request).filter((fault) => mismatches(fault, request).length === 0)
  return matching.length === 0 ? undefined : host.transact((tx) => counted(tx, matching))
}

function waitingFor(host: Pick<ControlHost, 'findAll'>, { operation, method, path, ids }: FaultRequest): ArmedFault[] {
  const named = new Set([operation, ...Object.values(ids), path, method, ANY_REQUEST])
  const found = [...named].flatMap((name) => host.findAll(faults, 'waiting', name))
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function counted(tx: Transaction, matching: readonly ArmedFault[]): ArmedFault | undefined {
  for (const { id } of matching) {
    const fault = tx.get(faults, id)
    if (!fault || isUsedUp(fault)) continue
    if (fault.passed >= (fault.after ?? 0)) return tx.put(faults, { ...fault, hits: fault.hits + 1 })
    tx.put(faults, { ...fault, passed: fault.passed + 1 })
  }
  return undefined
}

/** In what a request is not what a fault waits for, for people. */
export function mismatches(fault: ArmedFault, request: FaultRequest): string[] {
  const found: string[] = []
  const compare = (what: string, wanted: string | undefined, is: string) => {
    if (wanted !== undefined && wanted !== is) found.push(`its ${what} is ${is}, not ${wanted}`)
  }
  compare('operation', fault.operation, request.operation)
  compare('method', fault.method, request.method)
  compare('path', fault.path, request.path)
  const { resource, when } = fault
  if (resource !== undefined && !Object.values(request.ids).includes(resource))
    found.push(`${resource} is not in its path`)
  if (found.length === 0 && when && !when(request)) found.push('its predicate said no')
  return found
}
