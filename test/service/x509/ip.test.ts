import { describe, expect, it } from 'vitest'
import { formatIp, ipBytes } from '../../../src/service/x509/ip.ts'

const bytesOf = (groups: string) => Uint8Array.from(groups.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

describe('IP addresses as text', () => {
  it.each([
    ['c0000207', '192.0.2.7'],
    ['00000000', '0.0.0.0'],
    ['20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['20010db8000100010001000100000000', '2001:db8:1:1:1:1::'],
    ['00000000000000000000000000000001', '::1'],
    ['00000000000000000000000000000000', '::'],
    ['00000000000000000000ffffc0000201', '::ffff:192.0.2.1'],
    ['00000000000000000000fffec0000201', '::fffe:c000:201'],
    ['00000000000000000001ffffc0000201', '::1:ffff:c000:201'],
    ['00010000000000000000ffffc0000201', '1::ffff:c000:201'],
    ['0001000000010001000100000001ffff', '1:0:1:1:1:0:1:ffff'],
    ['00010000000000010000000000010001', '1::1:0:0:1:1'],
    ['00000000000000000000000000000000'.replace(/^0000/, 'abcd'), 'abcd::'],
  ])('%s is written as RFC 5952 says', (hex, text) => {
    expect(formatIp(bytesOf(hex))).toBe(text)
    expect(ipBytes(text)).toEqual(bytesOf(hex))
  })

  it.each([0, 3, 5, 8, 15, 17])('%i bytes are no address', (length) => {
    expect(formatIp(new Uint8Array(length))).toBeUndefined()
  })

  it.each(['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '1.2.3.4 ', '::1%eth0', ':::', '1::2::3', 'g::'])(
    '%j is no address',
    (text) => expect(ipBytes(text)).toBeUndefined(),
  )
})
