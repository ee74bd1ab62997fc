import '../../support/steps.ts' // First: it counts what is loaded after it.

import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { exchange } from '../../support/exchange.ts'
import { measureGrowth } from '../../support/steps.ts'

interface SentRequest {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly more?: Readonly<Record<string, string>>
}

/** A length that the journal cuts, and a nesting that overflows the stack. */
const LONG = 65_536

const EDGE = 'edghts_1'
const ROUTE = 'edghtsrt_1'

/** Sends a request to a gateway and returns the status. */
function send(gateway: Gateway, { method = 'POST', path: url, body, more = {} }: SentRequest): number {
  const text = body === undefined ? '' : JSON.stringify(body)
  return exchange(gateway, { method, url, body: text, headers: { host: '127.0.0.1', ...more }, peer: '127.0.0.1' })
    .status
}

function createGatewayWithRoute(): Gateway {
  const gateway = createGateway({ seed: 'linear' })
  send(gateway, { path: '/_fauxgate/declare', body: { edge: EDGE, routes: [ROUTE] } })
  for (const domain of ['a.example.com', 'b.example.com']) gateway.reservedDomains.create({ domain })
  return gateway
}

type Case = readonly [what: string, text: (length: number) => string]

const times = (part: string) => (n: number) => part.repeat(n / part.length)

/** Creates expressions of a length. */
const expressions: readonly Case[] = [
  ['a long text', (n) => `obj.domain == "${'a'.repeat(n)}"`],
  ['a text of escapes', (n) => `obj.domain == "${times('\\n')(n)}"`],
  ['a text that does not end', (n) => `obj.domain == "${'a'.repeat(n)}`],
  ['conditions with or', (n) => `${times('obj.domain == "a" || ')(n)} true`],
  ['conditions with and, the last of them wrong', (n) => `${times('obj.domain == "a" && ')(n)} 1`],
  ['a list', (n) => `obj.domain in [${times('"a", ')(n)} "b"]`],
  ['a list that does not end', (n) => `obj.domain in [${times('"a", ')(n)}`],
  ['fields of fields', (n) => `obj${times('.a')(n)} == "a"`],
  ['opening parentheses', times('(')],
  ['negations', (n) => `${'!'.repeat(n)}true`],
  ['blanks', (n) => `obj.domain${' '.repeat(n)}== "a"`],
  ['signs of no language', times('#')],
  ['digits', (n) => `obj.domain == ${'1'.repeat(n)}`],
]

