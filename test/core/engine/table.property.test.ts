import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedList } from '../../../src/core/engine/sorted-list.ts'
import { Table } from '../../../src/core/engine/table.ts'
import { check } from '../../support/property.ts'
import { type Item, items } from './items.ts'

const record = fc.record({
  id: fc.nat({ max: 30 }).map((n) => `i${String(n).padStart(2, '0')}`),
  color: fc.constantFrom('red', 'green', null),
  tags: fc.subarray(['a', 'b', 'c']),
})

describe('A table', () => {
  it('finds records by key and by every index, oldest key first, as a plain list would', () => {
    const step = fc.record({ record, isRemoval: fc.boolean() })
    check(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = new Table(items)
        const model = new Map<string, Item>()
        for (const { record: fields, isRemoval } of steps) {
          const item = { ...fields, due: null }
          expect(table.replace(item.id, isRemoval ? undefined : item)).toEqual(model.get(item.id))
          if (isRemoval) model.delete(item.id)
          else model.set(item.id, item)
          const sorted = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
          expect(table.size).toBe(sorted.length)
          expect([...table.newestFirst()]).toEqual([...sorted].reverse())
          expect(table.get(item.id)).toBe(model.get(item.id))
          for (const color of ['red', 'green']) {
            const matches = sorted.filter((each) => each.color === color)
            expect(table.findAll('color', color)).toEqual(matches)
            expect(table.find('color', color)).toBe(matches[0])
          }
          for (const tag of ['a', 'b', 'c', 'd']) {
            expect(table.findAll('tag', tag)).toEqual(sorted.filter((each) => each.tags.includes(tag)))
          }
        }
        expect(() => table.find('colour', 'red')).toThrow('has no index "colour". Its indexes: color, tag.')
      }),
    )
  })

  it('continues from a cursor, newest first, whether the record of the cursor is still there or not', () => {
    const id = fc.nat({ max: 99 }).map((n) => `i${String(n).padStart(2, '0')}`)
    check(
      fc.property(fc.uniqueArray(id), fc.array(id), id, fc.integer({ min: 1, max: 5 }), (ids, cut, start, size) => {
        const table = new Table(items)
        for (const each of ids) table.replace(each, { id: each, color: null, tags: [], due: null })
        for (const each of cut) table.replace(each, undefined)
        const remainingIds = ids.filter((each) => !cut.includes(each)).sort()
        expect([...table.newestFirst(start)].map((each) => each.id)).toEqual(
          remainingIds.filter((each) => each < start).reverse(),
        )
        // New records come before every cursor, so no later page shows them.
        const readIds: string[] = []
        for (let cursor: string | undefined, page = ['']; page.length > 0; cursor = page.at(-1)) {
          page = []
          for (const each of table.newestFirst(cursor)) if (page.push(each.id) === size) break
          readIds.push(...page)
          table.replace(`j${readIds.length}`, { id: `j${readIds.length}`, color: null, tags: [], due: null })
          if (page.length > 0) table.replace(page.at(-1) as string, undefined)
        }
        expect(readIds).toEqual([...remainingIds].reverse())
      }),
    )
  })
})

describe('A sorted list', () => {
  it('can be read downwards from any item, also after chunks split and vanish', () => {
    const keys = fc.nat({ max: 30 }).map((n) => `k${String(n).padStart(2, '0')}`)
    const step = fc.record({ key: keys, isDeletion: fc.boolean(), from: fc.option(keys, { nil: undefined }) })
    check(
      fc.property(fc.constantFrom(2, 4, 8), fc.array(step, { maxLength: 80 }), (maxSize, steps) => {
        const sorted = new SortedList<string>((a, b) => a < b, maxSize)
        const model = new Set<string>()
        for (const { key: each, isDeletion, from } of steps) {
          if (isDeletion) {
            sorted.delete(each)
            model.delete(each)
          } else {
            sorted.add(each)
            model.add(each)
          }
          const below = [...model].filter((other) => from === undefined || other < from)
          expect([...sorted.descending(from)]).toEqual(below.sort().reverse())
          expect([sorted.first, sorted.has(each)]).toEqual([[...model].sort()[0], !isDeletion])
        }
      }),
    )
  })
})
