import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Records } from '../../../src/core/engine/records.ts'
import type { Collection } from '../../../src/core/operation/collection.ts'
import { check } from '../../support/property.ts'
import { type Item, items } from './items.ts'

it('The agenda has the event of each record, in the order of time, then of scheduling, after any changes', () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    at: fc.option(fc.nat({ max: 3 })),
    order: fc.nat({ max: 3 }),
    isRemoval: fc.boolean(),
  })
  check(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const records = new Records([{ collections: [items as unknown as Collection<object>] }])
      const model = new Map<string, Item>()
      for (const { id, at, order, isRemoval } of steps) {
        const item = { id, color: null, tags: [], due: at === null ? null : { at, order } }
        records.change(items, id, isRemoval ? undefined : item)
        if (isRemoval) model.delete(id)
        else model.set(id, item)
      }
      const due = [...model.values()].flatMap(({ id, due }) => (due ? [{ id, ...due }] : []))
      due.sort((a, b) => a.at - b.at || a.order - b.order || (a.id < b.id ? -1 : 1))
      const events: object[] = []
      for (let first = records.agenda.first; first; first = records.agenda.first) {
        events.push({ id: first.key, ...first.due })
        records.change(items, first.key, undefined)
      }
      expect(events).toEqual(due)
    }),
  )
})
