import { AgentState } from '../control/agent/state.ts'
import type { ControlHost, DropHooks } from '../control/control.ts'
import { OtherRequests } from '../control/journal/other-requests.ts'
import { Deliveries, type Post } from '../control/sent-events/delivery.ts'
import { SentEventLog } from '../control/sent-events/log.ts'
import { createSnapshot } from '../control/snapshot.ts'
import { TrafficState } from '../control/traffic/state.ts'
import { isManual } from '../core/engine/clock.ts'
import type { Engine } from '../core/engine/engine.ts'
import { refuseAsStoreFailed } from '../core/engine/persistence/persistence.ts'
import type { Family } from '../core/operation/family.ts'
import { createRedactor, redactText } from '../core/schema/secret-texts.ts'
import { timestamp } from '../core/schema/time.ts'
import { type Dialect, dialects } from '../service/resources/dialects.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import { findNetworkFetch } from './http/install.ts'
import { parseUrl } from './http/url.ts'
import type { GatewayInternals } from './internals.ts'

export function createControlHost(internals: GatewayInternals, applyInitialResources: () => void): ControlHost {
  const { table, engine, options, ownKeys, journal, controlLog, rateLimiter, baseline, snapshots, upstreams, hooks } =
    internals
  const { api, collections, readSnapshot, requestRules, keyRules } = table
  const { clock, dialect, keys, families = {} } = options
  const otherRequests = new OtherRequests((url) => describeWrongUrl(url, engine.url, dialect))
  const dropWithHook: NonNullable<DropHooks['drop']> = (call, work) => (hooks.drop ? hooks.drop(call, work) : work())
  const withoutKeys = (text: string) => redactText(text, createRedactor(ownKeys))
  const agent = new AgentState()
  const events = createEvents(internals)
  const traffic = new TrafficState({
    engine,
    dialect,
    upstreams,
    withoutKeys,
    watchAgent: agent.captured.add,
    hooks,
    journalBytes: options.journalBytes,
    secretNames: internals.secretNames,
    events,
  })
  const clearRequests = () => {
    journal.clear()
    controlLog.begin(engine.state.records)
    otherRequests.clear()
    agent.clearRequests()
  }
  let continued = engine.isLoaded ? timestamp(engine.now) : undefined
  const earlierTransitions = new WeakSet<object>()
  if (engine.isLoaded) addLastTransitions(earlierTransitions, engine)
  return {
    api,
    listErrorsOfRules: () => [
      ...keyRules.flatMap(({ errors }) => errors),
      ...requestRules.flatMap((rules) => api.operations.flatMap((each) => rules.listErrors(each))),
    ],
    clock,
    engine,
    collections,
    journal,
    controlLog,
    otherRequests,
    earlierTransitions,
    leftovers: (options) => baseline.leftovers(engine, collections, options),
    ofTest(work) {
      const stop = engine.subscribe(({ changes }) => baseline.addOfTest(changes))
      try {
        return work()
      } finally {
        stop()
      }
    },
    withoutKeys,
    traffic,
    agent,
    events,
    dialect,
    families,
    describer: undefined,
    snapshots,
    hasKeys: keys !== undefined,
    hooks,
    continuedAt: () => continued,
    transact: (work) => engine.transact(work),
    async flushed() {
      await engine.flushed?.catch(refuseAsStoreFailed)
    },
    clearRequests: () => dropWithHook('requests.clear()', clearRequests),
    reset: () =>
      dropWithHook('reset()', () => {
        engine.reset(() => {
          if (isManual(clock)) clock.reset()
          applyInitialResources()
          // Initial resources don't cause events.
          events?.clear()
        })
        baseline.forgetMissing(engine, collections)
        clearRequests()
        beginControlLog(internals, options.initial)
        traffic.clear()
        agent.clear()
        snapshots.remembered.forget()
        continued = undefined
        if (rateLimiter) rateLimiter.times = []
      }),
    snapshot(withPrivateKeys) {
      const { now, sequence, records, recordsWithSecrets } = engine.exportRecords(withPrivateKeys)
      return createSnapshot(
        { now, seed: internals.findSeed(), sequence, rateLimit: rateLimiter?.times ?? [], records },
        recordsWithSecrets,
      )
    },
    restore: (value, isUndo = false) =>
      dropWithHook('restore()', () => {
        const snapshot = readSnapshot(value, engine.context)
        engine.restore(snapshot, () => isManual(clock) && clock.set(snapshot.now))
        baseline.forgetMissing(engine, collections)
        if (rateLimiter) rateLimiter.times = snapshot.rateLimit
        if (isUndo) snapshots.remembered.forgetLast()
        else snapshots.remembered.forget()
      }),
  }
}

/** Starts the log of controls when a gateway is created, and includes the `initial` option if it created the state. */
export function beginControlLog(internals: GatewayInternals, initial: object | undefined): void {
  const { sequence } = internals.engine.state.records
  internals.controlLog.begin({ sequence, initial, seed: internals.findSeed() })
}

/** Creates the log that records and delivers the account's events. Returns undefined without a family of subscriptions. */
function createEvents({ table, engine, options }: GatewayInternals): SentEventLog | undefined {
  const families: readonly Family[] = Object.values(table.families)
  const rules = families.flatMap(({ events = [] }) => events)[0]
  if (!rules) return undefined
  const post: Post = (url, init) => findNetworkFetch()(url, init)
  const deliveries = new Deliveries(engine, options.destinations ?? {}, post, rules.targetOf)
  return new SentEventLog(engine, rules, families, deliveries)
}

/** Adds the most recent transition of each domain. A timeline entry remains the same object when more entries follow. */
export function addLastTransitions(transitions: WeakSet<object>, { state }: Engine): void {
  for (const { timeline } of state.records.table(domains).newestFirst()) {
    const last = timeline.at(-1)
    if (last) transitions.add(last)
  }
}

/** The functions that create gateways, by dialect name. */
const CREATE: Readonly<Record<string, string>> = { standard: 'createGateway', ngrok: 'createNgrok' }

/** Describes the most likely reason that a URL is not under a gateway's URL. */
function describeWrongUrl(url: string, gatewayUrl: string, { name }: Dialect): string {
  const [requested, own] = [parseUrl(url), parseUrl(gatewayUrl)]
  const gateway = `gateway is at ${gatewayUrl}`
  if (!requested || !own) return `The ${gateway}.`
  if (requested.hostname === own.hostname)
    return `The ${gateway}: the host is the same, but the scheme, port, or path is different.`
  const other = Object.values(dialects).find(
    (each) => each.name !== name && parseUrl(each.baseUrl)?.host === requested.host,
  )
  if (other) return `${requested.host} was called, but the ${gateway}. Was \`${CREATE[other.name]}()\` meant?`
  return `The ${gateway}. Set the client's base URL to it, or set the gateway's \`baseUrl\` to the client's base URL.`
}
