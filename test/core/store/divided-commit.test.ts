import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createGateway, manualClock } from '../../../src/index.ts'
import type { ObjectStorage } from '../../../src/sandbox/objects.ts'
import { Parts, Turns } from '../../../src/sandbox/parts.ts'
import { limitedStore } from '../../../src/sandbox/store.ts'
import { controlClient } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { ECDSA } from '../../support/provisioning.ts'
import { createTransaction } from '../../support/sandbox-store.ts'
import { describeSqlite, memoryDatabase } from '../../support/sqlite.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const DOMAINS = 1200
const LIMITS = { records: 10_000, bytes: 100_000_000 }

/** Opens a gateway with many domains, in the storage of an object. `fails` decides whether a statement fails. */
function open(fails = () => false) {
  const database = memoryDatabase()
  const seen = { transactions: 0, isInTransaction: false }
  let isMoving = false
  const storage = {
    sql: {
      exec: (statement: string, ...values: never[]) => {
        if (seen.isInTransaction && fails()) throw new Error('the disk is full')
        return database.prepare(statement).all(...values)
      },
      databaseSize: 0,
    },
    transactionSync: createTransaction(database),
    async transaction(work: () => Promise<void>) {
      seen.transactions++
      seen.isInTransaction = true
      database.exec('BEGIN')
      try {
        await work()
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      } finally {
        seen.isInTransaction = false
      }
    },
  } as unknown as ObjectStorage // A store uses no other parts of the storage.
  const parts = new Parts(new Turns())
  const load = () => {
    const store = limitedStore(storage, LIMITS, () => (isMoving ? parts : undefined))
    return createGateway({ clock: manualClock(CLOCK_START), seed: 'divided', store })
  }
  const gateway = load()
  gateway.restore(largeSnapshot)
  gateway.transport.hooks.moveParts = parts
  /** Moves the clock over HTTP, and counts the pauses within the transaction. */
  const move = async () => {
    let isOver = false
    const answer = controlClient(gateway)('POST', '/clock', { advance: '1h' }).finally(() => {
      isOver = true
    })
    isMoving = true
    let pauses = 0
    for (; !isOver; await vi.advanceTimersByTimeAsync(10)) if (seen.isInTransaction) pauses++
    parts.finish()
    isMoving = false
    return { pauses, answer: await answer }
  }
  const reload = () => {
    gateway.dispose()
    return load()
  }
  return { gateway, seen, move, reload }
}

function createLargeSnapshot() {
  const local = createGateway({ clock: manualClock(CLOCK_START), seed: 'divided' })
  for (let n = 0; n < DOMAINS; n++)
    local.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy: ECDSA })
  return local.snapshot()
}
const largeSnapshot = createLargeSnapshot()

// rules: sandboxes#shared-threads
describeSqlite('The commit of a long move', () => {
  it('pauses within its one transaction, its response waits for the whole, and the store has it afterwards', async () => {
    const { gateway, seen, move, reload } = open()
    const { pauses, answer } = await move()
    expect([answer.status, seen.transactions]).toEqual([200, 1])
    // Each domain has a certificate, and a part has at most 1,000 records.
    expect(pauses).toBeGreaterThanOrEqual(Math.floor((2 * DOMAINS) / 1000))
    const after = gateway.snapshot()
    expect(reload().snapshot()).toEqual(after)
  })

  it('has no effect if its last part fails, and the next move succeeds', async () => {
    let statements = 0
    let isFull = true
    const { gateway, move, reload } = open(() => isFull && ++statements > 4000)
    const before = gateway.snapshot()
    const { pauses, answer } = await move()
    expect([pauses > 0, answer.status, answer.body.msg]).toEqual([
      true,
      507,
      expect.stringContaining('the disk is full'),
    ])
    expect(gateway.snapshot()).toEqual(before)
    isFull = false
    expect((await move()).answer.status).toBe(200)
    const after = gateway.snapshot()
    expect(after).not.toEqual(before)
    expect(reload().snapshot()).toEqual(after)
  })
})
