import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIds } from '../../src/engine/ids.ts'
import { createRandomSource, createSecretSource } from '../../src/engine/random.ts'
import { check } from '../support/property.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('The seeded source (rules: ids#seed)', () => {
  it('gives these bytes for these draws: people’s tests hang on the ids that come from them', () => {
    const { draw } = createRandomSource('checkout')
    expect(hex(draw('ids', 0)(8))).toBe(hex(createRandomSource('checkout').draw('ids', 0)(8)))
    expect([hex(draw('ids', 0)(16)), hex(draw('ids', 1)(16)), hex(draw('labels', 0)(16))]).toMatchInlineSnapshot(`
      [
        "7d298ec7cecb77664c0cd96e35a7b5a2",
        "6fa59169057410938b4e4da9e0ea9e2b",
        "c328389cedd9d910b4213fe5f8a49a37",
      ]
    `)
    expect(hex(draw('ids', 2 ** 32 + 1)(8))).toMatchInlineSnapshot(`"d05ef11488c54135"`)
    expect(hex(createRandomSource('').draw('', 0)(5))).toMatchInlineSnapshot(`"8dbf176d22"`)
  })

  it('continues where a draw left off, in steps of four bytes', () => {
    const bytes = createRandomSource('s').draw('x', 7)
    const again = createRandomSource('s').draw('x', 7)
    expect(hex(bytes(4)) + hex(bytes(4))).toBe(hex(again(8)))
  })

  it('differs by seed, stream and number, and is even', () => {
    const seen = new Set<string>()
    const counts = new Array<number>(256).fill(0)
    for (const seed of ['a', 'b', 'ab', 'ba'])
      for (const stream of ['ids', 'labels'])
        for (let number = 0; number < 300; number++) {
          const bytes = createRandomSource(seed).draw(stream, number)(32)
          seen.add(hex(bytes))
          for (const byte of bytes) (counts[byte] as number)++
        }
    expect(seen.size).toBe(2400)
    // 300 of each are expected; seven standard deviations either way.
    expect(Math.min(...counts)).toBeGreaterThan(178)
    expect(Math.max(...counts)).toBeLessThan(422)
  })
})

describe('The secret source', () => {
  it('gives the same bytes for the same draw, of any length, and others elsewhere', () => {
    const { draw } = createSecretSource('one secret')
    expect(hex(draw('keys', 1)(70))).toBe(hex(draw('keys', 1)(70)))
    expect(hex(draw('keys', 1)(70)).slice(0, 64)).toBe(hex(draw('keys', 1)(32)))
    const others = [draw('keys', 2), draw('names', 1), createSecretSource('another').draw('keys', 1)].map((bytes) =>
      hex(bytes(32)),
    )
    expect(new Set([...others, hex(draw('keys', 1)(32))]).size).toBe(4)
    const bytes = draw('keys', 1)
    expect(hex(bytes(32))).not.toBe(hex(bytes(32)))
    expect(hex(draw('keys', 1)(64)).slice(0, 64)).not.toBe(hex(draw('keys', 1)(64)).slice(64))
  })
})

describe('Ids (rules: ids#form, ids#order)', () => {
  const make = createIds(createRandomSource('checkout'))

  it('are these for these numbers', () => {
    expect([
      make.id('rd', 'ids', 0),
      make.id('cert', 'ids', 61),
      make.id('ra', 'ids', 62 ** 7 - 1),
    ]).toMatchInlineSnapshot(`
      [
        "rd_0000000xIUj1h6Bay1yhV2noFcv",
        "cert_000000z5oNICONaQHg4yz8wRtbq",
        "ra_zzzzzzzmUMhB3OOWDVrYJI9NhvQ",
      ]
    `)
    expect([make.label(17, 'labels', 1), make.integer(1000, 'integers', 1)]).toMatchInlineSnapshot(`
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
        const [x, y] = [make.id('ra', 'ids', a), make.id('ra', 'ids', b)]
        expect(x).toMatch(/^ra_[0-9A-Za-z]{27}$/)
        expect(Math.sign(a - b)).toBe(x.slice(0, 10) < y.slice(0, 10) ? -1 : x.slice(0, 10) > y.slice(0, 10) ? 1 : 0)
      }),
    )
  })

  it('as numbers take all four bytes, the highest first', () => {
    const whole = Array.from({ length: 50 }, (_, n) => make.integer(2 ** 32, 'integers', n))
    const { draw } = createRandomSource('checkout')
    expect(whole).toEqual(whole.map((_, n) => Buffer.from(draw('integers', n)(4)).readUInt32BE()))
  })

  it('as numbers are below their bound, and every one comes', () => {
    const seen = new Set(Array.from({ length: 400 }, (_, n) => make.integer(7, 'integers', n)))
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
