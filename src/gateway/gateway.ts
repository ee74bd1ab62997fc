import { type ControlHost, createMembers } from '../control/control.ts'
import { type ControlMembers, controls } from '../control/controls.ts'
import { cacheDocuments } from '../control/document.ts'
import { watchTransitions } from '../control/transitions.ts'
import { listNouns } from '../control/views/nouns.ts'
import { type Clock, isManual } from '../core/engine/clock.ts'
import { manualClock } from '../core/engine/manual-clock.ts'
import type { Families } from '../core/operation/family.ts'
import { isOperationOf } from '../core/operation/operation.ts'
import { requireJsonObject } from '../core/schema/body.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { general } from '../core/schema/general-errors.ts'
import { readCallOptions } from '../core/schema/options.ts'
import type { GatewayOptions } from '../generated/options.ts'
import type { Resources } from '../generated/resources.ts'
import { asksForCertificates } from './client-certificates.ts'
import { addLastTransitions, beginControlLog, createControlHost } from './control-host.ts'
import { createDirectApi } from './direct/direct-api.ts'
import { applyInitial, type LeftoverOptions, leftoverOptions } from './direct/initial.ts'
import { setCallerStack } from './error-boundary.ts'
import { GatewayError } from './gateway-error.ts'
import type { ControlAccess } from './http/access.ts'
import { createBodyLimit } from './http/body-limit.ts'
import { findUnknownCaller } from './http/callers.ts'
import { type ControlApi, createControlApi } from './http/control-api.ts'
import { createRefused } from './http/error-response.ts'
import { createFetch, type Fetch, waitForResponse } from './http/fetch.ts'
import { createHandler, type Handler } from './http/handler.ts'
import { installFetch } from './http/install.ts'
import type { Delivery } from './http/messages.ts'
import { requireKnownOperation } from './http/router.ts'
import { splitUrl } from './http/url.ts'
import { createInternals, type GatewayInternals } from './internals.ts'
import { type AnyOptions, listShared } from './options.ts'
import type { Transport } from './transport.ts'
import type { Gateway, GatewayWith, OptionsWith, OwnFamilies } from './types.ts'

/**
 * Creates a gateway with your own families in addition to the built-in families: see `fauxgate/kit`.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ families: { widgets } })
 * gateway.widgets.create({ name: 'left' })
 * ```
 * @throws TypeError if an option is not allowed, or if a family has a name that is already in use.
 */
export function createGateway<F extends OwnFamilies, C extends Clock = Clock>(
  options: OptionsWith<F, C>,
): GatewayWith<F, C>
/**
 * Creates a gateway that shares nothing with other gateways.
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
 * @throws TypeError if an option is unknown or has a value that is not allowed; GatewayError if a rule rejects an entry of `initial`. The
 * message names the entry.
 */
