import { describe, expect, test } from 'vitest'
import type { RecordedExchange } from '../../src/verify/har.ts'
import { parseHar } from '../../src/verify/har-reader.ts'
import { replay } from '../../src/verify/replay.ts'
import { CLOCK_START } from '../support/clock.ts'
import { formatRecording } from '../support/verify.ts'

const NOW = CLOCK_START
const headers = { 'content-type': 'application/json' }

function exchangeOf(body: object | string): RecordedExchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = { method: 'POST', path: '/vaults', headers: {}, body: text }
  return { at: NOW, request, response: { status: 201, headers, text, body: undefined } }
}

describe('A recording replaces a value of any length:', () => {
  const word = 'ab'.repeat(20_000)

  test.each<[string, object, string]>([
    ['a secret', { token: `${word}Z1` }, `${word}Z1`],
    ['a name', { description: `of ${word}` }, word],
    ['a secret that is a sentence', { secret: `${'horse battery '.repeat(3000)}staple` }, 'horse battery'],
    [
      'a chain',
      { certificate_pem: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'.repeat(1000) },
      'MIIB',
    ],
  ])('%s', (_what, body, planted) => {
    const text = formatRecording([exchangeOf(body), exchangeOf({ msg: `No ${Object.values(body)[0]} here` })])
    expect(text).not.toContain(planted)
  })

  test('and a key whose characters mean something in a pattern', () => {
    const key = 'k(ey[+*?$^{2}|\\d.'
    expect(formatRecording([exchangeOf({ msg: `the key ${key}!` })], key)).not.toContain('k(ey')
  })

  test('and 20,000 names that begin alike', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `shop-of-${index}`)
    const text = formatRecording([exchangeOf({ labels: names })])
    expect(text).not.toContain('shop-of-')
  })
})

describe('A recording reads each text once:', () => {
  // A search that begins again at each character takes many seconds here, and the test then times out.
  test.each(['a.', '1.', 'a@', 'a-', 'eyJ', '1:', 'A1a', '-----BEGIN ', 'a_', 'a: ', 'in "', '::', 'key=', "x in'"])(
    '300 KB of %j',
    (part) => {
      const { request, ...others } = exchangeOf({ note: part.repeat(300_000 / part.length) })
      expect(formatRecording([{ ...others, request: { ...request, body: '' } }])).toContain('/vaults')
    },
  )
})

test('A recording has secrets that overlap as one placeholder', () => {
  const [one, other] = ['abcdefgh-ijklmnop1', 'ijklmnop1-qrstuvwx']
  const exchanges = [exchangeOf({ token: one, secret: other }), exchangeOf({ note: 'see abcdefgh-ijklmnop1-qrstuvwx' })]
  expect(formatRecording(exchanges)).not.toMatch(/abcdefgh|ijklmnop|qrstuvwx/)
})

test('A body that is nested 50,000 levels deep is recorded, without its secrets', () => {
  const deep = `${'['.repeat(50_000)}{"token":"planted-secret-1"}${']'.repeat(50_000)}`
  const text = formatRecording([exchangeOf(deep), exchangeOf({ metadata: deep })])
  expect(text).not.toContain('planted-secret-1')
  expect(parseHar(text, 'a.har').exchanges).toHaveLength(2)
})

test('A replay compares texts of more than 32,767 characters, and finds ids in them', async () => {
  const description = 'x'.repeat(40_000)
  const response = {
    status: 400,
    headers,
    text: '',
    body: { error_code: 'ERR_NGROK_1', msg: description, status_code: 400 },
  }
  const exchange = { ...exchangeOf({ description }), response: { ...response, text: JSON.stringify(response.body) } }
  const { compared } = await replay(parseHar(formatRecording([exchange]), 'a.har'), { now: NOW })
  expect(compared).toBe(1)
})
