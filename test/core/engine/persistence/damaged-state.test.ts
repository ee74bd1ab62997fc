import { describe, expect, test } from 'vitest'
import { createGateway, manualClock, type Store, type StoredState } from '../../../../src/index.ts'
import { CLOCK_START } from '../../../support/clock.ts'
import { memoryStore } from '../../../support/memory-store.ts'

/** Returns the state of a store with one address, and the function that opens a gateway on a changed copy. */
function openStored() {
  const store = memoryStore()
  const gateway = createGateway({ store, seed: 'x', clock: manualClock(CLOCK_START) })
  const { id } = gateway.reservedAddrs.create()
  gateway.dispose()
  const stored = JSON.parse(JSON.stringify(store.load())) as StoredState
  let appended = 0
  const open = (changes: object) => {
    const damaged: Store = { load: () => ({ ...stored, ...changes }), append: () => void appended++ }
    return createGateway({ store: damaged, clock: manualClock(CLOCK_START) })
  }
  return { id, stored, open, appended: () => appended }
}

describe('A store with a damaged state is rejected by the name of what is damaged, and stays unchanged (rules: stores#damage)', () => {
  test.each<[changes: object, message: string]>([
    [{ sequence: -1 }, 'The store is damaged: sequence: it is -1'],
    [{ sequence: 1.5 }, 'The store is damaged: sequence: it is 1.5'],
    [{ operations: -1 }, 'The store is damaged: operations: it is -1'],
    [{ operations: '7' }, 'The store is damaged: operations: it is "7"'],
    [{ now: -1 }, 'The store is damaged: its time: it is -1'],
    [{ now: 253_402_300_799_001 }, 'The store is damaged: its time: it is 253402300799001'],
    [{ now: null }, 'The store is damaged: its time: it is null'],
  ])('%j', (changes, message) => {
    const { open, appended } = openStored()
    expect(() => open(changes)).toThrow(new Error(message))
    expect(appended()).toBe(0)
  })

  test('a record under the key of another one, and a record that its schema rejects', () => {
    const { id, stored, open, appended } = openStored()
    const [record] = [...stored.records].filter(({ collection }) => collection === 'reserved_addrs')
    const openWith = (change: object) => () => open({ records: [{ ...record, ...change }] })
    expect(openWith({ key: 'ra_other' })).toThrow(
      `The store is damaged: the record "ra_other" of reserved_addrs: its fields give the key "${id}"`,
    )
    expect(openWith({ record: { ...record?.record, region: 7 } })).toThrow(
      new RegExp(`^The store is damaged: the record "${id}" of reserved_addrs: .*region`),
    )
    expect(openWith({ record: 7 })).toThrow(
      `The store is damaged: the record "${id}" of reserved_addrs: the record is 7.`,
    )
    expect(appended()).toBe(0)
  })

  test('the first and the last time that a store can have are read', () => {
    const { open } = openStored()
    for (const now of [0, 253_402_300_799_000]) expect(open({ now, records: [] }).clock.now).toBe(now)
  })
})
