import { describe, expect, it } from 'vitest'
import {
  certificatePair,
  expiredPair,
  notYetValidPair,
  type PairOptions,
  wrongOrderPair,
} from '../../src/testing/testing.ts'

describe('A bad option of a pair', () => {
  /** The options, and what the message names: the option, the value, or what is allowed. */
  it.each<[Record<string, unknown> | null, string]>([
    [null, 'options is null.'],
    [{ name: 'a' }, '"name" is not an option.'],
    [{ toString: 1 }, '"toString" is not an option.'],
    [{ names: 'a.example' }, 'names is "a.example".'],
    ...['ä.example', 'a.example ', ' a.example', 'a'.repeat(254), '', 7].map(
      (name): [Record<string, unknown>, string] => [{ names: ['a.example', name] }, 'names.1 is '],
    ),
    ...['127.0.0.1', '::1', '2001:db8::7'].map((name): [Record<string, unknown>, string] => [
      { names: ['a.example', name] },
      `names.1 is "${name}". Allowed: a DNS name of 1 to 253 ASCII characters without spaces, with other scripts encoded as ` +
        '"xn--…"; the option "ips" takes IP addresses',
    ]),
    ...['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', 'a.example', ':', ':::', '1::2::3', 'fe80::1%eth0', '[::1]']
      .concat('::g', '1:2:3:4:5:6:7:8:9')
      .map((ip): [Record<string, unknown>, string] => [{ ips: ['::1', ip] }, `ips.1 is "${ip}".`]),
    [{ names: [] }, 'names and ips are both empty.'],
    [{ keyType: 'dsa' }, 'keyType is "dsa". Allowed: "rsa" or "ecdsa" or "ed25519".'],
    [{ notBefore: 'soon' }, '1950-01-01T00:00:00Z to 9999-12-31T23:59:59Z'],
    [{ notAfter: new Date(Number.NaN) }, 'notAfter is an invalid Date.'],
    [{ notBefore: Date.UTC(1950, 0, 1) - 1 }, 'notBefore is -631152000001.'],
    [{ notAfter: Date.UTC(10000, 0, 1) }, 'notAfter is 253402300800000.'],
    [{ notAfter: '2025-01-01T00:00:00Z' }, 'Allowed: 2026-01-01T00:00:00Z, which is notBefore, or later.'],
    [{ issuers: 6 }, 'issuers is 6. Allowed: an integer from 0 to 5.'],
    [{ issuers: 0.5 }, 'issuers is 0.5.'],
    [{ issuers: '1' }, 'issuers is "1".'],
    [{ seed: 7 }, 'seed is 7.'],
    [{ subject: 'CN=a' }, 'subject is "CN=a".'],
    [{ subject: { cn: 'a' } }, '"subject.cn" is not an option.'],
    [{ subject: { country: 'DEU' } }, 'subject.country is "DEU".'],
    [{ subject: { organization: 7 } }, 'subject.organization is 7.'],
    [{ subject: { commonName: 'a'.repeat(65) } }, 'subject.commonName is "aaaa'],
    [{ subject: { locality: '\ud800' } }, 'subject.locality is "\\ud800".'],
  ])('is rejected: %j', (options, message) => {
    const call = () => certificatePair(options as PairOptions)
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })

  it('is rejected if the function sets it, or needs a greater one', () => {
    expect(() => wrongOrderPair({ issuers: 0 })).toThrow('issuers is 0. Allowed: an integer from 1 to 5.')
    for (const make of [expiredPair, notYetValidPair]) {
      expect(() => make({ at: 'now' })).toThrow(/^at is "now"\. Allowed: .* from 1951-01-02T00:00:00Z to 9998-12-30T/)
      expect(() => make({ notAfter: 0 } as PairOptions)).toThrow('"notAfter" is not an option here.')
      expect(() => make(null as never)).toThrow('options is null. Allowed: an object.')
      expect(() => make('2026-01-01T00:00:00Z' as never)).toThrow('options is "2026-01-01T00:00:00Z". Allowed: an')
    }
  })
})