export function createGateway<C extends Clock = Clock>(options?: GatewayOptions<C>): Gateway<C>
export function createGateway<C extends Clock>(options: AnyOptions = {}): Gateway<C> {
  const internals = createInternals(options)
  const createSibling = createSiblings(options)
  const { engine, boundary, dialect, table } = internals
  const { initial, clock, control, cors, emptyJsonOnDelete, families, errorText } = internals.options
  const initialUrl = engine.url
  const direct = createDirectMembers(internals)
  const applyInitialResources = () => {
    if (!initial) return
    applyInitial(direct, initial, (error, entry) => (error instanceof GatewayError ? error.at(entry) : error))
    internals.baseline.take(engine, table.collections)
  }
  const host = createControlHost(internals, applyInitialResources)
  const ownUrl = () => internals.options.baseUrl ?? (engine.url === initialUrl ? undefined : engine.url)
  const access = { ...control, cors, ownUrl }
  const controlApi = createControlApi(host, table.controlRouter, access)
  const served = { ...internals, controlApi, emptyJsonOnDelete, hasVariedErrors: errorText === 'varied' }
  const exchange = createHandler(served)
  const maxBodyBytes = (method: string, url: string) => controlApi.maxBodyBytes(method, splitUrl(url, engine.url).path)
  const fetch = createFetch(exchange, maxBodyBytes, createWait(internals))
  // The clock's functions belong to the user, and stay unchanged.
  const fromControls = boundary.wrapAll(createMembers(controls, host), clock)
  const dispose = () => {
    host.events?.deliveries.clear()
    engine.dispose()
  }
  const showUrl = () => void Object.assign(members, { url: engine.url })
  const ownMembers: Omit<Gateway<C>, keyof Resources | Exclude<keyof ControlMembers, 'clock'> | 'url'> = {
    dialect,
    clock: clock as C, // The given clock, or the system clock if C is the default.
    fetch,
    ...boundary.wrapAll({
      leftovers: (options: LeftoverOptions = {}) => host.leftovers(readCallOptions(leftoverOptions, options)),
      nextDueAt: () => engine.nextDueAt(),
    }),
    subscribe: (subscriber, collection) => engine.subscribe(subscriber, collection),
    install: (options) => installFetch(installable, options),
    dispose,
    [Symbol.dispose]: dispose,
    transport: createTransport({ ...served, access, createSibling, showUrl }, exchange, host),
  }
  // Looks up `fetch` at each call, because a fixture may replace it.
  const fetchOfMembers: Fetch = (input, init) => members.fetch(input, init)
  const installable = {
    fetch: fetchOfMembers,
    baseUrl: () => engine.url,
    otherRequests: host.otherRequests,
    traffic: {
      fetch: (...[input, init]: Parameters<Fetch>) => fromControls.traffic.fetch(input, init),
      takes: (url: string) => host.traffic.takes(url),
    },
    agent: fromControls.agent,
  }
  const members: Gateway<C> = {
    ...direct,
    ...fromControls,
    ...ownMembers,
    url: engine.url,
  }
  requireFreeNames(families, members, direct)
  try {
    engine.runCall(() => engine.isLoaded || applyInitialResources())
    // Initial resources don't cause events.
    engine.subscribers.events = host.events
    beginControlLog(internals, engine.isLoaded ? undefined : internals.options.initial)
  } catch (thrown) {
    engine.dispose()
    const error = boundary.createPublicError(thrown)
    throw error instanceof GatewayError ? setCallerStack(error, createGateway) : error
  }
  return members
}

function createDirectMembers({ engine, boundary, dialect, table, controlLog, baseline }: GatewayInternals) {
  return createDirectApi(table.families, (operation, ids, input, call) => {
    try {
      if (!isOperationOf(dialect, operation)) requireKnownOperation(table.router, operation, ids)
      const { result, commit } = engine.execute(operation, ids, operation.body ? requireJsonObject(input) : input)
      if (commit) {
        controlLog.addOther()
        baseline.addOfTest(commit.changes)
      }
      return result
    } catch (error) {
      throw boundary.createErrorAtCaller(call, error, input, operation)
    }
  })
}

/**
 * Creates the function that waits for a delayed response. If the client gives up during the delay or while the body stalls, the journal
 * records it.
 */
function createWait({ engine, journal }: GatewayInternals) {
  return async ({ notBefore, operationId, cut }: Delivery, signal?: AbortSignal): Promise<void> => {
    const cancel = () => operationId !== undefined && journal.cancel(operationId, engine.now)
    try {
      await engine.clock.waitUntil(
        notBefore,
        signal,
        operationId === undefined ? undefined : { event: 'response', key: operationId },
      )
    } catch (error) {
      if (signal?.aborted) cancel()
      throw error
    }
    if (cut?.ending === 'stall') signal?.addEventListener('abort', cancel, { once: true })
  }
}

