import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway, manualClock, sqlStore } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/server/node.ts'
import { nodeSqlite } from '../../../src/server/sqlite/sqlite-file.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { createFullGateway } from '../../support/full-gateway.ts'
import { stateWithSecretsOf } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'
import { describeSqlite, memoryDatabase, newFile } from '../../support/sqlite.ts'

function readState(file: string) {
  const store = sqliteStore(file)
  try {
    return stateWithSecretsOf(createGateway({ store, clock: manualClock(CLOCK_START) }))
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
  it('that was cut to 0 bytes is a new store (rules: stores#damage)', async () => {
    const { file } = await createFullFile()
    const listAddresses = () => {
      const store = sqliteStore(file)
      const { reserved_addrs } = createGateway({ store, clock: manualClock(CLOCK_START) }).reservedAddrs.list()
      store.close()
      return reserved_addrs
    }
    expect(listAddresses()).not.toEqual([])
    writeFileSync(file, '')
    expect(listAddresses()).toEqual([])
  })

  it.each([1, 2, 99, 100, 101, 512, 5000])(
    'that has %d bytes of something else is rejected, and stays unchanged (rules: stores#damage)',
    (length) => {
      const file = newFile()
      const bytes = Buffer.alloc(length, 'S')
      writeFileSync(file, bytes)
      expect(() => readState(file)).toThrow(`The store ${file} cannot be opened: file is not a database.`)
      expect(readFileSync(file)).toEqual(bytes)
      expect(readdirSync(dirname(file))).toEqual(['gateway.db'])
    },
  )

  it('opens with its content, or is rejected with an error and stays unchanged (rules: stores#damage)', async () => {
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
  ])('is rejected with an error: %s', async (_what, sql) => {
    const { file } = await createFullFile()
    damageFile(file, sql)
    expect(() => readState(file)).toThrow(/^The store .*(damaged|read)/)
  })
})

const LOOP = 'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS version FROM n'
const COLUMNS = '(version INTEGER NOT NULL)'

