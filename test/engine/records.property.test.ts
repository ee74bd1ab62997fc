import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Records } from '../../src/engine/records.ts'
import type { Collection } from '../../src/operation/collection.ts'
import { check } from '../support/property.ts'
import { type Item, items } from './items.ts'

describe('The records of a gateway', () => {
  it('taken back are as they were, events included, whatever was changed', () => {
    const step = fc.record({
      record: fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), color: fc.constantFrom('red', null) }),
      at: fc.option(fc.nat({ max: 5 })),
      removes: fc.boolean(),
    })
    check(
      fc.property(fc.array(step), fc.array(step), (before, after) => {
        const kept = newRecords()
        const apply = ({ record: { id, color }, at, removes }: (typeof before)[number]) => {
          const due = at === null ? null : { at, order: kept.sequence++ }
          return kept.change(items, id, removes ? undefined : { id, color, tags: [], due })
        }
        for (const each of before) apply(each)
        const records = allOf(kept)
        const twin = newRecords()
        for (const each of records) twin.change(items, each.id, each)
        kept.undo(after.map(apply))
        expect(allOf(kept)).toEqual(records)
        expect(eventsOf(kept)).toEqual(eventsOf(twin))
      }),
    )
  })

  it('keeps the collections of its families and no others', () => {
    expect(() => newRecords().tableNamed('others')).toThrow('No family keeps the collection "others".')
  })
})

/** They know their collections by name; what is in them is theirs to know. */
function newRecords(): Records {
  return new Records([{ collections: [items as unknown as Collection<object>] }])
}

function allOf(kept: Records): Item[] {
  return [...kept.table(items).newestFirst()].reverse()
}

/** What is due, in order; taking an event takes its record's due time away. */
function eventsOf(kept: Records): (readonly [key: string, at: number])[] {
  const seen: (readonly [string, number])[] = []
  for (let first = kept.agenda.first(); first; first = kept.agenda.first()) {
    seen.push([first.entry.key, first.entry.due.at])
    const item = first.record as Item
    kept.change(items, item.id, { ...item, due: null })
  }
  return seen
}
