import type { ControlHost, Together } from '../control/control.ts'
import type { JournalFields } from '../control/requests.ts'
import { SavedSnapshots, SNAPSHOTS } from '../control/saved-snapshots.ts'
import { type ControlMembers, controls } from '../controls.ts'
import { type Direct, directApi } from '../direct/direct-api.ts'
import { applyInitial, Baseline, type Leftover } from '../direct/initial.ts'
import type { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import { freshSeed } from '../engine/random.ts'
import { RateLimiter } from '../engine/rate-limiter.ts'
import type { ArmedFault, FaultSpec } from '../generated/controls.ts'
import type { AccountLimits } from '../generated/limits.ts'
import type { AccountOptions, GatewayOptions } from '../generated/options.ts'
import type { ErrorKey, Resources } from '../generated/resources.ts'
import { keyCheck } from '../http/access.ts'
import { bodyLimitOf } from '../http/admission.ts'
import { controlApiOf } from '../http/control-api.ts'
import { type Fetch, fetchOf } from '../http/fetch.ts'
import { handlerOf, refusedOf } from '../http/handler.ts'
import { type Installed, type InstallOptions, installFetch } from '../http/install.ts'
import { splitUrl } from '../http/request.ts'
import { requireRouted } from '../http/router.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import type { Commit } from '../operation/collection.ts'
import type { Families } from '../operation/family.ts'
import type { LimitOption } from '../operation/limit.ts'
import { requireKnownLimits } from '../operation/limit-names.ts'
import { isOperationOf } from '../operation/operation.ts'
import type { Dialect } from '../resources/dialects.ts'
import type { ErrorKeyIn, NameIn } from '../resources/index.ts'
import type { InitialOf } from '../resources/initial.ts'
import { SecretNames } from '../schema/secret-fields.ts'
import { secretTexts } from '../schema/secret-texts.ts'
import { accessor } from '../schema/values.ts'
import { tableOf } from '../table.ts'
import { authorityBy } from './authority-keys.ts'
import { hostOf } from './control-host.ts'
import { ErrorBoundary, startingAtCaller } from './error-boundary.ts'
import { GatewayError } from './gateway-error.ts'
import { type AnyOptions, readGatewayOptions, rulesIn } from './options.ts'
import type { Hooks, Transport } from './transport.ts'

/** A tunnel gateway's management API with its own state, clock and ids, made by {@link createGateway}. */
export interface Gateway<C extends Clock = Clock> extends Resources, ControlMembers {
  /** The base URL of every URI in a response, without a trailing slash. */
  readonly url: string
  /** The dialect of the service: header names, error codes and other differences. `createNgrok` sets that of ngrok. */
  readonly dialect: Dialect
  /** The clock of this gateway. Advance a manual clock here: `gateway.clock.advance('30s')`. */
  readonly clock: C
  /**
   * Answers requests like the global `fetch`, whichever host they name. Pass it to a client that takes a `fetch`; it is
   * bound to its gateway.
   */
  readonly fetch: Fetch
  /** Returns the resources that were created since the initial state and not deleted. */
  leftovers(): readonly Leftover[]
  /** Returns when the next event is due, such as an attempt or a renewal, in ms since 1970; undefined if nothing is due. */
  nextDueAt(): number | undefined
  /**
   * Calls back with every further commit, in order, or only with those that change a collection such as `reserved_domains`.
   * Returns a function that ends the subscription. An exception of the subscriber is ignored.
   *
   * @throws TypeError if the gateway has no such collection.
   */
  subscribe(subscriber: (commit: Commit) => void, collection?: string): () => void
  /**
   * Makes the global `fetch` answer for the gateway's base URL until the returned object is disposed. Requests to other
   * hosts are refused in the fixtures; without a fixture they reach the network, with one warning. The option `others`
   * changes that.
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
   * Detaches the gateway from its clock. Only a gateway that shares a longer-lived clock needs this. The gateway still
   * works: whatever becomes due happens with its next call. `using` calls this at the end of a block.
   */
  dispose(): void
  [Symbol.dispose](): void
  /** The calls by which a server or another host serves this gateway. Tests do not need these calls. */
  readonly transport: Transport
}

/** Families of your own, as far as the types of a gateway need them. */
type OwnFamilies = Readonly<
  Record<
    string,
    { readonly operations: object; readonly errors: object; readonly declares?: unknown; readonly limits?: unknown }
  >
>

/** The functions by which tests declare what families offer. */
type DeclaredBy<F extends OwnFamilies> = Together<
  { [Name in keyof F]: DeclareCalls<NonNullable<F[Name]['declares']>> }[keyof F]
>

type DeclareCalls<Declares> = {
  readonly [Name in keyof Declares]: Declares[Name] extends { readonly call?: infer Call } ? NonNullable<Call> : never
}

/** The limits that families bring, by their names in `account.limits`. */
type LimitsBy<F extends OwnFamilies> = {
  readonly [Name in { [Family in keyof F]: keyof NonNullable<F[Family]['limits']> }[keyof F]]?: LimitOption | undefined
}

/** The account of a gateway with families of your own: see {@link AccountOptions}. */
export type AccountWith<Limits> = Omit<AccountOptions, 'limits'> & {
  /** Limits by their names, instead of the plan's. Default: the plan's. */
  readonly limits?: Limits | undefined
}

/** The options of a gateway with families of your own. */
export type OptionsWith<F extends OwnFamilies, C extends Clock = Clock> = Omit<
  GatewayOptions<C>,
  'account' | 'initial'
> & {
  /** The account that the resources belong to: see {@link GatewayOptions}. */
  readonly account?: AccountWith<AccountLimits & LimitsBy<F>> | undefined
  /** Families of your own, made with `fauxgate/kit`, by their names in the direct API. */
  readonly families: F
  /** The resources that exist from the beginning: see {@link GatewayOptions}. */
  readonly initial?: InitialOf<Resources & Direct<F>> | undefined
}

/** The methods that take names of operations and errors, with those of your own families. */
export interface OwnNames<Declared, Name extends string, Key extends string> {
  readonly declare: Declared
  readonly faults: { add(spec: FaultSpec<Name, ErrorKey | Key>): ArmedFault<Name, ErrorKey | Key> }
  readonly requests: {
    all(filter: JournalFields<Name>): readonly JournalEntry[]
    count(filter: JournalFields<Name>): number
    last(filter: JournalFields<Name>): JournalEntry | undefined
  }
}

/** A gateway with families of your own. */
export type GatewayWith<F extends OwnFamilies, C extends Clock = Clock> = Gateway<C> &
  Direct<F> &
  OwnNames<DeclaredBy<F>, NameIn<F>, ErrorKeyIn<F>>

const withUrl = /* @__PURE__ */ accessor('url', (engine: Engine) => engine.url)

/**
 * Creates a gateway with families of your own beside fauxgate's: see `fauxgate/kit`.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ families: { widgets } })
 * gateway.widgets.create({ name: 'left' })
 * ```
 * @throws TypeError if an option is not allowed, or if a family has a name that is in use already.
 */
export function createGateway<F extends OwnFamilies, C extends Clock = Clock>(
  options: OptionsWith<F, C>,
): GatewayWith<F, C>
/**
 * Creates a gateway. It shares nothing with other gateways.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * const gateway = createGateway({ seed: 'checkout' })
 * const domain = gateway.reservedDomains.create({ domain: 'app.example.com' })
 * await gateway.fetch(`${gateway.url}/reserved_domains/${domain.id}`, {
 *   headers: { authorization: 'Bearer key', 'service-version': '2' },
 * })
 * ```
 * @throws TypeError if an option is unknown or has a value that is not allowed; GatewayError if a rule refuses an entry of
 * `initial`, which the message names.
 */
export function createGateway<C extends Clock = Clock>(options?: GatewayOptions<C>): Gateway<C>
export function createGateway<C extends Clock>(options: AnyOptions = {}): Gateway<C> {
  const read = readGatewayOptions(options)
  const { keys, control, authorityKeys, clock, dialect, initial } = read
  const table = tableOf(dialect, read.families)
  requireKnownLimits(read.account?.limits, table.limits)
  const ownKeys = [...(keys ?? []), ...(control.key === undefined ? [] : [control.key])]
  const home = read.baseUrl ?? dialect.baseUrl
  const authority = authorityBy(authorityKeys)
  const baseline = new Baseline()
  const snapshots = new SavedSnapshots((changes) => engine.keepBeside(changes))
  const secretNames = new SecretNames(table.api.operations, dialect)
  const boundary = new ErrorBoundary(dialect, secretNames, ownKeys, table.catalogue)
  const hooks: Hooks = {}
  const engine: Engine = new Engine({
    clock,
    dialect,
    rules: { ...rulesIn(read), hooks },
    seed: read.seed ?? freshSeed(),
    authorityFor: authority.of,
    url: home,
    hidden: secretTexts(ownKeys),
    families: table.keepers,
    catalogue: table.catalogue,
    store: read.store,
    sideRecords: new Map([...authority.sideRecords, ['initial_resources', baseline], [SNAPSHOTS, snapshots]]),
    publicError: (error) => boundary.publicError(error),
  })
  const journal = new Journal({
    size: read.journalSize,
    bytes: read.journalBytes,
    dialect,
    secretNames,
    ownKeys,
  })
  const rateLimiter = read.rateLimit && new RateLimiter(read.rateLimit)
  const direct = directApi(table.families, (operation, ids, input, call) => {
    try {
      if (!isOperationOf(dialect, operation)) requireRouted(table.router, operation, ids)
      return engine.execute(operation, ids, input).result
    } catch (error) {
      throw boundary.errorOf(call, error, input, operation)
    }
  })
  const begin = () => {
    if (!initial) return
    applyInitial(direct, initial)
    baseline.take(engine, table.families)
  }
  const leftovers = () => baseline.leftovers(engine, table.families)
  const host = hostOf({
    table,
    engine,
    options: read,
    ownKeys,
    journal,
    rateLimiter,
    begin,
    leftovers,
    snapshots,
    hooks,
  })
  const controlApi = controlApiOf(host, table.controlRouter, control)
  const isValidKey = keyCheck(keys, table.keyRules, () => engine.records)
  const exchange = handlerOf({
    engine,
    router: table.router,
    controlApi,
    dialect,
    isValidKey,
    ownKeys,
    secretNames,
    emptyJsonOnDelete: read.emptyJsonOnDelete,
    journal,
    rateLimiter,
    hooks,
  })
  const limitOf = (method: string, url: string) => controlApi.mostBytes(method, splitUrl(url, engine.url).path)
  const fetch = fetchOf(exchange, limitOf, (at, signal, operationId) => engine.reached(at, signal, operationId))
  const transport: Transport = {
    exchange,
    bodyLimit: bodyLimitOf({ engine, router: table.router, controlApi, dialect, isValidKey }),
    refused: refusedOf({ engine, dialect }),
    async delivered(response, { signal } = {}) {
      const answer = response.safe ? await response.safe : response
      const { delivery } = answer
      if (delivery) await engine.reached(delivery.notBefore, signal, delivery.operationId)
      return answer
    },
    servedAt(url) {
      if (read.baseUrl === undefined) engine.url = url ?? home
    },
    ...boundary.wrapAll({ settle: () => void engine.settle() }),
    journal,
    hooks,
  }
  // The clock's functions are the user's own, and stay unchanged.
  const fromControls = boundary.wrapAll(controlMembers(host), clock)
  const own: Omit<Gateway<C>, keyof Resources | Exclude<keyof ControlMembers, 'clock'> | 'url'> = {
    dialect,
    clock: clock as C, // As it was passed in; the system's where C was left out.
    fetch,
    ...boundary.wrapAll({
      leftovers: () => host.leftovers(),
      nextDueAt: () => engine.nextDueAt(),
    }),
    subscribe: (subscriber, collection) => engine.subscribe(subscriber, collection),
    // By the member, which a fixture may have replaced.
    install: (how) => installFetch(installed, () => engine.url, host.others, how),
    dispose: () => engine.dispose(),
    [Symbol.dispose]: () => engine.dispose(),
    transport,
  }
  const installed: Fetch = (input, init) => members.fetch(input, init)
  // With spreads instead, V8 makes a shape per member, and again for each gateway.
  const members: Omit<Gateway<C>, 'url'> = Object.assign({}, direct, fromControls, own)
  requireMembersFree(read.families, members, direct)
  try {
    engine.called(() => engine.isLoaded || begin())
  } catch (thrown) {
    engine.dispose()
    const error = boundary.publicError(thrown)
    throw error instanceof GatewayError ? startingAtCaller(error, createGateway) : error
  }
  return withUrl(members, engine) as Gateway<C> // With the members that were left out above.
}

function requireMembersFree(own: Families = {}, gateway: object, direct: object): void {
  for (const name of Object.keys(own)) {
    if (name !== 'url' && Reflect.get(gateway, name) === Reflect.get(direct, name)) continue
    throw new TypeError(`families.${name} has the name of a member that every gateway has. Choose another name.`)
  }
}

function controlMembers(host: ControlHost): ControlMembers {
  // Each control makes its own members.
  return Object.assign({}, ...controls.map((control) => control.members?.(host)))
}
