import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway, manualClock } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import { nodeSqlite } from '../../../src/server/sqlite/sqlite-file.ts'
import { createFullGateway } from '../../support/full-gateway.ts'
import { stateWithSecretsOf } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'
import { NEW_YEAR } from '../../support/provisioning.ts'
import { describeSqlite, newFile } from '../../support/sqlite.ts'

function readState(file: string) {
  const store = sqliteStore(file)
  try {
    return stateWithSecretsOf(createGateway({ store, clock: manualClock(NEW_YEAR) }))
  } finally {
    store.close()
  }
}

async function createFullFile() {
  const file = newFile()
  const store = sqliteStore(file)
  const gateway = await createFullGateway({ store })
  gateway.webhookVerification.replace({ edge_id: 'edghts_9', id: 'edghtsrt_9' }, { provider: 'github', secret: 'hush' })
  await store.flushed()
  store.close()
  return { file, content: readState(file) }
}

/** Damages the file by SQL, so that SQLite does not notice it. */
function damageFile(file: string, sql: string): void {
  const database = nodeSqlite()(file)
  database.exec(sql)
  database.close()
}

describeSqlite('A damaged SQLite file', () => {
  it('opens with its content, or is refused with an error and stays unchanged (rules: stores#damage)', async () => {
    const { file, content } = await createFullFile()
    const bytes = readFileSync(file)
    const place = fc.record({ at: fc.nat({ max: bytes.length - 1 }), mask: fc.integer({ min: 1, max: 255 }) })
    check(
      fc.property(place, ({ at, mask }) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (bytes[at] ?? 0) ^ mask
        writeFileSync(file, damaged)
        let state: string | undefined
        try {
          state = readState(file)
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^The store /) })
          expect(String(error)).not.toContain('hush')
          expect(readFileSync(file).equals(damaged)).toBe(true)
        }
        if (state !== undefined) expect(state).toBe(content)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['another key', `UPDATE fauxgate_records SET key = '"cert_x"' WHERE key = (SELECT MAX(key) FROM fauxgate_records)`],
    ['a record that is no JSON', "UPDATE fauxgate_records SET record = 'hush' || record"],
    ['a missing record', "DELETE FROM fauxgate_records WHERE collection = 'reserved_addrs'"],
    ['another time', 'UPDATE fauxgate_facts SET now = now + 1'],
    ['a number that JavaScript does not have', 'UPDATE fauxgate_facts SET sequence = 9223372036854775807'],
  ])('is refused with an error: %s', async (_what, sql) => {
    const { file } = await createFullFile()
    damageFile(file, sql)
    expect(() => readState(file)).toThrow(/^The store .*(damaged|read)/)
  })
})
