import type { Gateway } from '../gateway/gateway.ts'
import { unusedIn } from './strict.ts'

/**
 * Watches a gateway for losses that a test would not notice by itself: what `reset` and the like drop unused, over HTTP too,
 * and errors of the test's callbacks. Returns the list of these losses, which grows.
 */
export function watchLosses(gateway: Gateway): readonly string[] {
  const losses: string[] = []
  const { faults, provisioning, requests, snapshot, subscribe } = gateway
  // The members as they are now: later, a use of one lets requests arrive.
  const parts = { faults, provisioning, requests, snapshot }
  gateway.transport.hooks.drop = (call, work) => {
    const isRestore = call === 'restore()'
    const before = isRestore ? pendingIn(parts) : []
    const unused = unusedIn(parts, WATCHED[call])
    work()
    if (unused.length === 0 || (isRestore && isWithin(before, pendingIn(parts)))) return
    losses.push(`${call} dropped what was unused:\n${unused.join('\n')}`)
  }
  /** The gateway ignores errors of subscribers, and code under test those of its requests: those of assertions too. */
  const noticed = <T, R>(name: string, callback: (each: T) => R) => {
    return (each: T) => {
      try {
        return callback(each)
      } catch (error) {
        losses.push(`${name} threw ${String(error)}`)
        throw error
      }
    }
  }
  gateway.subscribe = (subscriber, collection) =>
    subscribe(noticed('A subscriber of gateway.subscribe', subscriber), collection)
  const { subscribe: subscribeToRequests } = requests
  requests.subscribe = (subscriber) =>
    subscribeToRequests(noticed('A subscriber of gateway.requests.subscribe', subscriber))
  const { add } = faults
  faults.add = (spec) =>
    add(spec?.when ? { ...spec, when: noticed('The function `when` of a fault', spec.when) } : spec)
  return losses
}

type Parts = Pick<Gateway, 'faults' | 'provisioning' | 'requests' | 'snapshot'>

/** The parts of a gateway in which each call drops something. */
const WATCHED = {
  'reset()': ['faults', 'provisioning', 'requests'],
  'restore()': ['faults', 'provisioning'],
  'requests.clear()': ['requests'],
} as const

/** Returns what a restore can drop: the ids of pending faults, and the outcomes that no attempt has used. */
function pendingIn({ faults, snapshot }: Parts): readonly string[] {
  const { ordered_outcomes: scripted = [], standing_outcomes: lasting = [] } = snapshot().records
  const pending = faults.all().filter(({ times, hits }) => (times === undefined ? hits === 0 : hits < times))
  return [...pending.map(({ id }) => id), ...[...scripted, ...lasting].map((each) => JSON.stringify(each))]
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((each) => all.includes(each))
}
