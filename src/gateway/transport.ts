import type { ControlHooks, Describer, DropHooks } from '../control/control.ts'
import type { PersistedJournal } from '../control/journal/journal.ts'
import type { TrafficHooks } from '../control/traffic/state.ts'
import type { DomainTransition } from '../control/transitions.ts'
import type { FamilyNouns } from '../control/views/nouns.ts'
import type { AttemptHooks } from '../service/provisioning/managed-domain.ts'
import type { UpstreamResponse } from '../traffic/message.ts'
import type { ServedRequest } from '../traffic/traffic.ts'
import type { Dialer, ServedUpstream } from '../traffic/upstreams.ts'
import type { IssueHooks } from './authority-keys.ts'
import type { ArrivalHooks, ServedHooks } from './http/arrival.ts'
import type { BodyLimit } from './http/body-limit.ts'
import type { Refused } from './http/error-response.ts'
import type { HttpRequest, HttpResponse } from './http/messages.ts'

/** The functions with which a server or another host serves a gateway. Tests do not need these functions. */
export interface Transport<Sibling = object> {
  /**
   * Handles one HTTP request immediately, for transports other than `fetch`.
   * @internal
   */
  readonly exchange: (request: HttpRequest) => HttpResponse
  /**
   * Returns the error for a server request with an unknown `Host` or `Origin`, or undefined for any other. Servers call this function
   * first.
   * @internal
   */
  readonly callerRefusal: (request: HttpRequest) => HttpResponse | undefined
  /**
   * Returns the maximum number of body bytes that a transport must read, given the request's head, or 0 if the head is rejected.
   * @internal
   */
  readonly bodyLimit: BodyLimit
  /**
   * Responds with the usual error and an operation ID to a request that a transport could not pass to `exchange`.
   * @internal
   */
  readonly refused: Refused
  /**
   * Waits, on the gateway's clock, for a response from `exchange` that a fault delays, or whose changes the store has not flushed yet.
   * Rejects with the reason of an aborted signal.
   * @internal
   */
  readonly delivered: (response: HttpResponse, options?: { readonly signal?: AbortSignal }) => Promise<HttpResponse>
  /** Sets the URL at which the gateway is served, or undefined. This becomes the gateway's `url` unless `baseUrl` was set. */
  readonly servedAt: (url: string | undefined) => void
  /**
   * Marks the state as that of an earlier server.
   * @internal
   */
  readonly resumed: () => void
  /**
   * Returns the origin of the endpoint that a visitor requests on a local port, given the host and the schemes of the port.
   * @internal
   */
  readonly locate: (host: string, schemes: readonly string[]) => Promise<string>
  /**
   * Sets the function that responds to requests that the gateway forwards to a URL. It survives `reset` and `traffic.clear`.
   * @internal
   */
  readonly serveUpstream: (url: string, serve: ServedUpstream) => void
  /**
   * Sets the function that sends requests to upstreams that programs specify when they start a tunnel through the agent's API.
   * @internal
   */
  readonly dialUpstreams: (dialer: Dialer) => void
  /**
   * Returns whether a port must ask visitors for a client certificate.
   * @internal
   */
  readonly asksForCertificates: () => boolean
  /**
   * Sends a request that a server received for an endpoint through the gateway. Rejects like `traffic.fetch`.
   * @internal
   */
  readonly serveVisitor: (request: ServedRequest) => Promise<UpstreamResponse>
  /**
   * Runs everything that is due, as every other call does first. Hosts that sleep between requests need this method. Stops as soon as
   * `isOver` returns true. Returns true if something is left to run.
   */
  readonly settle: (isOver?: () => boolean) => boolean
  /**
   * Returns a number that each change to the state increases.
   * @internal
   */
  readonly sequence: () => number
  /**
   * Calls the function at the end of each call that changed the state. Returns a function that ends the subscription. Subscribing to the
   * changes themselves costs the gateway more.
   * @internal
   */
  readonly watch: (watcher: () => void) => () => void
  /**
   * Calls the function with the domain transitions in each commit, and the commit's operation. Returns a function that ends the
   * subscription.
   * @internal
   */
  readonly watchTransitions: (
    watcher: (transitions: readonly DomainTransition[], operation: string) => void,
  ) => () => void
  /**
   * Resets the gateway and returns true. Requests that are still waiting don't receive a response. If a subscriber or a saved snapshot
   * would remain, returns false without resetting.
   * @internal
   */
  readonly renewed: () => boolean
  /**
   * Creates a gateway with this gateway's options, overridden by the passed options. It has its own state, no store, and this gateway's
   * server upstreams. If this gateway's clock is manual, the new gateway has its own clock.
   * @throws TypeError if an option is not allowed; GatewayError if a rule rejects an entry of `initial`.
   * @internal
   */
  readonly sibling: (options: object) => Sibling
  /**
   * Makes `GET /_fauxgate/openapi.json` and `GET /_fauxgate/openapi.control.json` work, with `openApi` of `fauxgate/openapi`.
   * @internal
   */
  readonly describedBy: (describer: Describer) => void
  /**
   * Returns the singular and plural nouns for the gateway's resources.
   * @internal
   */
  readonly nouns: () => Readonly<Record<string, FamilyNouns>>
  /** The collections of the families. @internal */
  readonly collections: readonly ViewedCollection[]
  /**
   * Returns the families' records, including secrets, oldest first, and the sequence number of the next ID. Omits empty collections.
   * @internal
   */
  readonly resources: () => {
    readonly sequence: number
    readonly tables: readonly { readonly collection: ViewedCollection; readonly records: readonly object[] }[]
  }
  /**
   * The journal as text, and its earlier entries, for hosts that persist it.
   * @internal
   */
  readonly journal: PersistedJournal
  /**
   * Functions that decide how requests, provisioning attempts, and certificates are handled, or observe the faults, outcomes, and requests
   * that a call drops.
   * @internal
   */
  readonly hooks: Hooks
}

/** The public members of a collection. Its full type would need Valibot's types, which users of a gateway may not have installed. */
export interface ViewedCollection {
  /** The name in snapshots, commits, and stores, for example `reserved_domains`. */
  readonly name: string
  /** Returns the key of a record. */
  key(record: object): string
  /** Returns whether a record is created and removed together with another record. */
  isAttached?(record: object): boolean
  /** Returns the part of a record that must be equal after two equivalent runs. */
  toComparable(record: object): object | null
  /** Returns the fields of a record with their value types, such as `size: number`. */
  outline(): readonly string[]
}

/** The hooks of a gateway. */
export interface Hooks
  extends ArrivalHooks,
    AttemptHooks,
    ControlHooks,
    DropHooks,
    IssueHooks,
    ServedHooks,
    TrafficHooks {}

/** Returns a gateway with the same state, but with replacements for some calls of its transport. */
export function withTransport<G extends { readonly transport: Transport }>(
  gateway: G,
  calls: Partial<G['transport']>,
): G {
  return Object.create(gateway, { transport: { value: { ...gateway.transport, ...calls } } })
}
