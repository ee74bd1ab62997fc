import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { type Collection, collection } from '../../src/contract/collection.ts'
import { Agenda, type AgendaEntry } from '../../src/engine/agenda.ts'
import { SortedKeys } from '../../src/engine/sorted-keys.ts'
import { Store } from '../../src/engine/store.ts'
import { Table } from '../../src/engine/table.ts'
import { check } from '../support/property.ts'

interface Item {
  readonly id: string
  readonly color: string | null
  readonly tags: readonly string[]
  readonly due: { at: number; order: number } | null
}

const items: Collection<Item> = collection<Item>({
  name: 'items',
  key: (record) => record.id,
  schema: v.custom<Item>(() => true),
  indexes: { color: (record) => record.color, tag: (record) => record.tags },
  due: (record) => record.due,
})

/** Few keys, so that they meet again; enough of them that a set of sorted keys has many chunks in the long run. */
const key = fc.nat({ max: 2000 }).map((n) => `k${String(n).padStart(4, '0')}`)

describe('Sorted keys', () => {
  it('are walked from any key down, whatever was added and deleted before', () => {
    const step = fc.record({ key, deletes: fc.boolean(), from: fc.option(key, { nil: undefined }) })
    check(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isFull) => {
        const sorted = new SortedKeys()
        const model = new Set<string>()
        const add = (each: string) => {
          sorted.add(each)
          model.add(each)
        }
        if (isFull) for (let n = 0; n < 2000; n += 1) add(`k${String((n * 7) % 2000).padStart(4, '0')}`)
        for (const { key: each, deletes, from } of steps) {
          if (deletes) {
            sorted.delete(each)
            model.delete(each)
          } else add(each)
          const below = [...model]
            .filter((other) => from === undefined || other < from)
            .sort()
            .reverse()
          expect([...sorted.descending(from)]).toEqual(below)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('stay in order when they come in falling order, across chunks', () => {
    const sorted = new SortedKeys()
    const keys = Array.from({ length: 1500 }, (_, n) => `k${String(n).padStart(4, '0')}`)
    for (const each of [...keys].reverse()) sorted.add(each)
    expect([...sorted.descending()]).toEqual([...keys].reverse())
    for (const each of keys.slice(200, 1300)) sorted.delete(each)
    expect([...sorted.descending('k0205')]).toEqual(keys.slice(0, 200).reverse())
    expect([...sorted.descending('k0000')]).toEqual([])
    for (const each of keys) sorted.delete(each)
    expect([...sorted.descending()]).toEqual([])
    sorted.add('k1')
    sorted.add('k1')
    expect([...sorted.descending()]).toEqual(['k1'])
  })
})

const record = fc.record({
  id: fc.nat({ max: 30 }).map((n) => `i${String(n).padStart(2, '0')}`),
  color: fc.constantFrom('red', 'green', null),
  tags: fc.subarray(['a', 'b', 'c']),
})

describe('A table', () => {
  it('finds records by key and by every index, oldest key first, as a plain list would', () => {
    const step = fc.record({ record, removes: fc.boolean() })
    check(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = new Table(items)
        const model = new Map<string, Item>()
        for (const { record: fields, removes } of steps) {
          const item = { ...fields, due: null }
          expect(table.replace(item.id, removes ? undefined : item)).toEqual(model.get(item.id))
          if (removes) model.delete(item.id)
          else model.set(item.id, item)
          const sorted = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
          expect(table.size).toBe(sorted.length)
          expect([...table.newestFirst()]).toEqual([...sorted].reverse())
          expect(table.get(item.id)).toBe(model.get(item.id))
          for (const color of ['red', 'green']) {
            const colored = sorted.filter((each) => each.color === color)
            expect(table.findAll('color', color)).toEqual(colored)
            expect(table.find('color', color)).toBe(colored[0])
          }
          for (const tag of ['a', 'b', 'c', 'd']) {
            expect(table.findAll('tag', tag)).toEqual(sorted.filter((each) => each.tags.includes(tag)))
          }
        }
        expect(table.find('no such index', 'red')).toBeUndefined()
        expect(table.findAll('no such index', 'red')).toEqual([])
      }),
    )
  })

  it('answers what may leave, oldest first and frozen, beside what is kept', () => {
    const hidden: Collection<Item> = {
      ...items,
      exported: (each, withSecrets) => (each.color === null ? null : withSecrets ? each : { id: each.id }),
    }
    const table = new Table(hidden)
    const red = { id: 'a', color: 'red', tags: [], due: null }
    const green = { id: 'b', color: 'green', tags: [], due: null }
    for (const each of [green, red, { ...red, id: 'c', color: null }]) table.replace(each.id, each)
    const { shown, kept } = table.exported(false)
    expect([shown, kept]).toEqual([
      [{ id: 'a' }, { id: 'b' }],
      [red, green],
    ])
    expect(shown.every(Object.isFrozen)).toBe(true)
    expect(table.exported(true).shown).toEqual([red, green])
  })
})

describe('An agenda', () => {
  const entry = (at: number, order: number): AgendaEntry => ({ due: { at, order }, table: 't', key: `${at} ${order}` })

  it('gives what is current in the order of time, then of scheduling', () => {
    const step = fc.record({ at: fc.nat({ max: 9 }), outdates: fc.boolean() })
    check(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const current = new Set<string>()
        const agenda = new Agenda(({ key: each }) => current.has(each))
        for (const [order, { at, outdates }] of steps.entries()) {
          const added = entry(at, order)
          agenda.add(added)
          current.add(added.key)
          if (outdates) current.delete([...current][order % current.size] as string)
          agenda.tidy(current.size)
        }
        const expected = steps
          .map(({ at }, order) => entry(at, order))
          .filter(({ key: each }) => current.has(each))
          .sort((a, b) => a.due.at - b.due.at || a.due.order - b.due.order)
        const seen: AgendaEntry[] = []
        for (let first = agenda.first(); first; first = agenda.first()) {
          expect(agenda.isDue(first.due.at)).toBe(true)
          expect(agenda.isDue(first.due.at - 1)).toBe(false)
          seen.push(first)
          current.delete(first.key)
        }
        expect(seen).toEqual(expected)
        expect(agenda.isDue(Number.POSITIVE_INFINITY)).toBe(false)
      }),
    )
  })

  it('forgets what is outdated once that is most of it, not before', () => {
    let asked = 0
    const current = new Set(['1 1'])
    const agenda = new Agenda(({ key: each }) => {
      asked++
      return current.has(each)
    })
    agenda.add(entry(1, 1))
    for (let order = 2; order <= 66; order++) agenda.add(entry(2, order))
    agenda.tidy(1)
    expect(asked).toBe(0)
    agenda.add(entry(2, 67))
    agenda.tidy(1)
    expect(asked).toBe(67)
    expect(agenda.first()?.key).toBe('1 1')
    current.clear()
    asked = 0
    expect(agenda.first()).toBeUndefined()
    expect(asked).toBe(1)
  })
})

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
