import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedKeys } from '../../src/engine/sorted-keys.ts'
import { check } from '../support/property.ts'

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

  it('are walked so too where chunks are small, split and vanish', () => {
    const few = fc.nat({ max: 30 }).map((n) => `k${String(n).padStart(2, '0')}`)
    const step = fc.record({ key: few, deletes: fc.boolean(), from: fc.option(few, { nil: undefined }) })
    check(
      fc.property(fc.constantFrom(2, 4, 8), fc.array(step, { maxLength: 80 }), (most, steps) => {
        const sorted = new SortedKeys(most)
        const model = new Set<string>()
        for (const { key: each, deletes, from } of steps) {
          if (deletes) {
            sorted.delete(each)
            model.delete(each)
          } else {
            sorted.add(each)
            model.add(each)
          }
          const below = [...model].filter((other) => from === undefined || other < from)
          expect([...sorted.descending(from)]).toEqual(below.sort().reverse())
        }
      }),
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
