import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { type Asn1, parse, readNatural, readOid } from '../../../src/service/x509/der.ts'
import { element, encode, integer, oid, time } from '../../../src/service/x509/der-writer.ts'
import {
  alternativeNames,
  basicConstraints,
  createName,
  extendedKeyUsage,
  keyUsage,
} from '../../../src/service/x509/issue.ts'

const TRUE = '0101ff'
const encodeAsHex = (element: Asn1) => bytesToHex(encode(element))

describe('writing DER', () => {
  it.each([0n, 1n, 127n, 128n, 255n, 256n, 32_767n, 32_768n, 65_537n, 2n ** 127n, 2n ** 2048n - 1n])(
    'writes the integer %s in the fewest bytes',
    (value) => expect(readNatural(parse(encode(integer(value))), 'number')).toBe(value),
  )

  it.each(['2.5.4.3', '1.2.840.10045.4.3.2', '1.3.6.1.4.1.99999.7', '2.5.29.37.0', '0.0', '1.39.127.128.16384'])(
    'writes the identifier %s',
    (dotted) => expect(readOid(parse(encode(oid(dotted))), 'identifier')).toBe(dotted),
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
    expect(encodeAsHex(element(0x04, new Uint8Array(size)))).toBe(head + '00'.repeat(size))
  })

  it.each([
    ['0000-01-01T00:00:00Z', '180f30303030303130313030303030305a'],
    ['1949-12-31T23:59:59Z', '180f31393439313233313233353935395a'],
    ['1950-01-01T00:00:00Z', '170d3530303130313030303030305a'],
    ['2049-12-31T23:59:59Z', '170d3439313233313233353935395a'],
    ['2050-01-01T00:00:00Z', '180f32303530303130313030303030305a'],
    ['9999-12-31T23:59:59Z', '180f39393939313233313233353935395a'],
  ])('writes the time %s in the form of RFC 5280', (text, hex) => {
    expect(encodeAsHex(time(Date.parse(text)))).toBe(hex)
  })
})

describe('writing names and extensions (RFC 5280), byte for byte as openssl writes them', () => {
  it.each([
    ['a country as a PrintableString', createName(['C', 'DE']), '300d310b3009060355040613024445'],
    ['another attribute as a UTF8String', createName(['O', 'ü']), '300d310b3009060355040a0c02c3bc'],
    ['no attribute', createName(), '3000'],
    ['basic constraints of a root', basicConstraints('root'), `300f0603551d13${TRUE}040530030101ff`],
    [
      'basic constraints of an intermediate',
      basicConstraints('intermediate'),
      `30120603551d13${TRUE}040830060101ff020100`,
    ],
    ['basic constraints of a leaf', basicConstraints('leaf'), `300c0603551d13${TRUE}04023000`],
    ['one key usage', keyUsage(['digitalSignature']), `300e0603551d0f${TRUE}040403020780`],
    ['two key usages', keyUsage(['keyEncipherment', 'digitalSignature']), `300e0603551d0f${TRUE}0404030205a0`],
    ['key usages of a CA', keyUsage(['keyCertSign', 'cRLSign']), `300e0603551d0f${TRUE}040403020106`],
    ['the last bit of a byte', keyUsage(['encipherOnly']), `300e0603551d0f${TRUE}040403020001`],
    ['an extended usage', extendedKeyUsage(['anyExtendedKeyUsage']), '300f0603551d25040830060604551d2500'],
    ['a DNS name', alternativeNames(['a.b'], []), '300e0603551d11040730058203612e62'],
    ['a critical DNS name', alternativeNames(['a.b'], [], true), `30110603551d11${TRUE}040730058203612e62`],
    [
      'a name and an address',
      alternativeNames(['a.b'], [Uint8Array.of(192, 0, 2, 7)]),
      '30140603551d11040d300b8203612e628704c0000207',
    ],
  ])('%s', (_, value, hex) => expect(encodeAsHex(value)).toBe(hex))
})
