import fc from 'fast-check'
import { customRandom } from 'nanoid'
import { describe, expect, it } from 'vitest'
import { ids } from '../../src/engine/ids.ts'
import { randomSource } from '../../src/engine/random.ts'
import { BASE62, RANDOM_LENGTH } from '../../src/schema/ids.ts'
import { check } from '../support/property.ts'

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const SEQUENCE = fc.integer({ min: 0, max: 62 ** 7 - 1 })

// rules: ids#form
describe('What is unique', () => {
  it('has the random characters in an id that nanoid makes of the same bytes', () => {
    check(
      fc.property(fc.string(), fc.stringMatching(/^[a-z]{1,4}$/), SEQUENCE, (seed, prefix, sequence) => {
        const random = randomSource(seed)
        const id = ids(random).id(prefix, 'a stream', sequence)
        const expected = customRandom(BASE62, RANDOM_LENGTH, random.draw('a stream', sequence))()
        expect(id.slice(-RANDOM_LENGTH)).toBe(expected)
        expect(id).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`))
      }),
    )
  })

  it('has them in a label too, also where the first bytes are not enough', () => {
    check(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 40 }),
        SEQUENCE,
        fc.nat({ max: 9 }),
        (seed, length, n, unfair) => {
          const random = randomSource(seed)
          const draw = () => {
            const next = random.draw('a stream', n)
            let left = unfair
            // Bytes that no character is made of, at first.
            return (size: number) => (left-- > 0 ? new Uint8Array(size).fill(255) : next(size))
          }
          const expected = customRandom(BASE36, length, draw())()
          expect(ids({ draw }).label(length, 'a stream', n)).toBe(expected)
        },
      ),
    )
  })

  it('sorts by its number in the sequence', () => {
    check(
      fc.property(fc.string(), SEQUENCE, SEQUENCE, (seed, a, b) => {
        const { id } = ids(randomSource(seed))
        const isLess = id('ra', 'a', a) < id('ra', 'a', b)
        expect(isLess).toBe(a < b)
      }),
    )
  })
})
