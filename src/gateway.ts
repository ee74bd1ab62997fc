import type { Authority } from './contract/authority.ts'
import type { Commit } from './contract/commit.ts'
import type { Dialect } from './contract/dialect.ts'
import { Refusal } from './contract/errors.ts'
import { GatewayError } from './contract/gateway-error.ts'
import type { Operation } from './contract/operation.ts'
import { SecretNames, secretsIn } from './contract/secret-fields.ts'
import { valuesOf } from './contract/secret-values.ts'
import type { ControlHost } from './control/control-operation.ts'
import { faultState } from './control/fault-records.ts'
import { controls } from './control/index.ts'
import { readSnapshot, type Snapshot, snapshotOf } from './control/snapshot.ts'
import { type AuthorityApi, authorityApi } from './direct/authority.ts'
import { type Declare, declareApi } from './direct/declare.ts'
import { type Direct, directApi } from './direct/direct-api.ts'
import { type Dns, dnsApi } from './direct/dns.ts'
import { type Faults, faultsApi } from './direct/faults.ts'
import { applyInitial, type Leftover, leftoversOf, presentKeys } from './direct/initial.ts'
import { type Installed, type InstallOptions, installFetch } from './direct/install.ts'
import { type Guarded, type Provisioning, provisioningApi } from './direct/provisioning.ts'
import { type Requests, requestsApi } from './direct/requests.ts'
import { type Clock, isManual } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { freshSeed, type RandomSource, secretSource } from './engine/random.ts'
import { RateLimiter } from './engine/rate-limiter.ts'
import { type GatewayOptions, type ReadOptions, readOptions } from './gateway-options.ts'
import { controlHandlerOf } from './http/control-handler.ts'
import { type Fetch, fetchOf } from './http/fetch.ts'
import { handlerOf, type Refused, refusedOf } from './http/handler.ts'
import { Journal } from './http/journal.ts'
import type { HttpRequest, HttpResponse } from './http/messages.ts'
import { routerOf } from './http/router.ts'
import { provisioningState } from './provisioning/index.ts'
import { declared } from './resources/declarations.ts'
import { families } from './resources/index.ts'
import { authorityOf } from './x509/authority.ts'

/** A tunnel gateway's management API with its own state, clock and ids. Made by {@link createGateway}. */
export interface Gateway<C extends Clock = Clock> extends Direct<typeof families> {
  /** The base URL of every URI in a response, without a trailing slash. */
  readonly url: string
  readonly dialect: Dialect
  /** The clock that was passed in, with its own type: a manual clock can be moved here. */
  readonly clock: C
  /** What the test decides about provisioning, and what it sees of it. */
  readonly provisioning: Provisioning
  /** The simulated DNS zone. */
  readonly dns: Dns
  /** The certificate authority behind automatic certificates. */
  readonly authority: AuthorityApi
  /** Stands in for the global `fetch`, for any host. Bound: pass it to a client as it is. */
  readonly fetch: Fetch
  /** Answers one HTTP request at once, for transports other than `fetch`. */
  readonly exchange: (request: HttpRequest) => HttpResponse
  /** The answer to what a transport could not hand to `exchange`: the usual error, with an operation id. */
  readonly refused: Refused
  /** Makes things exist that this API refers to and cannot create; see `references`. */
  readonly declare: Declare
  /** Failures on order for requests over HTTP. */
  readonly faults: Faults
  /** What was asked over HTTP and what was answered. */
  readonly requests: Requests
  /**
   * The state as plain JSON, without secrets unless they are asked for. Equal states give equal snapshots. The object
   * itself, in this process, brings the secrets back all the same; nobody can see them in it.
   */
  snapshot(options?: { readonly privateKeys?: boolean }): Snapshot
  /**
   * Puts the state of a snapshot in the place of the state; a manual clock goes to the snapshot's time.
   * @throws GatewayError with the path of what is wrong, for a damaged snapshot or one of another version; then nothing
   * has changed.
   */
  restore(snapshot: Snapshot): void
  /** The resources that were created and not deleted since the initial state. */
  leftovers(): readonly Leftover[]
  /** Calls back with every further commit, in order; answers what ends that. An exception in it goes no further. */
  subscribe(subscriber: (commit: Commit) => void): () => void
  /** Lets the global `fetch` answer for the gateway's base URL until that is undone. */
  install(options?: InstallOptions): Installed
  /**
   * Waits, on the gateway's clock, for an answer of `exchange` that a fault delays. Rejects with the signal's reason when
   * that is aborted.
   */
  delivered(response: HttpResponse, options?: { readonly signal?: AbortSignal }): Promise<HttpResponse>
  /** Back to the initial state: no resources, no orders, an empty zone, the same seed, a manual clock at its start. */
  reset(): void
  /** Tells the gateway where it is served; its `url` follows unless a `baseUrl` was given. Undefined: nowhere. */
  servedAt(url: string | undefined): void
}

const operations = Object.values(families).flatMap((family) => Object.values<Operation>(family.operations))
const router = routerOf(operations)
const controlRouter = routerOf(controls)

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
 * @throws TypeError when an option is unknown or has a value that is not allowed.
 */