describeSqlite(
  'A SQLite file whose tables are not those of a store is rejected in words, and stays unchanged (rules: stores#damage):',
  () => {
    it.each([
      ['without its facts', 'DELETE FROM fauxgate_facts', 'it contains records, but its row of facts is missing'],
      ['without its records', 'DELETE FROM fauxgate_records', 'a record is missing or extra'],
      ['without the table of facts', 'DROP TABLE fauxgate_facts', 'the table fauxgate_facts is missing'],
      ['without the table of records', 'DROP TABLE fauxgate_records', 'the table fauxgate_records is missing'],
      ['without the table of versions', 'DROP TABLE fauxgate_schema', 'the table fauxgate_schema is missing'],
      [
        'without a version',
        'DELETE FROM fauxgate_schema',
        'the version of its tables is missing or not a whole number',
      ],
      [
        'with two versions',
        'INSERT INTO fauxgate_schema VALUES (2)',
        'the version of its tables is missing or not a whole number',
      ],
      [
        'with the version 0',
        'UPDATE fauxgate_schema SET version = 0',
        'the version of its tables is missing or not a whole number',
      ],
      [
        'with the version before',
        'UPDATE fauxgate_schema SET version = 1',
        'the table fauxgate_facts does not have the columns of a store',
      ],
      [
        'with a column more',
        'ALTER TABLE fauxgate_records ADD COLUMN note TEXT',
        'the table fauxgate_records does not have the columns of a store',
      ],
      [
        'with a column less',
        'ALTER TABLE fauxgate_facts DROP COLUMN records',
        'the table fauxgate_facts does not have the columns of a store',
      ],
      [
        'with an endless view as facts',
        `DROP TABLE fauxgate_facts; CREATE VIEW fauxgate_facts AS ${LOOP}`,
        'it contains the view "fauxgate_facts", which is not part of a store',
      ],
      [
        'with an endless view as versions',
        `DROP TABLE fauxgate_schema; CREATE VIEW FAUXGATE_Schema AS ${LOOP}`,
        'it contains the view "FAUXGATE_Schema", which is not part of a store',
      ],
      [
        'with an endless view as a copy',
        `CREATE VIEW fauxgate_facts_before AS ${LOOP}`,
        'it contains the view "fauxgate_facts_before", which is not part of a store',
      ],
      [
        'with a trigger',
        'CREATE TRIGGER t AFTER INSERT ON fauxgate_records BEGIN DELETE FROM fauxgate_facts; END',
        'it contains the trigger "t", which is not part of a store',
      ],
      [
        'with an index',
        'CREATE UNIQUE INDEX i ON fauxgate_records (record)',
        'it contains the index "i", which is not part of a store',
      ],
      [
        'with a table like its own',
        'CREATE TABLE fauxgate_else (x)',
        'it contains the table "fauxgate_else", which is not part of a store',
      ],
      [
        'with a table of another program',
        'CREATE TABLE users (name TEXT)',
        'it contains the table "users", so it belongs to another program',
      ],
      [
        'with a table whose name controls a terminal',
        'CREATE TABLE "\u001b[2J" (x)',
        'it contains the table "\\u001b[2J", so it belongs to another program',
      ],
    ])('%s', async (_what, sql, problem) => {
      const { file } = await createFullFile()
      damageFile(file, sql)
      const bytes = readFileSync(file)
      expect(() => readState(file)).toThrow(problem)
      expect(readFileSync(file)).toEqual(bytes)
      expect(readdirSync(dirname(file))).toEqual(['gateway.db'])
    })

    it.each([
      ['a table of facts alone', `CREATE TABLE fauxgate_facts ${COLUMNS}`, 'the table fauxgate_schema is missing'],
      [
        'a database of another program',
        'CREATE TABLE a (x); CREATE TABLE b (x)',
        'it contains the table "a" and 1 more, so it belongs to another program',
      ],
      [
        'an endless view alone',
        `CREATE VIEW fauxgate_schema AS ${LOOP}`,
        'it contains the view "fauxgate_schema", which is not part of a store',
      ],
    ])('%s', (_what, sql, problem) => {
      const file = newFile()
      damageFile(file, sql)
      const bytes = readFileSync(file)
      expect(() => readState(file)).toThrow(problem)
      expect(readFileSync(file)).toEqual(bytes)
    })

    it('and a store on a database with tables of its own opens beside them', () => {
      const database = memoryDatabase()
      database.exec('CREATE TABLE users (name TEXT); CREATE VIEW names AS SELECT name FROM users')
      const store = sqlStore(
        (text, ...values) => database.prepare(text).all(...values),
        (work) => work(),
      )
      const first = createGateway({ store })
      first.reservedAddrs.create()
      first.dispose()
      expect(createGateway({ store }).reservedAddrs.list().reserved_addrs).toHaveLength(1)
    })
  },
)

describeSqlite('A SQLite file that was copied while a gateway had it open (rules: stores#damage)', () => {
  async function copyOpenFile(...ends: string[]) {
    const [file, copy] = [newFile(), newFile()]
    const store = sqliteStore(file)
    const gateway = createGateway({ store })
    gateway.reservedAddrs.create()
    await store.flushed()
    for (const end of ends) copyFileSync(file + end, copy + end)
    store.close()
    return { file, copy }
  }

  it('is rejected by its name if its log is missing, and stays unchanged', async () => {
    const { file, copy } = await copyOpenFile('')
    const bytes = readFileSync(copy)
    expect(() => sqliteStore(copy)).toThrow(
      `The store ${copy} cannot be opened: it was copied while a gateway had it open, and its log gateway.db-wal, which contains the newest changes, is missing.`,
    )
    expect(readFileSync(copy)).toEqual(bytes)
    expect(readState(file)).toContain('"ra_')
  })

  it('opens with its log', async () => {
    const { file, copy } = await copyOpenFile('', '-wal')
    expect(readState(copy)).toBe(readState(file))
  })

  it('opens if the copy was made after the store was closed', async () => {
    const { file } = await copyOpenFile('')
    const copy = newFile()
    copyFileSync(file, copy)
    expect(readState(copy)).toBe(readState(file))
  })
})
