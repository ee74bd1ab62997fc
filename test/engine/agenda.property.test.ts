import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { Agenda } from '../../src/engine/agenda.ts'
import { Table } from '../../src/engine/table.ts'
import { collection, type Due } from '../../src/operation/collection.ts'
import { check } from '../support/property.ts'

interface Waiting {
  readonly key: string
  readonly due: Due
}

describe('An agenda', () => {
  let lookups = 0
  const waiting = collection<Waiting>({
    name: 'waiting',
    key: ({ key }) => key,
    schema: v.object({ key: v.string(), due: v.object({ at: v.number(), order: v.number() }) }),
    due(record) {
      lookups++
      return record.due
    },
  })

  function agendaOfOneTable() {
    const table = new Table(waiting)
    const agenda = new Agenda()
    const add = (at: number, order: number) => {
      const record: Waiting = { key: `${at} ${order}`, due: { at, order } }
      table.replace(record.key, record)
      agenda.add({ due: record.due, table, key: record.key })
      return record
    }
    const remove = ({ key }: Waiting) => table.replace(key, undefined)
    const postpone = ({ key, due }: Waiting) => table.replace(key, { key, due: { ...due, at: due.at + 1 } })
    return { agenda, add, remove, postpone }
  }

  it('gives what is current in the order of time, then of scheduling', () => {
    const step = fc.record({ at: fc.nat({ max: 9 }), outdates: fc.boolean() })
    check(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { agenda, add, remove } = agendaOfOneTable()
        const current = new Set<Waiting>()
        for (const [order, { at, outdates }] of steps.entries()) {
          current.add(add(at, order))
          const outdated = [...current][order % current.size]
          if (outdates && outdated) {
            current.delete(outdated)
            remove(outdated)
          }
          agenda.tidy(current.size)
        }
        const expected = [...current].sort((a, b) => a.due.at - b.due.at || a.due.order - b.due.order)
        const seen: object[] = []
        for (let first = agenda.first(); first; first = agenda.first()) {
          expect(agenda.isDue(first.entry.due.at)).toBe(true)
          expect(agenda.isDue(first.entry.due.at - 1)).toBe(false)
          seen.push(first.record)
          first.entry.table.replace(first.entry.key, undefined)
        }
        expect(seen).toEqual(expected)
        expect(agenda.isDue(Number.POSITIVE_INFINITY)).toBe(false)
      }),
    )
  })

  it('forgets what is outdated once that is most of it, not before', () => {
    const { agenda, add, postpone } = agendaOfOneTable()
    const first = add(1, 1)
    for (let order = 2; order <= 66; order++) postpone(add(2, order))
    lookups = 0
    agenda.tidy(1)
    expect(lookups).toBe(0)
    postpone(add(2, 67))
    agenda.tidy(1)
    expect(lookups).toBe(67)
    expect(agenda.first()?.record).toBe(first)
    postpone(first)
    lookups = 0
    expect(agenda.first()).toBeUndefined()
    expect(lookups).toBe(1)
  })
})
