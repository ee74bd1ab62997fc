import { describe, expect, it } from 'vitest'
import { oddCharacter } from '../../src/x509/base64.ts'
import { binaryOf, bitLength, bytesOf, bytesOfNumber, hexOf, numberOf, sameBytes } from '../../src/x509/bytes.ts'
import { derOf } from '../../src/x509/der-writer.ts'
import { nameOf, serialFrom } from '../../src/x509/issue.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('bytes', () => {
  it('are binary strings and back, however many', () => {
    for (const size of [0, 1, 8191, 8192, 8193, 20_000]) {
      const all = Uint8Array.from({ length: size }, (_, i) => i % 256)
      expect(binaryOf(all)).toHaveLength(size)
      expect(bytesOf(binaryOf(all))).toEqual(all)
    }
  })

  it('are hex and numbers', () => {
    expect(hexOf(bytes(0, 9, 0xa0, 255))).toBe('0009a0ff')
    expect(numberOf(bytes(1, 0))).toBe(256n)
    expect(numberOf(bytes())).toBe(0n)
    expect(bytesOfNumber(256n, 3)).toEqual(bytes(0, 1, 0))
  })

  it.each([
    [0n, 0],
    [1n, 1],
    [15n, 4],
    [16n, 5],
    [255n, 8],
    [2n ** 64n - 1n, 64],
    [2n ** 64n, 65],
  ])('the number %s takes bits', (value, bits) => expect(bitLength(value)).toBe(bits))

  it('are the same only where each is and their number is', () => {
    expect(sameBytes(bytes(1, 2), bytes(1, 2))).toBe(true)
    expect(sameBytes(bytes(1, 2), bytes(1, 3))).toBe(false)
    expect(sameBytes(bytes(1, 2), bytes(1, 2, 3))).toBe(false)
    expect(sameBytes(bytes(1, 2, 3), bytes(1, 2))).toBe(false)
    expect(sameBytes(bytes(), bytes())).toBe(true)
  })
})

describe('characters that messages name', () => {
  it.each([
    [' ', 'U+0020'],
    ['\t', 'U+0009'],
    ['\u007f', 'U+007F'],
    ['é', 'U+00E9'],
    ['\r', 'a carriage return (CR) without a line feed (LF)'],
  ])('%j is one', (character, name) => expect(oddCharacter(character, 0)).toBe(name))

  it.each(['!', '~', 'a', '-', '='])('%j is none', (character) => expect(oddCharacter(character, 0)).toBeUndefined())
})

describe('what certificates are made from', () => {
  it('a country is a PrintableString, any other attribute a UTF8String (RFC 5280, A.1)', () => {
    expect(hexOf(derOf(nameOf(['C', 'DE'])))).toBe('300d310b3009060355040613024445')
    expect(hexOf(derOf(nameOf(['O', 'DE'])))).toBe('300d310b3009060355040a0c024445')
    expect(hexOf(derOf(nameOf()))).toBe('3000')
  })

  it.each([
    [[0x00, 0x01], 0x4001n],
    [[0xff, 0xff], 0x7fffn],
    [[0x3f, 0x00], 0x7f00n],
    [[0x80, 0x00], 0x4000n],
  ])('a serial number of %j keeps its length and is positive', (random, serial) => {
    expect(serialFrom(Uint8Array.from(random))).toBe(serial)
  })
})
