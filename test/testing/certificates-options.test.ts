import { describe, expect, it } from 'vitest'
import {
  certificatePair,
  expiredPair,
  notYetValidPair,
  type PairOptions,
  wrongOrderPair,
} from '../../src/testing/testing.ts'

describe('A bad option of a pair', () => {
  const TIMES = 'Allowed: an RFC 3339 time such as "2026-01-01T00:00:00Z", a number of ms since 1970, or a Date, from '
  const NAMES = 'Allowed: an array of DNS names of 1 to 253 ASCII characters without spaces, other scripts in the form'
  const TYPES = 'Allowed: "rsa" or "ecdsa" or "ed25519".'

  it.each<[Record<string, unknown> | null, string]>([
    [null, 'options is null. Allowed: an object.'],
    [
      { name: 'a' },
      '"name" is not an option. Supported: names, ips, keyType, notBefore, notAfter, subject, issuers, seed.',
    ],
    [{ toString: 1 }, '"toString" is not an option.'],
    [{ names: 'a.example' }, `names is "a.example". ${NAMES}`],
    [{ names: ['ä.example'] }, `names is an array of 1. ${NAMES}`],
    [{ names: ['a.example '] }, `names is an array of 1. ${NAMES}`],
    [{ names: [' a.example'] }, `names is an array of 1. ${NAMES}`],
    [{ names: ['a'.repeat(254)] }, `names is an array of 1. ${NAMES}`],
    [{ names: [''] }, `names is an array of 1. ${NAMES}`],
    [{ names: [7] }, `names is an array of 1. ${NAMES}`],
    [{ names: [] }, 'names and ips are both empty. Allowed: at least one name or IP address.'],
    [{ keyType: 'dsa' }, `keyType is "dsa". ${TYPES}`],
    [{ notBefore: 'soon' }, `notBefore is "soon". ${TIMES}1950-01-01T00:00:00Z to 9999-12-31T23:59:59Z.`],
    [{ notAfter: new Date(Number.NaN) }, 'notAfter is an object. Allowed: an RFC 3339 time'],
    [{ notBefore: Date.UTC(1950, 0, 1) - 1 }, 'notBefore is -631152000001. Allowed: an RFC 3339 time'],
    [{ notAfter: Date.UTC(10000, 0, 1) }, 'notAfter is 253402300800000. Allowed: an RFC 3339 time'],
    [
      { notAfter: '2025-01-01T00:00:00Z' },
      'notAfter is 2025-01-01T00:00:00Z. Allowed: 2026-01-01T00:00:00Z, which is notBefore, or later.',
    ],
    [{ issuers: 6 }, 'issuers is 6. Allowed: an integer from 0 to 5.'],
    [{ issuers: 0.5 }, 'issuers is 0.5. Allowed: an integer from 0 to 5.'],
    [{ issuers: '1' }, 'issuers is "1". Allowed: an integer from 0 to 5.'],
    [{ seed: 7 }, 'seed is 7. Allowed: a string.'],
    [
      { subject: 'CN=a' },
      'subject is "CN=a". Allowed: an object with country, province, locality, organization, organizationalUnit, commonName.',
    ],
    [{ subject: { cn: 'a' } }, '"subject.cn" is not an option. Supported: country, province,'],
    [{ subject: { country: 'DEU' } }, 'subject.country is "DEU". Allowed: two letters.'],
    [{ subject: { organization: 7 } }, 'subject.organization is 7. Allowed: a string of up to 64 characters.'],
    [{ subject: { commonName: 'a'.repeat(65) } }, 'subject.commonName is "aaaa'],
    [{ subject: { locality: '\ud800' } }, 'subject.locality is "\\ud800". Allowed: a string of up to 128 characters.'],
  ])('is refused: %j', (options, message) => {
    const call = () => certificatePair(options as PairOptions)
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    'a.example',
    ':',
    ':::',
    '1::2::3',
    'fe80::1%eth0',
    '[::1]',
    '::g',
    '1:2:3:4:5:6:7:8:9',
  ])('is refused: the IP %j', (ip) => {
    expect(() => certificatePair({ ips: ['::1', ip] })).toThrow(
      new TypeError('ips is an array of 2. Allowed: an array of IPv4 and IPv6 addresses.'),
    )
  })

  it('is refused where the function sets it or needs more of it', () => {
    expect(() => wrongOrderPair({ issuers: 0 })).toThrow(
      new TypeError('issuers is 0. Allowed: an integer from 1 to 5.'),
    )
    for (const make of [expiredPair, notYetValidPair]) {
      expect(() => make({ at: 'now' })).toThrow(/^at is "now"\. Allowed: .* from 1951-01-02T00:00:00Z to 9998-12-30T/)
      const call = () => make({ notAfter: 0 } as PairOptions)
      expect(call).toThrow(new TypeError('"notAfter" is not an option here. It follows from "at".'))
    }
  })
})
