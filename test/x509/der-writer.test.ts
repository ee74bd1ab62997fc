import { describe, expect, it } from 'vitest'
import * as bytes from '../../src/x509/bytes.ts'
import { type Asn1, integerBytes, natural, oidOf, parse } from '../../src/x509/der.ts'
import {
  bitString,
  derOf,
  element,
  integer,
  isTrue,
  nothing,
  oid,
  time,
  utf8String,
} from '../../src/x509/der-writer.ts'
import { timeOf } from '../../src/x509/time.ts'

const hexOf = (written: Asn1) => bytes.hexOf(derOf(written))

describe('writing DER', () => {
  it.each([0n, 1n, 127n, 128n, 255n, 256n, 32_767n, 32_768n, 65_537n, 2n ** 127n, 2n ** 2048n - 1n])(
    'writes the integer %s in as few bytes as it needs',
    (value) => {
      expect(natural(parse(derOf(integer(value))), 'number')).toBe(value)
      expect(() => integerBytes(parse(derOf(integer(value))), 'number')).not.toThrow()
    },
  )

  it.each(['2.5.4.3', '1.2.840.10045.4.3.2', '1.3.6.1.4.1.99999.7', '2.5.29.37.0', '0.0', '1.39.127.128.16384'])(
    'writes the identifier %s',
    (dotted) => {
      expect(oidOf(parse(derOf(oid(dotted))), 'identifier')).toBe(dotted)
    },
  )

  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
    [65_536, '0483010000'],
  ])('writes a length of %i', (size, head) => {
    const der = derOf(element(0x04, new Uint8Array(size)))
    expect(bytes.hexOf(der.subarray(0, der.length - size))).toBe(head)
  })

  it('writes texts, bits and constants', () => {
    expect(hexOf(utf8String('ü'))).toBe('0c02c3bc')
    expect(hexOf(bitString(Uint8Array.of(0xa0), 5))).toBe('030205a0')
    expect([isTrue(), nothing()].map(hexOf)).toEqual(['0101ff', '0500'])
  })

  it.each([
    ['0000-01-01T00:00:00Z', '180f30303030303130313030303030305a'],
    ['1949-12-31T23:59:59Z', '180f31393439313233313233353935395a'],
    ['1950-01-01T00:00:00Z', '170d3530303130313030303030305a'],
    ['1970-01-01T00:00:00Z', '170d3730303130313030303030305a'],
    ['2049-12-31T23:59:59Z', '170d3439313233313233353935395a'],
    ['2050-01-01T00:00:00Z', '180f32303530303130313030303030305a'],
    ['9999-12-31T23:59:59Z', '180f39393939313233313233353935395a'],
  ])('writes the time %s in the form that RFC 5280 wants', (text, hex) => {
    const ms = Date.parse(text)
    expect(hexOf(time(ms))).toBe(hex)
    expect(timeOf(parse(derOf(time(ms))), 'test')).toBe(ms)
  })
})
