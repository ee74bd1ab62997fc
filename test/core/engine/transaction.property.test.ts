import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EngineState } from '../../../src/core/engine/engine-state.ts'
import { createIds } from '../../../src/core/engine/ids.ts'
import { PublicRecords } from '../../../src/core/engine/public-records.ts'
import { createRandomSource } from '../../../src/core/engine/random.ts'
import { OpenTransaction } from '../../../src/core/engine/transactions.ts'
import type { Collection } from '../../../src/core/operation/collection.ts'
import { NO_REDACTION } from '../../../src/core/schema/secret-texts.ts'
import { standard } from '../../../src/index.ts'
import { check } from '../../support/property.ts'
import { type Item, items } from './items.ts'

/** Few keys, so that several steps of a transaction change the same record. */
const id = fc.constantFrom('a', 'b', 'c', 'd')

const step = fc.oneof(
  fc.record({ does: fc.constant('put' as const), id, color: fc.constantFrom('red', 'green', null) }),
  fc.record({ does: fc.constant('remove' as const), id }),
  fc.record({ does: fc.constantFrom('newId' as const, 'nextOrder' as const, 'randomLabel' as const) }),
)

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

const createState = (): EngineState =>
  EngineState.initial({
    dialect: standard,
    ruleOptions: {},
    seed: 'x',
    authorityFor: () => ({ certificatePem: '' }),
    url: 'https://example.com',
    families: [{ operations: {}, errors: {}, collections: [items as unknown as Collection<object>] }],
    publicRecords: new PublicRecords(NO_REDACTION),
  })

/** Takes a step. Returns the text or number that it drew. */
function takeStep(tx: OpenTransaction, each: Step): string | number | undefined {
  switch (each.does) {
    case 'put':
      tx.put(items, { id: each.id, color: each.color, tags: [], due: { at: tx.now, order: tx.nextOrder() } })
      return undefined
    case 'remove': {
      const record = tx.get(items, each.id)
      if (record) tx.remove(items, record)
      return undefined
    }
    case 'newId':
      return tx.newId('x')
    case 'nextOrder':
      return tx.nextOrder()
    case 'randomLabel':
      return tx.randomLabel(8)
  }
}

/** Returns the first event of an agenda. */
function dueIn({ agenda }: EngineState['records']) {
  return [agenda.first?.due, agenda.first?.key]
}

describe('A transaction', () => {
  it('draws ids, labels and integers from separate streams, with one shared counter', () => {
    const tx = new OpenTransaction(createState(), 1)
    const { id, label, integer } = createIds(createRandomSource('x'))
    expect([tx.newId('a'), tx.randomLabel(9), tx.randomInteger(1000), tx.nextOrder(), tx.newId('a')]).toEqual([
      id('a', 'ids', 0),
      label(9, 'labels', 1),
      integer(1000, 'integers', 2),
      3,
      id('a', 'ids', 4),
    ])
  })

  it('sees its own changes at once, and lists them in order with the records before and after', () => {
    check(
      fc.property(fc.array(step), fc.array(step), (earlier, steps) => {
        const base = createState()
        const before = new OpenTransaction(base, 1)
        for (const each of earlier) takeStep(before, each)
        const model = new Map<string, Item>()
        for (const each of base.records.table(items).newestFirst()) model.set(each.id, each)
        const start = new Map(model)
        const tx = new OpenTransaction(base, 2)
        for (const each of steps) {
          takeStep(tx, each)
          if (each.does === 'remove') model.delete(each.id)
          if (each.does === 'put') model.set(each.id, tx.get(items, each.id) as Item)
          expect([...tx.newestFirst(items)].map((one) => one.id)).toEqual([...model.keys()].sort().reverse())
          expect(tx.count(items)).toBe(model.size)
          const red = [...model.values()].filter(({ color }) => color === 'red').map((one) => one.id)
          expect(tx.find(items, 'color', 'red')?.id).toBe(red.sort()[0])
        }
        // The changes, applied to the records before them, give the same records.
        for (const { key, before: old, after } of tx.changes) {
          expect(start.get(key)).toBe(old)
          if (after) start.set(key, after as Item)
          else start.delete(key)
        }
        expect(start).toEqual(model)
      }),
    )
  })

  it('that is undone leaves records, indexes, events and numbers unchanged, and the next one draws the same', () => {
    check(
      fc.property(fc.array(step), fc.array(step), (earlier, steps) => {
        const [usedState, unusedState] = [createState(), createState()]
        for (const base of [usedState, unusedState]) {
          const tx = new OpenTransaction(base, 1)
          for (const each of earlier) takeStep(tx, each)
        }
        const undoneTransaction = new OpenTransaction(usedState, 2)
        for (const each of steps) takeStep(undoneTransaction, each)
        undoneTransaction.undo()
        // Before the same steps are taken again, which would hide what is left of them.
        const [left, none] = [usedState, unusedState].map(({ records }) => ({
          records: [...records.table(items).newestFirst()],
          red: records.table(items).findAll('color', 'red'),
          due: dueIn(records),
        }))
        expect(left).toEqual(none)
        const [actual, expected] = [usedState, unusedState].map((base) => {
          const tx = new OpenTransaction(base, 3)
          const draws = steps.map((each) => takeStep(tx, each))
          const { records } = base
          const red = records.table(items).findAll('color', 'red')
          return {
            draws,
            red,
            records: [...records.table(items).newestFirst()],
            sequence: records.sequence,
            due: dueIn(records),
          }
        })
        expect(actual).toEqual(expected)
      }),
    )
  })
})
