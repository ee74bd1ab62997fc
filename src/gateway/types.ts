import type { Intersection } from '../control/control.ts'
import type { ControlMembers } from '../control/controls.ts'
import type { Clock } from '../core/engine/clock.ts'
import type { Commit } from '../core/operation/collection.ts'
import type { LimitOption } from '../core/operation/limit.ts'
import type { ArmedFault, FaultSpec, JournalEntry, JournalFields } from '../generated/controls.ts'
import type { AccountLimits } from '../generated/limits.ts'
import type { AccountOptions, GatewayOptions } from '../generated/options.ts'
import type { ErrorKey, Resources } from '../generated/resources.ts'
import type { Dialect } from '../service/resources/dialects.ts'
import type { ErrorKeyIn, NameIn } from '../service/resources/index.ts'
import type { InitialOf } from '../service/resources/initial.ts'
import type { Direct } from './direct/direct-api.ts'
import type { Leftover, LeftoverOptions } from './direct/initial.ts'
import type { GatewayFetch } from './http/fetch.ts'
import type { Installed, InstallOptions } from './http/install.ts'
import type { Transport } from './transport.ts'

/** A tunnel gateway's management API with its own state, clock, and IDs, created by {@link createGateway}. */
export interface Gateway<C extends Clock = Clock> extends Resources, ControlMembers {
  /** The base URL of the URIs in responses, without a trailing slash. */
  readonly url: string
  /** The dialect of the service: header names, error codes, and other differences. `createNgrok` sets ngrok's dialect. */
  readonly dialect: Dialect
  /** The clock of this gateway. Advance a manual clock here: `gateway.clock.advance('30s')`. */
  readonly clock: C
  /**
   * Handles requests like the global `fetch`, regardless of their host. Pass it to a client that accepts a `fetch` function; it is bound to
   * its gateway.
   */
  readonly fetch: GatewayFetch
  /**
   * Returns the resources that were created since the initial state and not deleted. `ofTest: false` omits those that the
   * test itself created, through the direct API or `declare`.
   */
  leftovers(options?: LeftoverOptions): readonly Leftover[]
  /**
   * Returns the time at which the next event, such as an attempt or a renewal, is due, in ms since the Unix epoch, or undefined if nothing
   * is due.
   */
  nextDueAt(): number | undefined
  /**
   * Calls the function with each new commit, in order. If you pass a collection such as `reserved_domains`, the function receives only
   * commits that change that collection. Returns a function that ends the subscription. Exceptions from the subscriber are ignored.
   *
   * @throws TypeError for an unknown collection.
   */
  subscribe(subscriber: (commit: Commit) => void, collection?: string): () => void
  /**
   * Sends requests from the global `fetch` to the gateway if they are for its base URL, until the returned object is disposed. In the
   * fixtures, requests to other hosts are rejected. Without a fixture, these requests reach the network, with one warning. The `others`
   * option changes this.
   *
   * @example
   * ```ts
   * using installed = gateway.install() // until the end of this block
   * await fetch(`${gateway.url}/reserved_domains`, { headers })
   * ```
   * @throws Error if another gateway is installed for the same base URL.
   */
  install(options?: InstallOptions): Installed
  /**
   * Detaches the gateway from its clock. Needed only if the clock is shared and outlives the gateway. The gateway still works; due events
   * happen at its next call. `using` calls this method at the end of a block.
   */
  dispose(): void
  [Symbol.dispose](): void
  /** The functions with which a server or another host serves this gateway. Tests do not need these functions. */
  readonly transport: Transport<Gateway>
}

/** Your own families, reduced to the fields that a gateway's types need. */
export type OwnFamilies = Readonly<
  Record<
    string,
    { readonly operations: object; readonly errors: object; readonly declares?: unknown; readonly limits?: unknown }
  >
>

/** The declare functions that families add. */
type DeclaredBy<F extends OwnFamilies> = Intersection<
  { [Name in keyof F]: DeclareCalls<NonNullable<F[Name]['declares']>> }[keyof F]
>

type DeclareCalls<Declares> = {
  readonly [Name in keyof Declares]: Declares[Name] extends { readonly call?: infer Call } ? NonNullable<Call> : never
}

/** The limits that families add, by name in `account.limits`. */
type LimitsBy<F extends OwnFamilies> = {
  readonly [Name in { [Family in keyof F]: keyof NonNullable<F[Family]['limits']> }[keyof F]]?: LimitOption | undefined
}

/** The account of a gateway with your own families: see {@link AccountOptions}. */
export type AccountWith<Limits> = Omit<AccountOptions, 'limits'> & {
  /** Limits by name, which override the plan's limits. Default: the plan's limits. */
  readonly limits?: Limits | undefined
}

/** The options of a gateway with your own families. */
export type OptionsWith<F extends OwnFamilies, C extends Clock = Clock> = Omit<
  GatewayOptions<C>,
  'account' | 'initial'
> & {
  /** The account that owns the resources: see {@link GatewayOptions}. */
  readonly account?: AccountWith<AccountLimits & LimitsBy<F>> | undefined
  /** Your own families, created with `fauxgate/kit`, by their name in the direct API. */
  readonly families: F
  /** The resources that exist at the start: see {@link GatewayOptions}. */
  readonly initial?: InitialOf<Resources & Direct<F>> | undefined
}

/** The methods that take the names of operations and errors, including your own families' names. */
export interface OwnNames<Declared, Name extends string, Key extends string> {
  readonly declare: Declared
  readonly faults: { add(spec: FaultSpec<Name, ErrorKey | Key>): ArmedFault<Name, ErrorKey | Key> }
  readonly requests: {
    all(filter: JournalFields<Name>): readonly JournalEntry[]
    count(filter: JournalFields<Name>): number
    last(filter: JournalFields<Name>): JournalEntry | undefined
  }
}

/** A gateway with your own families. */
export type GatewayWith<F extends OwnFamilies, C extends Clock = Clock> = Gateway<C> &
  Direct<F> &
  OwnNames<DeclaredBy<F>, NameIn<F>, ErrorKeyIn<F>>
