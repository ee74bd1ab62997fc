import type { ControlHost, DropHooks } from '../control/control.ts'
import type { SavedSnapshots } from '../control/saved-snapshots.ts'
import { snapshotOf } from '../control/snapshot.ts'
import type { Leftover } from '../direct/initial.ts'
import { isManual } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import { refuseAsFailed } from '../engine/persistence.ts'
import type { RateLimiter } from '../engine/rate-limiter.ts'
import type { Journal } from '../journal/journal.ts'
import { OtherRequests } from '../journal/other-requests.ts'
import { secretTexts, withoutSecrets } from '../schema/secret-texts.ts'
import type { Table } from '../table.ts'
import { nearMiss } from './near-miss.ts'
import type { ReadOptions } from './options.ts'

interface Parts {
  readonly table: Table
  readonly engine: Engine
  readonly options: ReadOptions
  /** API keys and control key, which no text shows. */
  readonly ownKeys: readonly string[]
  readonly journal: Journal
  readonly rateLimiter: RateLimiter | undefined
  readonly snapshots: SavedSnapshots
  readonly hooks: DropHooks
  begin(): void
  leftovers(): readonly Leftover[]
}

export function hostOf({
  table,
  engine,
  options,
  ownKeys,
  journal,
  rateLimiter,
  begin,
  leftovers,
  snapshots,
  hooks,
}: Parts): ControlHost {
  const { api, readSnapshot } = table
  const { clock, authorityKeys, dialect, keys, families = {} } = options
  const others = new OtherRequests((url) => nearMiss(url, engine.url, dialect))
  const drop: NonNullable<DropHooks['drop']> = (call, work) => (hooks.drop ? hooks.drop(call, work) : work())
  const clearRequests = () => {
    journal.clear()
    others.clear()
  }
  return {
    api,
    clock,
    context: engine.context,
    journal,
    others,
    leftovers,
    withoutKeys: (text) => withoutSecrets(text, secretTexts(ownKeys)),
    authority: () => engine.authority,
    dialect,
    families,
    url: () => engine.url,
    describer: undefined,
    now: () => engine.now,
    findAll: (collection, index, value) => engine.findAll(collection, index, value),
    nextDue: () => engine.nextDue,
    waiting: () => engine.waiting,
    snapshots,
    hasKeys: keys !== undefined,
    transact: (work) => engine.transact(work),
    moved: (move, isOver) => engine.moved(move, isOver),
    async safe() {
      await engine.safe?.catch(refuseAsFailed)
    },
    clearRequests: () => drop('requests.clear()', clearRequests),
    reset: () =>
      drop('reset()', () => {
        engine.reset(() => {
          if (isManual(clock)) clock.reset()
          begin()
        })
        clearRequests()
        if (rateLimiter) rateLimiter.times = []
      }),
    snapshot(withPrivateKeys) {
      const { now, sequence, records, kept } = engine.state(withPrivateKeys)
      const seed = authorityKeys === 'test' ? engine.seed : null
      return snapshotOf({ now, seed, sequence, rateLimit: rateLimiter?.times ?? [], records }, kept)
    },
    restore: (value) =>
      drop('restore()', () => {
        const snapshot = readSnapshot(value, engine.context)
        engine.restore(snapshot, () => isManual(clock) && clock.set(snapshot.now))
        if (rateLimiter) rateLimiter.times = snapshot.rateLimit
      }),
  }
}
