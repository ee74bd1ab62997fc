import { describeThrown } from '../core/schema/text.ts'
import type { Gateway } from '../gateway/types.ts'
import { unusedIn } from './strict.ts'

/**
 * Watches a gateway for problems that a test would not notice: errors in its callbacks, and unused faults, outcomes, and requests that
 * `reset` and similar calls drop, even over HTTP. Returns a list that grows as losses occur.
 */
export function watchLosses(gateway: Gateway): readonly string[] {
  const losses: string[] = []
  const { faults, provisioning, requests, snapshot, subscribe } = gateway
  // Read before `DelayedRequests` replaces the members: after that, reading a member lets requests arrive.
  const parts = { faults, provisioning, requests, snapshot }
  gateway.transport.hooks.drop = (call, work) => {
    const isRestore = call === 'restore()'
    const before = isRestore ? pendingIn(parts) : []
    const unused = unusedIn(parts, WATCHED[call])
    work()
    if (unused.length === 0 || (isRestore && containsAll(pendingIn(parts), before))) return
    losses.push(`${call} dropped unused items:\n${unused.join('\n')}`)
  }
  /** Adds a callback's errors, such as failed assertions, to the losses, because the gateway or the code under test may ignore them. */
  const watchErrors = <T, R>(name: string, callback: (each: T) => R) => {
    // The gateway rejects any other value.
    if (typeof callback !== 'function') return callback
    return (each: T) => {
      try {
        return callback(each)
      } catch (error) {
        losses.push(`${name} threw ${describeThrown(error)}`)
        throw error
      }
    }
  }
  gateway.subscribe = (subscriber, collection) =>
    subscribe(watchErrors('A subscriber of gateway.subscribe', subscriber), collection)
  const { subscribe: subscribeToRequests } = requests
  requests.subscribe = (subscriber) =>
    subscribeToRequests(watchErrors('A subscriber of gateway.requests.subscribe', subscriber))
  const { add } = faults
  faults.add = (spec) =>
    add(spec?.when ? { ...spec, when: watchErrors('The function `when` of a fault', spec.when) } : spec)
  return losses
}

type Parts = Pick<Gateway, 'faults' | 'provisioning' | 'requests' | 'snapshot'>

/** The parts of a gateway with calls that drop something. */
const WATCHED = {
  'reset()': ['faults', 'provisioning', 'requests'],
  'restore()': ['faults', 'provisioning'],
  'requests.clear()': ['requests'],
} as const

/** Returns the state that a restore can drop: the IDs of pending faults, and the outcomes that no attempt has used. */
function pendingIn({ faults, snapshot }: Parts): readonly string[] {
  const { ordered_outcomes: scripted = [], standing_outcomes: lasting = [] } = snapshot().records
  const pending = faults.all().filter(({ times, hits }) => (times === undefined ? hits === 0 : hits < times))
  return [...pending.map(({ id }) => id), ...[...scripted, ...lasting].map((each) => JSON.stringify(each))]
}

function containsAll(all: readonly string[], some: readonly string[]): boolean {
  return some.every((each) => all.includes(each))
}
