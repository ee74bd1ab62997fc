import type { Dialect } from './contract/dialect.ts'
import { Refusal } from './contract/errors.ts'
import { GatewayError } from './contract/gateway-error.ts'
import type { Operation, PathIds } from './contract/operation.ts'
import { type Declare, declareApi } from './direct/declare.ts'
import { type Direct, directApi } from './direct/direct-api.ts'
import type { Clock } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { freshSeed } from './engine/random.ts'
import { type GatewayOptions, readOptions } from './gateway-options.ts'
import { type Fetch, fetchOf } from './http/fetch.ts'
import { handlerOf } from './http/handler.ts'
import type { HttpRequest, HttpResponse } from './http/messages.ts'
import { routerOf } from './http/router.ts'
import { declared } from './resources/declarations.ts'
import { families } from './resources/index.ts'

/** A tunnel gateway's management API with its own state, clock and ids. Made by {@link createGateway}. */
export interface Gateway extends Direct<typeof families> {
  /** The base URL of every URI in a response, without a trailing slash. */
  readonly url: string
  readonly dialect: Dialect
  readonly clock: Clock
  /** Stands in for the global `fetch`, for any host. Bound: pass it to a client as it is. */
  readonly fetch: Fetch
  /** Answers one HTTP request at once, for transports other than `fetch`. */
  readonly exchange: (request: HttpRequest) => HttpResponse
  /** Makes things exist that this API refers to and cannot create; see `references`. */
  readonly declare: Declare
  /** Every record, with the number that the next ids come from: equal states give equal values. */
  snapshot(): GatewayState
  /** Tells the gateway where it is served; its `url` follows unless a `baseUrl` was given. Undefined: nowhere. */
  servedAt(url: string | undefined): void
}

/** The state of a gateway as plain values. */
export interface GatewayState {
  readonly sequence: number
  readonly records: Readonly<Record<string, readonly object[]>>
}

const router = routerOf(Object.values(families).flatMap((family) => Object.values(family.operations)) as Operation[])

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
export function createGateway(options: GatewayOptions = {}): Gateway {
  const { clock, dialect, seed, baseUrl, keys, emptyJsonOnDelete, rules } = readOptions(options)
  const home = baseUrl ?? dialect.baseUrl
  const engine = new Engine({
    clock,
    dialect,
    rules,
    seed: seed ?? freshSeed(),
    url: home,
    families: [...Object.values(families), declared],
  })
  const call = (operation: Operation, ids: PathIds, input: unknown) => answered(engine, dialect, operation, ids, input)
  const exchange = handlerOf({ engine, router, dialect, keys, emptyJsonOnDelete })
  return {
    ...directApi(families, call),
    get url() {
      return engine.url
    },
    dialect,
    clock,
    fetch: fetchOf(exchange),
    exchange,
    declare: declareApi((work) => engine.transact(engine.now, work)),
    snapshot: () => ({ sequence: engine.store.sequence, records: engine.store.records() }),
    servedAt(url) {
      if (baseUrl === undefined) engine.url = url ?? home
    },
  }
}

/** Runs an operation for the direct API: a refusal becomes a `GatewayError`. */
function answered(engine: Engine, dialect: Dialect, operation: Operation, ids: PathIds, input: unknown): unknown {
  try {
    return engine.execute(operation, ids, input)
  } catch (error) {
    throw error instanceof Refusal ? new GatewayError(error, dialect) : error
  }
}
