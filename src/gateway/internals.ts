import { ControlLog } from '../control/control-log.ts'
import { Journal } from '../control/journal/journal.ts'
import { REMEMBERED, SavedSnapshots, SNAPSHOTS } from '../control/saved-snapshots.ts'
import { Engine } from '../core/engine/engine.ts'
import type { SideRecords } from '../core/engine/persistence/stored-records.ts'
import { RECORDS_VERSION } from '../core/engine/persistence/versions.ts'
import { PublicRecords } from '../core/engine/public-records.ts'
import { createSeed } from '../core/engine/random.ts'
import { RateLimiter } from '../core/engine/rate-limiter.ts'
import { requireKnownLimits } from '../core/operation/account.ts'
import { createRedactor } from '../core/schema/secret-texts.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import { UPSTREAMS, Upstreams } from '../traffic/upstreams.ts'
import { createAuthorityKeys } from './authority-keys.ts'
import { InitialRecords } from './direct/initial.ts'
import { ErrorBoundary } from './error-boundary.ts'
import { createKeyCheck } from './http/access.ts'
import { type AnyOptions, listRepeatable, readGatewayOptions, selectRuleOptions } from './options.ts'
import { tableOf } from './table.ts'
import type { Hooks } from './transport.ts'

export type GatewayInternals = ReturnType<typeof createInternals>

/** Creates the internals of one gateway: its parsed options, its engine with the state, its journal, and its error boundary. */
export function createInternals(rawOptions: AnyOptions) {
  const options = readGatewayOptions(rawOptions)
  const { keys, control, dialect } = options
  const table = tableOf(dialect, options.families)
  requireKnownLimits(options.account?.limits, table.limits)
  /** The API keys and the control key, which must not be in any output. */
  const ownKeys = [...(keys ?? []), ...(control.key === undefined ? [] : [control.key])]
  const hooks: Hooks = {}
  const authority = createAuthorityKeys(options.authorityKeys, hooks)
  const baseline = new InitialRecords()
  const snapshots = new SavedSnapshots((changes) => engine.storeSideRecords(changes))
  const upstreams = new Upstreams((changes) => engine.storeSideRecords(changes))
  const secretNames = table.secretNamesFor(dialect)
  const boundary = new ErrorBoundary(dialect, secretNames, ownKeys, table.catalogue)
  const engine: Engine = new Engine({
    clock: options.clock,
    dialect,
    ruleOptions: { ...selectRuleOptions(options), hooks, domains },
    seed: options.seed ?? createSeed(),
    authorityFor: authority.authorityFor,
    url: options.baseUrl ?? dialect.baseUrl,
    publicRecords: new PublicRecords(createRedactor(ownKeys)),
    families: table.stateful,
    catalogue: table.catalogue,
    store: options.store,
    sideRecords: new Map<string, SideRecords>([
      ...authority.sideRecords,
      ['initial_resources', baseline],
      [SNAPSHOTS, snapshots],
      [REMEMBERED, snapshots.remembered],
      [UPSTREAMS, upstreams],
    ]),
    publicError: (error) => boundary.createPublicError(error),
  })
  const { journalSize: size, journalBytes: bytes } = options
  const rateLimiter = options.rateLimit && new RateLimiter(options.rateLimit)
  /** Returns the seed of IDs and automatic certificates, or null if the authority uses its own keys. */
  const findSeed = () => (options.authorityKeys === 'test' ? engine.state.origin.seed : null)
  const journal = new Journal({ size, bytes, dialect, secretNames, ownKeys })
  return {
    options,
    table,
    router: table.router,
    dialect,
    ownKeys,
    secretNames,
    requestRules: table.requestRules,
    isValidKey: createKeyCheck(keys, table.keyRules, () => engine.state.records),
    engine,
    boundary,
    baseline,
    snapshots,
    upstreams,
    hooks,
    journal,
    controlLog: new ControlLog({
      journal,
      size,
      secretNames,
      options: listRepeatable(rawOptions),
      own: table.ownOperations,
      captureState(most) {
        const listRecords = engine.state.captureRecords(most)
        const rateLimit = rateLimiter?.times ?? []
        const facts = { now: engine.lastNow, seed: findSeed(), sequence: engine.state.records.sequence, rateLimit }
        return listRecords && (() => ({ version: RECORDS_VERSION, ...facts, records: listRecords() }))
      },
    }),
    rateLimiter,
    findSeed,
  }
}
