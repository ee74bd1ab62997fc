import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createGateway, manualClock, type Store, type StoredCommit } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { checkAsync } from '../../support/property.ts'
import { describeSqlite, newFile } from '../../support/sqlite.ts'

/** Returns the state that a store loads as a text, with its records sorted. */
function loadAsText(store: Store): string {
  const state = store.load()
  if (!state) return 'nothing'
  const { records, version, seed, now, sequence, operations } = state
  const rows = [...records].map(({ collection, key, record }) => JSON.stringify([collection, key, record]))
  return JSON.stringify([{ version, seed, now, sequence, operations }, rows.sort()])
}

/** Writes commits, each flushed separately. Returns the file, and the states after each number of commits. */
async function writeLog(actionIndexes: readonly number[]) {
  const file = newFile()
  const store = sqliteStore(file)
  onTestFinished(() => store.close())
  const commits: StoredCommit[] = []
  const recordingStore = {
    ...store,
    append(commit: StoredCommit) {
      store.append(commit)
      commits.push(JSON.parse(JSON.stringify(commit)))
    },
  }
  const gateway = createGateway({ store: recordingStore, clock: manualClock(CLOCK_START), authorityKeys: 'fresh' })
  const actions = [
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
  for (const index of actionIndexes) {
    actions[index]?.()
    await store.flushed()
  }
  const states = ['nothing', ...commits.map((_, n) => loadAsText(memoryStore(commits.slice(0, n + 1))))]
  return { file, states }
}

/** Copies a file, and its log up to an offset, followed by other bytes. */
function cutLog(file: string, at: number, rest: Buffer, name: string): string {
  const copy = join(dirname(file), name)
  copyFileSync(file, copy)
  writeFileSync(`${copy}-wal`, Buffer.concat([readFileSync(`${file}-wal`).subarray(0, at), rest]))
  return copy
}

describeSqlite('A SQLite file whose log was cut anywhere', () => {
  it('opens with its first commits, each complete: more of them, the later the cut (rules: stores#sqlite-files)', async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 })
    const garbage = fc.uint8Array({ maxLength: 5000 })
    const actionLists = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 })
    await checkAsync(
      fc.asyncProperty(actionLists, cuts, garbage, async (actionIndexes, places, rest) => {
        const { file, states } = await writeLog(actionIndexes)
        const { size } = statSync(`${file}-wal`)
        let minimum = 0
        for (const [n, place] of [...places, 1].sort((a, b) => a - b).entries()) {
          const at = Math.floor(place * size)
          const store = sqliteStore(cutLog(file, at, Buffer.from(rest), `${n}.db`))
          try {
            const found = states.indexOf(loadAsText(store), minimum)
            expect(found, `cut at ${at} of ${size}`).toBeGreaterThanOrEqual(minimum)
            minimum = found
          } finally {
            store.close()
          }
        }
        expect(states[minimum]).toBe(states.at(-1))
      }),
      { numRuns: 12 },
    )
  })
})
