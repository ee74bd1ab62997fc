import * as v from 'valibot'
import { readPredicateResult, requireFunction, requireObject } from '../../core/schema/arguments.ts'
import { bodyReader } from '../../core/schema/body.ts'
import { readCallOptions } from '../../core/schema/options.ts'
import { breakers, signIns, windows } from '../../traffic/records.ts'
import { refusals as errors } from '../../traffic/refusals.ts'
import type { UpstreamHandler } from '../../traffic/upstreams.ts'
import type { TrafficInit } from '../../traffic/visitor.ts'
import type { Control, ControlHost } from '../control.ts'
import { trafficCalls } from './calls.ts'
import type { TrafficEntry } from './entry.ts'
import { trafficFilter, upstreamOptions, visitor } from './schemas.ts'

/** An upstream set by a test. */
export interface UpstreamHandle {
  /** Removes the upstream. A second call does nothing. */
  remove(): void
  [Symbol.dispose](): void
}

/** The fields that an entry must have, or a predicate. */
export type TrafficFilter =
  | Partial<Pick<TrafficEntry, 'method' | 'url' | 'status' | 'endpoint' | 'upstream' | 'rule' | 'error'>>
  | ((entry: TrafficEntry) => boolean)

/**
 * Sends visitor requests through the gateway to endpoints and edges, with policies, modules, backends, and upstreams.
 *
 * @example
 * ```ts
 * gateway.traffic.upstream('https://app.internal', () => new Response('hello'))
 * const response = await gateway.traffic.fetch('https://api.example.com/', { from: { ip: '203.0.113.9', country: 'DE' } })
 * gateway.traffic.last()?.rule // the rule that decided
 * ```
 *
 * @experimental
 */
export interface Traffic {
  /**
   * Sends a request through the gateway, as a visitor would, and returns the response. It takes the same arguments as `fetch`.
   * @throws GatewayError `traffic_fact_missing` if a policy needs a fact that `from` does not provide; `traffic_not_simulated` if it has an
   * action that the gateway does not execute; `field_invalid` for an invalid visitor. TypeError like `fetch`, and also if the gateway
   * closes the connection or presents a certificate for another name; `cause.code` says which.
   */
  fetch(input: string | URL | Request, init?: TrafficInit): Promise<Response>
  /**
   * Sets the function that responds to requests that the gateway forwards to a URL: the URL of an endpoint, of an agent's `forwards_to`, or
   * of a static backend. URLs that policies fetch, such as those of JWKS documents, and backend IDs also work. `times` limits the number of
   * requests that the function responds to.
   * @throws TypeError for an invalid URL or function; GatewayError `field_invalid` for an option that is not allowed.
   */
  upstream(url: string, handler: UpstreamHandler, options?: { readonly times?: number }): UpstreamHandle
  /**
   * Returns the last 1,000 requests, or fewer if they exceed `journalBytes`, oldest first, without secrets.
   * @throws GatewayError `field_invalid` for a filter with an unknown name. `last` and `count` also throw it.
   */
  all(filter?: TrafficFilter): readonly TrafficEntry[]
  /** Returns the newest request, or undefined. */
  last(filter?: TrafficFilter): TrafficEntry | undefined
  /** Returns the number of matching requests in the journal or, without a filter, the number of all requests. */
  count(filter?: TrafficFilter): number
  /** Removes all upstreams and clears the traffic journal. */
  clear(): void
}

export interface TrafficMember {
  /** Visitor requests through the gateway. */
  readonly traffic: Traffic
}

export const traffic: Control<TrafficMember, typeof errors> = {
  calls: Object.values(trafficCalls),
  errors,
  state: () => ({ collections: [windows, breakers, signIns] }),
  members: (host) => ({ traffic: createTraffic(host) }),
}

function createTraffic(host: ControlHost): Traffic {
  const { traffic, engine } = host
  const { upstreams, journal } = traffic
  const readVisitor = bodyReader(v.object({ from: visitor }))
  const select = (filter: TrafficFilter = {}) => {
    const entries = [...journal.newestFirst()]
    if (typeof filter === 'function')
      return entries.filter((each) => readPredicateResult('The predicate', filter(each)))
    const wanted = Object.entries(readCallOptions(trafficFilter, filter))
    return entries.filter((each) => wanted.every(([name, value]) => Reflect.get(each, name) === value))
  }
  return {
    async fetch(input, sent) {
      const init = sent ?? {}
      const { from } = init
      // The reader treats null as omitted.
      if (from === null) requireObject('from', from)
      const visitor = from && readVisitor({ from }, {}, engine.context).from
      return traffic.fetch(input, visitor ? { ...init, from: visitor } : init)
    },
    upstream(url, handler, options = {}) {
      requireFunction('handler', handler)
      const { times } = readCallOptions(upstreamOptions, options)
      const remove = upstreams.add(url, handler, times)
      host.controlLog.addControl(trafficCalls.setUpstream, {}, engine.lastNow, undefined)
      return { remove, [Symbol.dispose]: remove }
    },
    all: (filter) => select(filter).reverse(),
    last: (filter) => select(filter)[0],
    count: (filter) => (filter === undefined ? journal.count : select(filter).length),
    clear: () => trafficCalls.clear.run(host, {}),
  }
}
