import type { Authority } from './contract/authority.ts'
import type { Dialect } from './contract/dialect.ts'
import { Refusal } from './contract/errors.ts'
import { GatewayError } from './contract/gateway-error.ts'
import type { Operation } from './contract/operation.ts'
import type { ControlHost } from './control/control-operation.ts'
import { controls } from './control/index.ts'
import { type AuthorityApi, authorityApi } from './direct/authority.ts'
import { type Declare, declareApi } from './direct/declare.ts'
import { type Direct, directApi } from './direct/direct-api.ts'
import { type Dns, dnsApi } from './direct/dns.ts'
import { type Guarded, type Provisioning, provisioningApi } from './direct/provisioning.ts'
import type { Clock } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { freshSeed, randomSource, secretSource } from './engine/random.ts'
import { type GatewayOptions, readOptions } from './gateway-options.ts'
import { controlHandlerOf } from './http/control-handler.ts'
import { type Fetch, fetchOf } from './http/fetch.ts'
import { handlerOf } from './http/handler.ts'
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
  /** Makes things exist that this API refers to and cannot create; see `references`. */
  readonly declare: Declare
  /** Every record, with the number that the next ids come from: equal states give equal values. */
  snapshot(): GatewayState
  /** Back to the initial state: no resources, no orders, an empty zone, the same seed, a manual clock at its start. */
  reset(): void
  /** Tells the gateway where it is served; its `url` follows unless a `baseUrl` was given. Undefined: nowhere. */
  servedAt(url: string | undefined): void
}

/** The state of a gateway as plain values. */
export interface GatewayState {
  readonly sequence: number
  readonly records: Readonly<Record<string, readonly object[]>>
}

const router = routerOf(Object.values(families).flatMap((family) => Object.values<Operation>(family.operations)))
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
  const { clock, dialect, seed, baseUrl, keys, emptyJsonOnDelete, authorityKeys, rules } = readOptions(options)
  const home = baseUrl ?? dialect.baseUrl
  const random = randomSource(seed ?? freshSeed())
  const authority = authorityKeys === 'test' ? authorityOf('test', random.draw) : secretAuthority()
  const engine = new Engine({
    clock,
    dialect,
    rules,
    random,
    authority,
    url: home,
    families: [...Object.values(families), declared, provisioningState],
  })
  clock.attach?.({ nextDueAt: () => engine.nextDueAt(), settle: () => engine.settle(engine.now) })
  const guarded = guardedBy(dialect)
  const host: ControlHost = {
    clock,
    authority,
    context: engine.context,
    now: () => engine.now,
    control: (work) => engine.control(work),
    reset() {
      clock.reset?.()
      engine.reset()
    },
  }
  const control = controlHandlerOf(host, controlRouter)
  const exchange = handlerOf({ engine, router, control, dialect, keys, emptyJsonOnDelete })
  return {
    ...directApi(families, (operation, ids, input) => guarded(() => engine.execute(operation, ids, input))),
    get url() {
      return engine.url
    },
    dialect,
    clock: clock as C,
    fetch: fetchOf(exchange),
    exchange,
    provisioning: provisioningApi(host, guarded),
    dns: dnsApi(host, guarded),
    authority: authorityApi(host, guarded),
    declare: declareApi((work) => engine.control(work)),
    snapshot: () => engine.state(),
    reset: host.reset,
    servedAt(url) {
      if (baseUrl === undefined) engine.url = url ?? home
    },
  }
}

/** An authority whose keys, and the ECDSA keys of its certificates, nobody can guess. */
function secretAuthority(): Authority {
  const { draw } = secretSource()
  return authorityOf(draw, draw)
}

/** Turns the refusals of direct calls into errors of the dialect. */
function guardedBy(dialect: Dialect): Guarded {
  return (work) => {
    try {
      return work()
    } catch (error) {
      throw error instanceof Refusal ? new GatewayError(error, dialect) : error
    }
  }
}
