import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIds } from '../../../src/core/engine/ids.ts'
import { createRandomSource, createSecretSource } from '../../../src/core/engine/random.ts'
import { check } from '../../support/property.ts'

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('The seeded source (rules: ids#seed)', () => {
  it('gives these bytes for these draws: tests of users depend on the resulting ids', () => {
    const { draw } = createRandomSource('checkout')
    expect(toHex(draw('ids', 0)(8))).toBe(toHex(createRandomSource('checkout').draw('ids', 0)(8)))
    expect([toHex(draw('ids', 0)(16)), toHex(draw('ids', 1)(16)), toHex(draw('labels', 0)(16))]).toMatchInlineSnapshot(`
      [
        "7d298ec7cecb77664c0cd96e35a7b5a2",
        "6fa59169057410938b4e4da9e0ea9e2b",
        "c328389cedd9d910b4213fe5f8a49a37",
      ]
    `)
    expect(toHex(draw('ids', 2 ** 32 + 1)(8))).toMatchInlineSnapshot(`"d05ef11488c54135"`)
    expect(toHex(createRandomSource('').draw('', 0)(5))).toMatchInlineSnapshot(`"8dbf176d22"`)
  })

  it('continues where a draw left off, in steps of four bytes', () => {
    const bytes = createRandomSource('s').draw('x', 7)
    const sameBytes = createRandomSource('s').draw('x', 7)
    expect(toHex(bytes(4)) + toHex(bytes(4))).toBe(toHex(sameBytes(8)))
  })

  it('differs by seed, stream and number, and has an even distribution', () => {
    const draws = new Set<string>()
    const counts = new Array<number>(256).fill(0)
    for (const seed of ['a', 'b', 'ab', 'ba'])
      for (const stream of ['ids', 'labels'])
        for (let number = 0; number < 300; number++) {
          const bytes = createRandomSource(seed).draw(stream, number)(32)
          draws.add(toHex(bytes))
          for (const byte of bytes) (counts[byte] as number)++
        }
    expect(draws.size).toBe(2400)
    // 300 of each byte are expected. The bounds are seven standard deviations away.
    expect(Math.min(...counts)).toBeGreaterThan(178)
    expect(Math.max(...counts)).toBeLessThan(422)
  })
})

describe('The secret source', () => {
  it('gives the same bytes for the same draw, of any length, and other bytes for other draws', () => {
    const { draw } = createSecretSource('one secret')
    expect(toHex(draw('keys', 1)(70))).toBe(toHex(draw('keys', 1)(70)))
    expect(toHex(draw('keys', 1)(70)).slice(0, 64)).toBe(toHex(draw('keys', 1)(32)))
    const others = [draw('keys', 2), draw('names', 1), createSecretSource('another').draw('keys', 1)].map((bytes) =>
      toHex(bytes(32)),
    )
    expect(new Set([...others, toHex(draw('keys', 1)(32))]).size).toBe(4)
    const bytes = draw('keys', 1)
    expect(toHex(bytes(32))).not.toBe(toHex(bytes(32)))
    expect(toHex(draw('keys', 1)(64)).slice(0, 64)).not.toBe(toHex(draw('keys', 1)(64)).slice(64))
  })
})

describe('Ids (rules: ids#form, ids#order)', () => {
  const ids = createIds(createRandomSource('checkout'))

  it('do not change for the same seed and numbers', () => {
    expect([
      ids.id('rd', 'ids', 0),
      ids.id('cert', 'ids', 61),
      ids.id('ra', 'ids', 62 ** 7 - 1),
    ]).toMatchInlineSnapshot(`
      [
        "rd_0000000xIUj1h6Bay1yhV2noFcv",
        "cert_000000z5oNICONaQHg4yz8wRtbq",
        "ra_zzzzzzzmUMhB3OOWDVrYJI9NhvQ",
      ]
    `)
    expect([ids.label(17, 'labels', 1), ids.integer(1000, 'integers', 1)]).toMatchInlineSnapshot(`
      [
        "fe1a93glpduunlbuh",
        127,
      ]
    `)
  })

  it('have 27 characters and sort as their numbers do', () => {
    const number = fc.nat({ max: 62 ** 7 - 1 })
    check(
      fc.property(number, number, (a, b) => {
        const [x, y] = [ids.id('ra', 'ids', a), ids.id('ra', 'ids', b)]
        expect(x).toMatch(/^ra_[0-9A-Za-z]{27}$/)
        expect(Math.sign(a - b)).toBe(x.slice(0, 10) < y.slice(0, 10) ? -1 : x.slice(0, 10) > y.slice(0, 10) ? 1 : 0)
      }),
    )
  })

  it('as integers use all four bytes, the highest first', () => {
    const integers = Array.from({ length: 50 }, (_, n) => ids.integer(2 ** 32, 'integers', n))
    const { draw } = createRandomSource('checkout')
    expect(integers).toEqual(integers.map((_, n) => Buffer.from(draw('integers', n)(4)).readUInt32BE()))
  })

  it('as integers are below their bound, and every integer occurs', () => {
    const integers = new Set(Array.from({ length: 400 }, (_, n) => ids.integer(7, 'integers', n)))
    expect([...integers].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
