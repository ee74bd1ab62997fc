import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { sqliteStore } from '../../src/server/node.ts'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { createFullGateway } from '../support/full-gateway.ts'
import { stateWithSecretsOf } from '../support/gateway.ts'
import { check } from '../support/property.ts'
import { NEW_YEAR } from '../support/provisioning.ts'
import { describeSqlite, newFile } from '../support/sqlite.ts'

function readState(file: string) {
  const store = sqliteStore(file)
  try {
    return stateWithSecretsOf(createGateway({ store, clock: manualClock(NEW_YEAR) }))
  } finally {
    store.close()
  }
}

async function furnishedFile() {
  const file = newFile()
  const store = sqliteStore(file)
  const gateway = await createFullGateway({ store })
  gateway.webhookVerification.replace({ edge_id: 'edghts_9', id: 'edghtsrt_9' }, { provider: 'github', secret: 'hush' })
  await store.flushed()
  store.close()
  return { file, content: readState(file) }
}

/** Changes the file by SQL, as damage that SQLite does not see. */
function damageFile(file: string, sql: string): void {
  const database = nodeSqlite()(file)
  database.exec(sql)
  database.close()
}

describeSqlite('A damaged SQLite file', () => {
  it('opens with what was written, or is refused in words, and is left as it is (rules: stores#damage)', async () => {
    const { file, content } = await furnishedFile()
    const bytes = readFileSync(file)
    const place = fc.record({ at: fc.nat({ max: bytes.length - 1 }), mask: fc.integer({ min: 1, max: 255 }) })
    check(
      fc.property(place, ({ at, mask }) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (bytes[at] ?? 0) ^ mask
        writeFileSync(file, damaged)
        let found: string | undefined
        try {
          found = readState(file)
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^The store /) })
          expect(String(error)).not.toContain('hush')
          expect(readFileSync(file).equals(damaged)).toBe(true)
        }
        if (found !== undefined) expect(found).toBe(content)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['another key', `UPDATE fauxgate_records SET key = '"cert_x"' WHERE key = (SELECT MAX(key) FROM fauxgate_records)`],
    ['a record that is no JSON', "UPDATE fauxgate_records SET record = 'hush' || record"],
    ['a record less', "DELETE FROM fauxgate_records WHERE collection = 'reserved_addrs'"],
    ['another time', 'UPDATE fauxgate_facts SET now = now + 1'],
    ['a number that JavaScript does not have', 'UPDATE fauxgate_facts SET sequence = 9223372036854775807'],
  ])('is refused in words: %s', async (_what, sql) => {
    const { file } = await furnishedFile()
    damageFile(file, sql)
    expect(() => readState(file)).toThrow(/^The store .*(damaged|read)/)
  })
})
