import type { ControlHost, DropHooks } from '../control/control.ts'
import { createSnapshot } from '../control/snapshot.ts'
import { isManual } from '../engine/clock.ts'
import { refuseAsFailed } from '../engine/persistence/persistence.ts'
import { OtherRequests } from '../journal/other-requests.ts'
import { secretTexts, withoutSecrets } from '../schema/secret-texts.ts'
import { nearMiss } from './near-miss.ts'
import type { Parts } from './parts.ts'

export function createControlHost(parts: Parts, begin: () => void): ControlHost {
  const { table, engine, options, ownKeys, journal, rateLimiter, baseline, snapshots, hooks } = parts
  const { api, readSnapshot } = table
  const { clock, authorityKeys, dialect, keys, families = {} } = options
  const otherRequests = new OtherRequests((url) => nearMiss(url, engine.url, dialect))
  const drop: NonNullable<DropHooks['drop']> = (call, work) => (hooks.drop ? hooks.drop(call, work) : work())
  const clearRequests = () => {
    journal.clear()
    otherRequests.clear()
  }
  return {
    api,
    clock,
    engine,
    context: engine.context,
    journal,
    otherRequests,
    leftovers: () => baseline.leftovers(engine, table.families),
    withoutKeys: (text) => withoutSecrets(text, secretTexts(ownKeys)),
    dialect,
    families,
    describer: undefined,
    snapshots,
    hasKeys: keys !== undefined,
    transact: (work) => engine.transact(work),
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
      const { now, sequence, records, stored: kept } = engine.exportRecords(withPrivateKeys)
      const seed = authorityKeys === 'test' ? engine.state.origin.seed : null
      return createSnapshot({ now, seed, sequence, rateLimit: rateLimiter?.times ?? [], records }, kept)
    },
    restore: (value) =>
      drop('restore()', () => {
        const snapshot = readSnapshot(value, engine.context)
        engine.restore(snapshot, () => isManual(clock) && clock.set(snapshot.now))
        if (rateLimiter) rateLimiter.times = snapshot.rateLimit
      }),
  }
}
