import type { Gateway } from '../gateway/gateway.ts'
import { unusedIn } from './strict.ts'

/** Losses that a test would not notice by itself: what `reset` and the like dropped unused, and errors of its callbacks. */
export class Losses {
  readonly #texts: string[] = []

  get texts(): readonly string[] {
    return this.#texts
  }

  /** Watches the calls of a gateway that drop something, over HTTP too, and its callbacks. */
  watch(gateway: Gateway): void {
    const { faults, provisioning, requests, snapshot, subscribe } = gateway
    // The members as they are now: later, a use of one lets requests arrive.
    const parts = { faults, provisioning, requests, snapshot }
    gateway.transport.hooks.drop = (call, work) => {
      const isRestore = call === 'restore()'
      const before = isRestore ? pendingIn(parts) : []
      const unused = unusedIn(parts, WATCHED[call])
      work()
      if (!isRestore || !isWithin(before, pendingIn(parts))) this.#dropped(call, unused)
    }
    gateway.subscribe = (subscriber, collection) =>
      subscribe(this.#noticed('A subscriber of gateway.subscribe', subscriber), collection)
    const { subscribe: subscribeToRequests } = requests
    requests.subscribe = (subscriber) =>
      subscribeToRequests(this.#noticed('A subscriber of gateway.requests.subscribe', subscriber))
    const { add } = faults
    faults.add = (spec) =>
      add(spec?.when ? { ...spec, when: this.#noticed('The function `when` of a fault', spec.when) } : spec)
  }

  #dropped(what: string, unused: readonly string[]): void {
    if (unused.length > 0) this.#texts.push(`${what} dropped what was unused:\n${unused.join('\n')}`)
  }

  /** The gateway ignores errors of subscribers, and code under test those of its requests: those of assertions too. */
  #noticed<T, R>(name: string, callback: (each: T) => R): (each: T) => R {
    return (each) => {
      try {
        return callback(each)
      } catch (error) {
        this.#texts.push(`${name} threw ${String(error)}`)
        throw error
      }
    }
  }
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
