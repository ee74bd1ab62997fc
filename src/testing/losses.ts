import type { Gateway } from '../gateway/gateway.ts'
import { unusedIn } from './strict.ts'

/** Losses that a test would not notice by itself: what `reset` and the like dropped unused, and errors of subscribers. */
export class Losses {
  readonly #texts: string[] = []

  get texts(): readonly string[] {
    return this.#texts
  }

  /** Watches the members of a gateway that drop something, and its subscribers. */
  watch(gateway: Gateway): void {
    const { reset, restore, requests, subscribe } = gateway
    const { clear, subscribe: subscribeToRequests } = requests
    Object.assign(gateway, {
      reset: () => {
        this.#dropped('reset()', unusedIn(gateway))
        reset()
      },
      restore: (snapshot: Parameters<typeof restore>[0]) => {
        const [before, unused] = [pendingIn(gateway), unusedIn(gateway, ['faults', 'provisioning'])]
        restore(snapshot)
        if (!isWithin(before, pendingIn(gateway))) this.#dropped('restore()', unused)
      },
      subscribe: (subscriber: Parameters<typeof subscribe>[0], collection?: string) =>
        subscribe(this.#noticed('gateway.subscribe', subscriber), collection),
    })
    Object.assign(requests, {
      clear: () => {
        this.#dropped('requests.clear()', unusedIn(gateway, ['requests']))
        clear()
      },
      subscribe: (subscriber: Parameters<typeof subscribeToRequests>[0]) =>
        subscribeToRequests(this.#noticed('gateway.requests.subscribe', subscriber)),
    })
  }

  #dropped(what: string, unused: readonly string[]): void {
    if (unused.length > 0) this.#texts.push(`${what} dropped what was unused:\n${unused.join('\n')}`)
  }

  /** The gateway ignores errors of subscribers, those of assertions too. */
  #noticed<T>(name: string, subscriber: (each: T) => void): (each: T) => void {
    return (each) => {
      try {
        subscriber(each)
      } catch (error) {
        this.#texts.push(`A subscriber of ${name} threw ${String(error)}`)
        throw error
      }
    }
  }
}

/** Returns what a restore can drop: the ids of pending faults, and the outcomes that no attempt has used. */
function pendingIn(gateway: Gateway): readonly string[] {
  const { faults, snapshot } = gateway
  const { ordered_outcomes: scripted = [], standing_outcomes: lasting = [] } = snapshot().records
  const pending = faults.all().filter(({ times, hits }) => (times === undefined ? hits === 0 : hits < times))
  return [...pending.map(({ id }) => id), ...[...scripted, ...lasting].map((each) => JSON.stringify(each))]
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((each) => all.includes(each))
}
