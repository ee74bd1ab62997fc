import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../src/contract/collection.ts'
import { Store } from '../../src/engine/store.ts'
import { check } from '../support/property.ts'
import { type Item, items } from './items.ts'

describe('A store', () => {
  it('taken back is the store as it was, events included, whatever was changed', () => {
    const step = fc.record({
      record: fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), color: fc.constantFrom('red', null) }),
      at: fc.option(fc.nat({ max: 5 })),
      removes: fc.boolean(),
    })
    check(
      fc.property(fc.array(step), fc.array(step), (before, after) => {
        const store = newStore()
        const apply = ({ record: { id, color }, at, removes }: (typeof before)[number]) => {
          const due = at === null ? null : { at, order: store.sequence++ }
          return store.change(items, id, removes ? undefined : { id, color, tags: [], due })
        }
        for (const each of before) apply(each)
        const { records } = store.exported(true)
        const twin = newStore()
        for (const each of records.items as Item[]) twin.change(items, each.id, each)
        store.undo(after.map(apply))
        expect(store.exported(true).records).toEqual(records)
        expect(eventsOf(store)).toEqual(eventsOf(twin))
      }),
    )
  })

  it('keeps the collections of its families and no others', () => {
    const store = newStore()
    expect([store.has('items'), store.has('toString')]).toEqual([true, false])
    expect(() => store.tableNamed('others')).toThrow('No family keeps the collection "others".')
  })
})

/** The store knows its collections by name; what is in them is theirs to know. */
function newStore(): Store {
  return new Store([items] as unknown as Collection<object>[])
}

/** What is due in a store, in order; taking an event takes its record's due time away. */
function eventsOf(store: Store): (readonly [key: string, at: number])[] {
  const seen: (readonly [string, number])[] = []
  for (let first = store.agenda.first(); first; first = store.agenda.first()) {
    seen.push([first.key, first.due.at])
    const item = store.table(items).get(first.key) as Item
    store.change(items, item.id, { ...item, due: null })
  }
  return seen
}
