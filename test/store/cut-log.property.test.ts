import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createGateway, manualClock, type Store, type StoredCommit } from '../../src/index.ts'
import { sqliteStore } from '../../src/server/node.ts'
import { memoryStore } from '../support/memory-store.ts'
import { checkAsync } from '../support/property.ts'
import { NEW_YEAR } from '../support/provisioning.ts'
import { describeSqlite, newFile } from '../support/sqlite.ts'

/** Returns what a store loads, as a text in an order of its own. */
function loadAsText(store: Store): string {
  const state = store.load()
  if (!state) return 'nothing'
  const { records, version, seed, now, sequence, operations } = state
  const rows = [...records].map(({ collection, key, record }) => JSON.stringify([collection, key, record]))
  return JSON.stringify([{ version, seed, now, sequence, operations }, rows.sort()])
}

/** Has a gateway write some commits, each synced by itself, and copies the file with its log. Returns all that it could hold. */
async function written(deeds: readonly number[]) {
  const file = newFile()
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  const commits: StoredCommit[] = []
  const both = {
    ...store,
    append(commit: StoredCommit) {
      store.append(commit)
      commits.push(JSON.parse(JSON.stringify(commit)))
    },
  }
  const gateway = createGateway({ store: both, clock: manualClock(NEW_YEAR), authorityKeys: 'fresh' })
  const does = [
    () => gateway.reservedAddrs.create({ description: 'x'.repeat(200) }),
    () =>
      gateway.reservedDomains.create({
        domain: `d${commits.length}.example.com`,
        certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
      }),
    // Every domain gets its certificate in one commit.
    () => gateway.clock.advance('30s'),
    () => gateway.reservedAddrs.list().reserved_addrs.map(({ id }) => gateway.reservedAddrs.delete(id)),
    () => gateway.reset(),
  ]
  await store.flushed()
  for (const deed of deeds) {
    does[deed]?.()
    await store.flushed()
  }
  const ends = ['nothing', ...commits.map((_, n) => loadAsText(memoryStore(commits.slice(0, n + 1))))]
  return { file, ends }
}

/** A copy of a file whose log ends early, with something else behind that. */
function cut(file: string, at: number, rest: Buffer, name: string): string {
  const copy = join(dirname(file), name)
  copyFileSync(file, copy)
  writeFileSync(`${copy}-wal`, Buffer.concat([readFileSync(`${file}-wal`).subarray(0, at), rest]))
  return copy
}

describeSqlite('A SQLite file whose log was cut anywhere', () => {
  it('opens with the first so many commits, whole: more of them, the later the cut (rules: stores#sqlite-files)', async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 })
    const torn = fc.uint8Array({ maxLength: 5000 })
    const deeds = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 })
    await checkAsync(
      fc.asyncProperty(deeds, cuts, torn, async (done, places, rest) => {
        const { file, ends } = await written(done)
        const { size } = statSync(`${file}-wal`)
        let least = 0
        for (const [n, place] of [...places, 1].sort((a, b) => a - b).entries()) {
          const at = Math.floor(place * size)
          const store = sqliteStore(cut(file, at, Buffer.from(rest), `${n}.db`))
          try {
            const found = ends.indexOf(loadAsText(store), least)
            expect(found, `cut at ${at} of ${size}`).toBeGreaterThanOrEqual(least)
            least = found
          } finally {
            store.close()
          }
        }
        expect(ends[least]).toBe(ends.at(-1))
      }),
      { numRuns: 12 },
    )
  })
})
