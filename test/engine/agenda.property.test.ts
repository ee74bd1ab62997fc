import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Agenda, type AgendaEntry } from '../../src/engine/agenda.ts'
import { check } from '../support/property.ts'

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