function createTransport(
  served: GatewayInternals & {
    readonly controlApi: ControlApi
    readonly access: ControlAccess
    readonly createSibling: (own: object) => Gateway
    readonly showUrl: () => void
  },
  exchange: Handler,
  host: ControlHost,
): Transport<Gateway> {
  const { engine, boundary, options, journal, snapshots, hooks, access, controlApi, showUrl } = served
  const initialUrl = engine.url
  const wait = createWait(served)
  const refused = createRefused(served)
  return {
    exchange,
    callerRefusal(request) {
      // The control key is checked instead. Other sites do not know it.
      if (access.key !== undefined && controlApi.isControlPath(splitUrl(request.url, engine.url).path)) return undefined
      // An HTTP/1.0 request may lack a Host. Browsers always send one.
      if (request.header('host') === null && request.header('origin') === null) return undefined
      const unknown = findUnknownCaller(request, access)
      return unknown && refused(general.caller_forbidden, unknown)
    },
    bodyLimit: createBodyLimit(served),
    refused,
    async delivered(response, { signal } = {}) {
      const settled = response.safe ? await waitForResponse(response.safe, signal) : response
      const { delivery } = settled
      if (delivery) await wait(delivery, signal)
      return settled
    },
    servedAt(url) {
      if (options.baseUrl !== undefined) return
      engine.state.url = url ?? initialUrl
      showUrl()
    },
    resumed: () => addLastTransitions(host.earlierTransitions, engine),
    locate: (name, schemes) => host.traffic.locate(name, schemes),
    serveUpstream: (url, serve) => host.traffic.upstreams.addLasting(url, serve),
    dialUpstreams(dialer) {
      host.traffic.upstreams.dialer = dialer
    },
    asksForCertificates: () => asksForCertificates(engine.state.records),
    serveVisitor: (request) => host.traffic.serve(request),
    ...boundary.wrapAll({
      settle(isOver: () => boolean = () => false) {
        engine.runMove(() => engine.settle(), isOver)
        return (engine.nextDue?.due.at ?? Number.POSITIVE_INFINITY) <= engine.lastNow
      },
    }),
    sequence: () => engine.subscribers.revision,
    watch: (watcher) => engine.subscribers.watch(watcher),
    watchTransitions: (watcher) => watchTransitions(engine, watcher),
    renewed() {
      if (engine.subscribers.size > 0 || journal.hasSubscribers || snapshots.isUsed) return false
      engine.clock.dropWaiting()
      host.reset()
      return true
    },
    sibling(own) {
      const gateway = served.createSibling(own)
      const { dialer, lasting } = host.traffic.upstreams
      if (dialer) gateway.transport.dialUpstreams(dialer)
      for (const [key, serve] of lasting) gateway.transport.serveUpstream(key, serve)
      return gateway
    },
    describedBy(describer) {
      host.describer = cacheDocuments(describer)
    },
    nouns: () => listNouns(host.api.operations),
    collections: host.collections,
    ...boundary.wrapAll({ resources: () => listResources(host) }),
    journal,
    hooks,
  }
}

/** Creates the function that creates gateways with these options, each with its own clock if this one's is manual. */
function createSiblings(options: AnyOptions): (own: object) => Gateway {
  const { clock } = options
  const start = clock && isManual(clock) ? clock.now : undefined
  return (own) =>
    createGateway({
      ...listShared(options),
      ...(start === undefined ? clock && { clock } : { clock: manualClock(start) }),
      ...own,
    })
}

function listResources({ engine, collections }: ControlHost) {
  engine.settle()
  const { records } = engine.state
  const tables = collections.flatMap((collection) => {
    const table = records.table(collection)
    return table.size === 0 ? [] : [{ collection, records: [...table.newestFirst()].reverse() }]
  })
  return { sequence: records.sequence, tables }
}

/** Throws if one of your own families uses the name of a gateway member. */
function requireFreeNames(families: Families = {}, gateway: object, direct: object): void {
  for (const name of Object.keys(families)) {
    if (name !== 'url' && Reflect.get(gateway, name) === Reflect.get(direct, name)) continue
    throw atCaller(
      new TypeError(`families.${name} has the same name as a built-in gateway member. Choose another name.`),
    )
  }
}
