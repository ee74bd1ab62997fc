import { expect, test } from 'vitest'
import { EngineState } from '../../../src/core/engine/engine-state.ts'
import { PublicRecords } from '../../../src/core/engine/public-records.ts'
import { OpenTransaction } from '../../../src/core/engine/transactions.ts'
import type { Collection } from '../../../src/core/operation/collection.ts'
import { NO_REDACTION } from '../../../src/core/schema/secret-texts.ts'
import { standard } from '../../../src/index.ts'
import { type Item, items } from './items.ts'

const others: Collection<Item> = { ...items, name: 'others' }

/** Opens a state with two collections. `read` derives a value that ends at 20, and returns how often it was read. */
function openDerived(sources?: readonly string[]) {
  // The state of any family is one of objects.
  const collections = [items, others] as unknown as Collection<object>[]
  const state = EngineState.initial({
    dialect: standard,
    ruleOptions: {},
    seed: 'x',
    authorityFor: () => ({ certificatePem: '' }),
    url: 'https://example.com',
    families: [{ operations: {}, errors: {}, collections }],
    publicRecords: new PublicRecords(NO_REDACTION),
  })
  const key = {}
  let reads = 0
  const readAt = (now: number, each: object = key) =>
    state.derive(new OpenTransaction(state, now), each, () => ({ value: ++reads, until: 20 }), sources)
  const put = (collection: Collection<Item>, id: string) =>
    state.records.change(collection, id, { id, color: null, tags: [], due: null })
  return { readAt, put }
}

test('A derived value is read again when its time has come, and when the clock was set back', () => {
  const { readAt } = openDerived()
  expect([10, 11, 19, 10, 20, 20, 9, 10].map((now) => readAt(now))).toEqual([1, 1, 1, 1, 2, 3, 4, 4])
})

test('A derived value is read again when a record of its sources changes, or any record without sources', () => {
  const some = openDerived(['items'])
  expect([some.readAt(1), some.put(others, 'a') && some.readAt(1), some.put(items, 'a') && some.readAt(1)]).toEqual([
    1, 1, 2,
  ])
  const any = openDerived()
  expect([any.readAt(1), any.put(others, 'a') && any.readAt(1), any.put(items, 'a') && any.readAt(1)]).toEqual([
    1, 2, 3,
  ])
  const both = openDerived(['items', 'others'])
  expect([both.readAt(1), both.put(others, 'a') && both.readAt(1), both.put(items, 'a') && both.readAt(1)]).toEqual([
    1, 2, 3,
  ])
})

test('Each key has its own derived value', () => {
  const { readAt } = openDerived()
  const other = {}
  expect([readAt(1), readAt(1, other), readAt(1), readAt(1, other)]).toEqual([1, 2, 1, 2])
})
