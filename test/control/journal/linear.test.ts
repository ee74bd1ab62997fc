import '../../support/steps.ts' // First: it counts what is loaded after it.

import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { exchange } from '../../support/exchange.ts'
import { measureGrowth } from '../../support/steps.ts'

const headers = { authorization: 'Bearer key-of-this-test', 'service-version': '2', 'content-type': 'application/json' }
const json = (value: unknown) => JSON.stringify(value)

function openWithRequest(body: string, query = '', more: Readonly<Record<string, string>> = {}): Gateway {
  const gateway = createGateway({ seed: 'linear' })
  exchange(gateway, { url: `/reserved_addrs${query}`, body, headers: { ...headers, ...more } })
  return gateway
}

/** Texts of a length, each of a kind that is slow for some search or parser. */
const bodies: readonly (readonly [what: string, body: (length: number) => string])[] = [
  [
    'repeats the first characters of a secret',
    (n) => json({ secret: `${'a'.repeat(n / 2)}b`, description: 'a'.repeat(n / 2) }),
  ],
  [
    'repeats the last characters of a secret',
    (n) => json({ secret: `b${'a'.repeat(n / 2)}`, description: 'a'.repeat(n / 2) }),
  ],
  [
    'has many secrets',
    (n) =>
      json({ secret: Array.from({ length: n / 32 }, (_, i) => `secret-${i}`), description: 'secret-'.repeat(n / 16) }),
  ],
  [
    'has secrets that begin alike',
    (n) =>
      json({
        secret: Array.from({ length: Math.sqrt(n) }, (_, i) => 'a'.repeat(i + 8)),
        description: `${'a'.repeat(n / 4)}b`,
      }),
  ],
  ['begins many private keys', (n) => json({ description: '-----BEGIN PRIVATE KEY-----'.repeat(n / 27) })],
  [
    'begins private keys that do not end',
    (n) => json({ description: '-----BEGIN PRIVATE KEY PRIVATE KEY'.repeat(n / 34) }),
  ],
  ['ends no private key', (n) => json({ description: `-----BEGIN PRIVATE KEY-----${'-----END A'.repeat(n / 10)}` })],
  ['opens brackets', (n) => '['.repeat(n)],
  ['escapes quotes', (n) => `{"description":"${'\\"'.repeat(n / 2)}`],
  ['has many lines', (n) => '{}\n'.repeat(n / 3)],
  ['has many fields', (n) => json(Object.fromEntries(Array.from({ length: n / 16 }, (_, i) => [`field${i}`, i])))],
]

describe('Twice the input takes twice the steps:', () => {
  test.each(bodies)('a request and its journal entry, whose body %s', async (_what, body) => {
    const twice = await measureGrowth((length) => openWithRequest(body(length)).requests.last())
    expect(twice).toBeLessThan(2.3)
  })

  test.each([
    ['many parameters', (n: number) => `?${'a=b&'.repeat(n / 4)}`],
    ['a secret and its beginning', (n: number) => `?secret=${'a'.repeat(n / 2)}b&x=${'a'.repeat(n / 2)}`],
    ['signs in percent', (n: number) => `?a=${'%41'.repeat(n / 3)}`],
  ])('a query of %s', async (_what, query) => {
    expect(await measureGrowth((length) => openWithRequest('', query(length)).requests.last())).toBeLessThan(2.3)
  })

  test('a header with a key, and its beginning in the body', async () => {
    const work = (n: number) =>
      openWithRequest(json({ description: 'a'.repeat(n) }), '', {
        'x-api-key': `${'a'.repeat(n / 2)}b`,
      }).requests.last()
    expect(await measureGrowth(work)).toBeLessThan(2.3)
  })

  test('a journal of requests with a key each', async () => {
    const work = (length: number) => {
      const gateway = createGateway({ seed: 'keys' })
      for (let i = 0; i < length / 64; i++) {
        const headers = { authorization: `Bearer key-number-${i}` }
        exchange(gateway, { method: 'GET', url: `/reserved_addrs/key-number-${i}`, headers })
      }
      return gateway.requests.all()
    }
    expect(await measureGrowth(work)).toBeLessThan(2.3)
  })
})

describe('A key that any request of the journal was sent with (rules: secrets#journal)', () => {
  const send = (gateway: Gateway, key: string, path: string) =>
    gateway.fetch(`${gateway.url}${path}`, { headers: { ...headers, authorization: `Bearer ${key}` } })

  test('is hidden in every entry, after any number of other keys', async () => {
    const gateway = createGateway({ seed: 'older' })
    await send(gateway, 'the-key-before-all', '/reserved_addrs')
    for (let i = 0; i < 40; i++) await send(gateway, 'one-key-again', '/reserved_addrs')
    for (let i = 0; i < 40; i++) await send(gateway, `a-later-key-${i}`, '/reserved_addrs/the-key-before-all')
    await send(gateway, 'another-key-at-last', '/tunnels?x=the-key-before-all&y=one-key-again')
    const text = json(gateway.requests.all())
    for (const key of ['the-key-before-all', 'one-key-again', 'a-later-key-7', 'another-key-at-last']) {
      expect(text).not.toContain(key)
    }
  })

  test('is hidden if two keys overlap', async () => {
    const gateway = createGateway()
    await send(gateway, 'abcdefghijkl', '/reserved_addrs')
    await send(gateway, 'ghijklmnopqr', '/reserved_addrs/abcdefghijklmnopqr')
    expect(gateway.requests.last()?.path).toBe('/reserved_addrs/[redacted]')
  })

  test('is hidden in another header too', async () => {
    const gateway = createGateway()
    const requestHeaders = { ...headers, 'x-api-key': 'sent-as-api-key', cookie: 'a=b; session=sent-as-cookie' }
    await gateway.fetch(`${gateway.url}/reserved_addrs/sent-as-api-key?sent-as-cookie`, { headers: requestHeaders })
    expect(json(gateway.requests.all())).not.toMatch(/sent-as-(api-key|cookie)/)
  })
})
