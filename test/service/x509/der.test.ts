import { describe, expect, it } from 'vitest'
import {
  getTag,
  parse,
  readChildren,
  readContent,
  readIntegerBytes,
  readNatural,
  readOid,
  readWholeBits,
  sliceElements,
  tags,
} from '../../../src/service/x509/der.ts'
import { element, findUnreadable } from './support.ts'

const DAMAGED = 'its DER is damaged'
const SHORT = 'its DER ends too early'
const MALFORMED = 'its thing is missing or malformed'

describe('one element of DER (X.690, 8.1)', () => {
  it.each([
    ['without content', [0x05, 0x00], 0],
    ['with a length in one byte', [0x04, 0x02, 7, 8], 2],
    ['of 127 bytes', [0x04, 0x7f, ...Array(127).fill(9)], 127],
    ['of 128 bytes', [0x04, 0x81, 0x80, ...Array(128).fill(9)], 128],
    ['of 256 bytes', [0x04, 0x82, 0x01, 0x00, ...Array(256).fill(9)], 256],
    ['with a length in four bytes', [0x04, 0x84, 0, 0, 0, 1, 9], 1],
  ])('%s is read', (_, der, size) => {
    const read = parse(Uint8Array.from(der))
    expect(getTag(read)).toBe(der[0])
    expect([...readContent(read, 'thing', der[0] as number)]).toEqual(der.slice(der.length - size))
  })

  it.each([
    ['nothing', []],
    ['a tag alone', [0x30]],
    ['a byte too few', [0x04, 0x02, 7]],
    ['a cut length', [0x04, 0x82, 0x01]],
    ['a cut length of one byte', [0x04, 0x81]],
    ['a byte too many', [0x04, 0x01, 7, 8]],
    ['a length in five bytes', [0x04, 0x85, 0, 0, 0, 0, 1, 9]],
    ['a length of 4 GiB', [0x04, 0x84, 0xff, 0xff, 0xff, 0xff, 9]],
    ['a reserved length', [0x04, 0xff, 0]],
  ])('%s is damaged', (_, der) => expect(findUnreadable(() => parse(Uint8Array.from(der)))).toBe(DAMAGED))

  it('nests at most 64 deep, so that no parser recurses without end', () => {
    const nested = (depth: number) => {
      let der = element(0x05)
      for (let level = 0; level < depth; level++) der = element(0x30, der)
      return der
    }
    expect(getTag(parse(nested(63)))).toBe(0x30)
    expect(findUnreadable(() => parse(nested(65)))).toBe(DAMAGED)
    expect(findUnreadable(() => parse(nested(200)))).toBe(DAMAGED)
  })
})

describe('the children of an element', () => {
  it.each([
    ['a child that is longer than what holds it', [0x30, 0x03, 0x04, 0x02, 7], DAMAGED],
    ['half a child', [0x30, 0x01, 0x04], DAMAGED],
    ['a cut child after a whole one', [0x30, 0x03, 0x05, 0x00, 0x04], DAMAGED],
    ['another tag', [0x31, 0x00], MALFORMED],
  ])('cannot be read: %s', (_, der, problem) => {
    expect(findUnreadable(() => readChildren(parse(Uint8Array.from(der)), 'thing'))).toBe(problem)
  })

  it.each([
    ['another tag', [0x31, 0x00], MALFORMED],
    ['a tag alone', [0x30], SHORT],
    ['a byte too few', [0x30, 0x02, 5], SHORT],
    ['a cut length', [0x30, 0x82, 0x01], SHORT],
    ['a length of 4 GiB', [0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 9], SHORT],
    ['a byte too many', [0x30, 0x02, 5, 0, 8], 'there are bytes after the end of its DER'],
    ['an indefinite length', [0x30, 0x80, 0, 0], DAMAGED],
    ['a length in five bytes', [0x30, 0x85, 0, 0, 0, 0, 0], DAMAGED],
    ['a child that is longer than what holds it', [0x30, 0x03, 0x04, 0x02, 7], DAMAGED],
  ])('cannot be split into exact bytes: %s', (_, der, problem) => {
    expect(findUnreadable(() => sliceElements(Uint8Array.from(der), 'thing'))).toBe(problem)
  })
})

describe('values', () => {
  const value = (tag: number, ...content: number[]) => parse(element(tag, Uint8Array.from(content)))

  it('must have the requested tag', () => {
    expect([...readContent(value(tags.octetString, 1, 2), 'thing', tags.octetString)]).toEqual([1, 2])
    expect(findUnreadable(() => readContent(value(tags.integer, 1), 'thing', tags.octetString))).toBe(MALFORMED)
    expect(findUnreadable(() => readContent(undefined, 'thing', tags.octetString))).toBe(MALFORMED)
    expect(findUnreadable(() => readChildren(undefined, 'thing'))).toBe(MALFORMED)
  })

  it.each([[[0x00]], [[0x7f]], [[0x00, 0x80]], [[0xff]], [[0x80]], [[0xff, 0x7f]], [[0x01, 0x00]], [[0x80, 0x80]]])(
    'the integer %j is read',
    (content) => expect([...readIntegerBytes(value(tags.integer, ...content), 'thing')]).toEqual(content),
  )

  it.each([[[]], [[0x00, 0x00]], [[0x00, 0x7f]], [[0xff, 0x80]], [[0xff, 0xff]]])(
    'the integer %j is longer than necessary, or empty',
    (content) =>
      expect(findUnreadable(() => readIntegerBytes(value(tags.integer, ...content), 'thing'))).toBe(MALFORMED),
  )

  it('an integer that must not be negative is rejected if it is negative', () => {
    expect(readNatural(value(tags.integer, 0x7f), 'thing')).toBe(127n)
    expect(readNatural(value(tags.integer, 0x00), 'thing')).toBe(0n)
    expect(readNatural(value(tags.integer, 0x00, 0x80), 'thing')).toBe(128n)
    expect(findUnreadable(() => readNatural(value(tags.integer, 0x80), 'thing'))).toBe(MALFORMED)
  })

  it.each([
    [[0x00], '0.0'],
    [[0x27], '0.39'],
    [[0x28], '1.0'],
    [[0x4f], '1.39'],
    [[0x50], '2.0'],
    [[0x78], '2.40'],
    [[0x88, 0x37], '2.999'],
    [[0x2a, 0x7f, 0x81, 0x00], '1.2.127.128'],
    [[0x2a, ...Array(126).fill(0x80), 0x01], '1.2.1'],
    [[0x2a, 0x8f, 0xff, 0xff, 0xff, 0x7f], '1.2.4294967295'],
  ])('the identifier %j is %s', (content, text) => expect(readOid(value(tags.oid, ...content), 'thing')).toBe(text))

  it.each([[[]], [[0x80]], [[0x2a, 0xff]], [[0x2a, ...Array(127).fill(0x80), 0x01]]])(
    '%j is no identifier',
    (content) => {
      expect(findUnreadable(() => readOid(value(tags.oid, ...content), 'thing'))).toBe(MALFORMED)
    },
  )

  it('a bit string must have whole bytes', () => {
    expect([...readWholeBits(value(tags.bitString, 0, 1, 2), 'thing')]).toEqual([1, 2])
    expect([...readWholeBits(value(tags.bitString, 0), 'thing')]).toEqual([])
    expect(findUnreadable(() => readWholeBits(value(tags.bitString, 1, 2), 'thing'))).toBe(MALFORMED)
    expect(findUnreadable(() => readWholeBits(value(tags.bitString), 'thing'))).toBe(MALFORMED)
  })
})