export function createGateway<C extends Clock = Clock>(options: GatewayOptions<C> = {}): Gateway<C> {
  const read = readOptions(options)
  const { clock, dialect, keys, emptyJsonOnDelete, rules, initial } = read
  const ownKeys = [...(keys ?? []), ...(read.control.key === undefined ? [] : [read.control.key])]
  const home = read.baseUrl ?? dialect.baseUrl
  const engine = new Engine({
    clock,
    dialect,
    rules,
    seed: read.seed ?? freshSeed(),
    authorityFor: read.authorityKeys === 'test' ? testAuthority : secretAuthority(),
    url: home,
    hidden: valuesOf(ownKeys),
    families: [...Object.values(families), declared, provisioningState, faultState],
  })
  const secretNames = new SecretNames(operations, dialect)
  const guarded = guardedBy(dialect, secretNames, ownKeys)
  const journal = new Journal({
    size: read.journalSize,
    bytes: read.journalBytes,
    dialect,
    secretNames,
    ownKeys,
  })
  const rateLimiter = read.rateLimit && new RateLimiter(read.rateLimit)
  const direct = directApi(families, (operation, ids, input) =>
    guarded(() => engine.execute(operation, ids, input).result, input),
  )
  let baseline: ReadonlySet<string> = new Set()
  const begin = () => {
    if (!initial) return
    applyInitial(direct, initial)
    baseline = presentKeys(engine, families)
  }
  const host = hostOf(engine, read, journal, rateLimiter, begin)
  const control = controlHandlerOf(host, controlRouter, read.control)
  const exchange = handlerOf({
    engine,
    router,
    control,
    dialect,
    keys,
    ownKeys,
    secretNames,
    emptyJsonOnDelete,
    journal,
    rateLimiter,
  })
  const fetch = fetchOf(exchange, (at, signal) => engine.reached(at, signal))
  const gateway: Gateway<C> = {
    ...direct,
    get url() {
      return engine.url
    },
    dialect,
    clock: clock as C,
    fetch,
    exchange,
    refused: refusedOf({ engine, dialect }),
    provisioning: provisioningApi(host, guarded),
    dns: dnsApi(host, guarded),
    authority: authorityApi(host, guarded),
    declare: declareApi(host, guarded),
    faults: faultsApi(host, guarded, journal),
    requests: requestsApi(
      journal,
      operations.map(({ name }) => name),
      guarded,
    ),
    snapshot: (what) => guarded(() => host.snapshot(what)),
    restore: (snapshot) => guarded(() => host.restore(snapshot), snapshot),
    reset: () => guarded(host.reset),
    leftovers: () => guarded(() => leftoversOf(engine, families, baseline)),
    subscribe: (subscriber) => engine.subscribe(subscriber),
    install: (how) => installFetch(fetch, () => engine.url, how),
    async delivered(response, { signal } = {}) {
      if (response.delivery) await engine.reached(response.delivery.notBefore, signal)
      return response
    },
    servedAt(url) {
      if (read.baseUrl === undefined) engine.url = url ?? home
    },
  }
  begin()
  return gateway
}

/** What the controls of a gateway work on. `begin` makes the initial state. */
function hostOf(
  engine: Engine,
  { clock, authorityKeys }: ReadOptions,
  journal: Journal,
  rateLimiter: RateLimiter | undefined,
  begin: () => void,
): ControlHost {
  return {
    clock,
    context: engine.context,
    journal,
    authority: () => engine.authority,
    now: () => engine.now,
    operations,
    operationsAt: (path) => [...(router.find(path)?.methods.values() ?? [])],
    findAll: (collection, index, value) => engine.findAll(collection, index, value),
    control: (work) => engine.control(work),
    reset() {
      engine.reset()
      if (isManual(clock)) clock.reset()
      journal.clear()
      if (rateLimiter) rateLimiter.times = []
      begin()
    },
    snapshot({ privateKeys = false } = {}) {
      const { now, sequence, records, kept } = engine.state(privateKeys)
      const seed = authorityKeys === 'test' ? engine.seed : null
      return snapshotOf({ now, seed, sequence, rateLimit: rateLimiter?.times ?? [], records }, kept)
    },
    restore(value) {
      const snapshot = readSnapshot(value, engine.collections, engine.context)
      engine.replaceState(snapshot, () => isManual(clock) && clock.set(snapshot.now))
      if (rateLimiter) rateLimiter.times = snapshot.rateLimit
    },
  }
}

/** The authority with the published test keys. */
function testAuthority({ draw }: RandomSource): Authority {
  return authorityOf('test', draw)
}

/** An authority whose keys, and the ECDSA keys of its certificates, nobody can guess. The same at every call. */
function secretAuthority(): () => Authority {
  const { draw } = secretSource()
  const authority = authorityOf(draw, draw)
  return () => authority
}

/** Turns the refusals of direct calls into errors of the dialect. */
function guardedBy(dialect: Dialect, secretNames: SecretNames, ownKeys: readonly string[]): Guarded {
  return (work, input) => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new GatewayError(error, dialect, valuesOf([...ownKeys, ...secretsIn(input, secretNames)]))
    }
  }
}
