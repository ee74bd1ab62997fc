import type { Transaction } from '../core/operation/transaction.ts'
import { failovers } from '../service/ngrok/failover-backends.ts'
import { responses } from '../service/ngrok/http-response-backends.ts'
import { tunnels } from '../service/ngrok/session-records.ts'
import { statics } from '../service/ngrok/static-backends.ts'
import { isInGroup, tunnelGroups } from '../service/ngrok/tunnel-group-backends.ts'
import { backends as weighted } from '../service/resources/weighted-backends.ts'
import type { Reader } from './reader.ts'

/** A backend's target for a request: an upstream or a response. */
export type BackendTarget =
  | {
      readonly id: string
      readonly kind: 'agent' | 'static' | 'declared'
      readonly url: string | undefined
      /** True if an agent's API started the target's tunnel. */
      readonly isStarted?: true | undefined
    }
  | { readonly id: string; readonly kind: 'response'; readonly response: ResponseOf }

interface ResponseOf {
  readonly status_code: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns a backend's target for a request, chosen with the seed, or undefined if none is online. */
export function chooseTarget(tx: Transaction, reader: Reader, id: string): BackendTarget | undefined {
  return choose(id, { tx, reader, seen: new Set() })
}

interface Choice {
  readonly tx: Transaction
  readonly reader: Reader
  /** The backends on the path to this backend, because a backend can be its own descendant. */
  readonly seen: ReadonlySet<string>
}

function choose(id: string, choice: Choice): BackendTarget | undefined {
  const { reader, tx, seen } = choice
  if (seen.has(id)) return undefined
  const below = { ...choice, seen: new Set([...seen, id]) }
  const shared = reader.get(weighted, id)
  if (shared) return chooseByWeight(Object.entries(shared.backends), below)
  const failover = reader.get(failovers, id)
  if (failover) return first(failover.backends, below)
  const group = reader.get(tunnelGroups, id)
  if (group) {
    const online = [...reader.all(tunnels)].filter((tunnel) => isInGroup(tunnel, group)).reverse()
    const tunnel = online[online.length > 1 ? tx.randomInteger(online.length) : 0]
    return tunnel && { id, kind: 'agent', url: tunnel.forwards_to, isStarted: tunnel.is_started }
  }
  const fixed = reader.get(responses, id)
  if (fixed) return { id, kind: 'response', response: fixed }
  const address = reader.get(statics, id)
  if (address) return { id, kind: 'static', url: `${address.tls.enabled ? 'https' : 'http'}://${address.address}` }
  // A backend that a test declared.
  return { id, kind: 'declared', url: undefined }
}

function first(ids: readonly string[], choice: Choice): BackendTarget | undefined {
  for (const id of ids) {
    const found = choose(id, choice)
    if (found) return found
  }
  return undefined
}

/** Describes why a backend has no target. */
export function describeNoTarget(reader: Reader, id: string): string {
  const group = reader.get(tunnelGroups, id)
  if (group) {
    const labels = Object.entries(group.labels).map(([name, value]) => `${name}=${value}`)
    return `no tunnel of the backend ${id} is online. Its labels are ${labels.join(', ')}`
  }
  const children = reader.get(failovers, id)?.backends ?? Object.keys(reader.get(weighted, id)?.backends ?? {})
  if (children.length === 0) return `the backend ${id} has no children`
  return `no child of the backend ${id} ${needsTunnel(reader, id) ? 'is online' : 'has a weight above 0'}`
}

/** Returns whether a tunnel that starts could bring a backend online. Otherwise, weights are 0, or children are missing. */
function needsTunnel(reader: Reader, id: string, seen: readonly string[] = []): boolean {
  if (seen.includes(id)) return false
  const weights = Object.entries(reader.get(weighted, id)?.backends ?? {})
  const children =
    reader.get(failovers, id)?.backends ?? weights.flatMap(([child, weight]) => (weight > 0 ? child : []))
  return reader.get(tunnelGroups, id) !== undefined || children.some((each) => needsTunnel(reader, each, [...seen, id]))
}

/** Chooses a random child by weight, but never one that is offline or has weight 0. */
function chooseByWeight(weights: readonly (readonly [string, number])[], choice: Choice): BackendTarget | undefined {
  const online = weights
    .filter(([, weight]) => weight > 0)
    .flatMap(([id, weight]) => {
      const target = choose(id, choice)
      return target ? [{ target, weight }] : []
    })
  const total = online.reduce((sum, { weight }) => sum + weight, 0)
  let left = online.length > 1 ? choice.tx.randomInteger(total) : 0
  return online.find(({ weight }) => {
    left -= weight
    return left < 0
  })?.target
}