describe('Twice the input takes at most twice the steps:', () => {
  test.each(expressions)('a list filter of %s', async (_what, text) => {
    const gateway = createGatewayWithRoute()
    const work = (n: number) =>
      send(gateway, { method: 'GET', path: `/reserved_domains?filter=${encodeURIComponent(text(n))}` })
    expect(await measureGrowth(work, 800)).toBeLessThan(2.3)
  })

  test.each(expressions)('an expression of a traffic policy of %s', async (_what, text) => {
    const work = (n: number) =>
      send(createGatewayWithRoute(), policy({ expressions: [text(n)], actions: [{ type: 'deny' }] }))
    expect(await measureGrowth(work, LONG)).toBeLessThan(2.3)
  })

  const policy = (rule: object) => ({
    method: 'PUT',
    path: `/edges/https/${EDGE}/routes/${ROUTE}/policy`,
    body: { inbound: [rule] },
  })

  test.each<readonly [string, (n: number) => object]>([
    ['actions', (n) => ({ actions: Array(n / 16).fill({ type: 'log' }) })],
    ['wrong actions', (n) => ({ actions: Array(n / 16).fill({ type: 'deny', config: { status_code: 1 } }) })],
    ['expressions', (n) => ({ expressions: Array(n / 16).fill('a.b'), actions: [{ type: 'log' }] })],
    ['wrong expressions', (n) => ({ expressions: Array(n / 16).fill('a.'), actions: [{ type: 'log' }] })],
  ])('a traffic policy of many %s', async (_what, rule) => {
    // So long that the journal cuts the commits of both lengths. Otherwise the cut would count for one of them only.
    expect(await measureGrowth((n) => send(createGatewayWithRoute(), policy(rule(n))), 2 * LONG)).toBeLessThan(2.3)
  })

  test.each<Case>([
    ['BEGIN lines', times('-----BEGIN CERTIFICATE-----\n')],
    ['empty blocks', times('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n')],
    ['torn BEGIN lines', times('-----BEGIN CERTI-----BEGIN CERTIFICATE')],
    ['dashes', times('-')],
    ['dashes and blanks', times('- ')],
    ['blanks at the end of a line', (n) => `-----BEGIN CERTIFICATE-----\nA${' '.repeat(n)}B`],
    ['base64 in no block', times('MC')],
    ['base64 that looks like the begin of a key', times('MIIEvQIBADANBgkq')],
    ['lines', times('a\n')],
    ['line breaks that are written out', times('\\n')],
    ['base64 in a block', (n) => block(times('MIIC')(n))],
    ['base64 in a block, in lines', (n) => block(times('MIIC\n')(n))],
    ['padding in a block', (n) => block(times('=')(n))],
    ['headers in a block', (n) => block(times('a: b\n')(n))],
    ['nested sequences', (n) => block(btoa('\x30\x80'.repeat(n / 2)))],
    ['sequences one after the other', (n) => block(btoa(`\x30\x82\x20\x00${'\x30\x00'.repeat(n / 2)}`))],
  ])('an upload of %s', async (_what, text) => {
    const gateway = createGateway()
    for (const field of ['certificate_pem', 'private_key_pem']) {
      const work = (n: number) => send(gateway, { path: '/tls_certificates', body: { [field]: text(n) } })
      expect(await measureGrowth(work)).toBeLessThan(2.3)
    }
  })

  const block = (base64: string) => `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`

  test.each<Case>([
    ['labels', times('a.')],
    ['empty labels', times('.')],
    ['wildcards', times('*.')],
    ['one label', times('a')],
    ['Punycode', (n) => `xn--${times('a')(n)}.com`],
    ['letters that are not ASCII', times('é')],
  ])('a domain name of %s', async (_what, text) => {
    const gateway = createGateway()
    const work = (n: number) => send(gateway, { path: '/reserved_domains', body: { domain: text(n) } })
    expect(await measureGrowth(work)).toBeLessThan(2.3)
  })

  test.each<readonly [string, (n: number) => object]>([
    ['a duration', (n) => ({ advance: `${'1'.repeat(n)}s` })],
    ['a time', (n) => ({ to: `2026-01-01T00:00:00.${'1'.repeat(n)}Z` })],
    ['no time', (n) => ({ to: '1'.repeat(n) })],
  ])('a move of the clock with %s', async (_what, body) => {
    const gateway = createGateway()
    const work = (n: number) => send(gateway, { path: '/_fauxgate/clock', body: body(n) })
    expect(await measureGrowth(work)).toBeLessThan(2.3)
  })

  test('the weights of backends', async () => {
    const gateway = createGateway()
    const backends = (n: number) => Object.fromEntries(Array.from({ length: n / 16 }, (_, i) => [`bkdhr_${i}`, 1]))
    const work = (n: number) => send(gateway, { path: '/backends/weighted', body: { backends: backends(n) } })
    expect(await measureGrowth(work)).toBeLessThan(2.3)
  })

  test.each<Case>([
    ['authorization', (n) => `Bearer${' '.repeat(n)}`],
    ['authorization', (n) => `Bearer ${'k '.repeat(n / 2)}`],
    ['content-type', (n) => `application/json${times('; charset=x')(n)}`],
    ['host', times('a.')],
    ['origin', (n) => `http://${times('a:')(n)}`],
    ['service-version', times('2,')],
    ['access-control-request-headers', times('a,')],
    ['cookie', times('a=b; ')],
    ['cookie', times('a;')],
  ])('a long header: %s', async (name, text) => {
    const gateway = createGateway()
    for (const path of ['/reserved_addrs', '/_fauxgate/clock']) {
      const work = (n: number) => {
        send(gateway, { path, body: {}, more: { [name]: text(n) } })
        return gateway.requests.last()
      }
      expect(await measureGrowth(work)).toBeLessThan(2.3)
    }
  })

  test('a long path', async () => {
    const gateway = createGateway()
    for (const part of ['/', '/a', '/reserved_addrs', '%41', '/..', ':', '://']) {
      const work = (n: number) => send(gateway, { method: 'GET', path: `/${times(part)(n)}` })
      expect(await measureGrowth(work)).toBeLessThan(2.3)
    }
  })
})
