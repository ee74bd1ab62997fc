import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Gateway, HttpRequest } from '../../../src/index.ts'
import { bundle } from '../../support/bundle.ts'
import { exchange } from '../../support/exchange.ts'
import { newFolder } from '../../support/folder.ts'
import { open } from '../../support/gateway.ts'

const HOOK = '/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const MIB = 1024 * 1024

function journalText(gateway: Gateway): string {
  const { body } = exchange(gateway, { method: 'GET', url: '/_fauxgate/requests', headers: { host: 'localhost' } })
  return body as string
}

const bytesOf = (text: string) => Buffer.byteLength(text)

describe('The journal in bytes', () => {
  it('has at most 16 MiB by default, or the bytes of its option, and drops the oldest entries', () => {
    const gateway = open()
    for (let i = 0; i < 400; i++)
      exchange(gateway, { body: JSON.stringify({ region: 'x'.repeat(60_000), metadata: `${i}` }) })
    const entries = gateway.requests.all()
    expect(entries.length).toBeLessThan(400)
    expect(entries.length).toBeGreaterThan(100)
    expect(entries.at(-1)?.request).toMatchObject({ metadata: '399' })
    expect(bytesOf(journalText(gateway))).toBeLessThanOrEqual(16 * MIB)

    const small = open({ journalBytes: 10_000 })
    for (let i = 0; i < 50; i++)
      exchange(small, { body: JSON.stringify({ metadata: 'x'.repeat(100), description: `${i}` }) })
    expect(small.requests.count()).toBeGreaterThan(3)
    expect(bytesOf(journalText(small))).toBeLessThanOrEqual(10_000)
    expect(small.requests.last()?.request).toMatchObject({ description: '49' })
  })

  it('is empty if its limit is 0 bytes, or less than one entry needs', () => {
    for (const journalBytes of [0, 100]) {
      const gateway = open({ journalBytes })
      const paths: unknown[] = []
      gateway.requests.subscribe((entry) => paths.push(entry?.path))
      exchange(gateway, {})
      expect(gateway.requests.all()).toEqual([])
      expect(paths).toEqual(['/reserved_addrs'])
      expect(journalText(gateway)).toBe('[]')
    }
  })

  it.each([
    ['a body', { body: JSON.stringify({ region: 'r'.repeat(700_000) }) }],
    ['a body that is not read', { body: { unread: 'body_too_large' } }],
    ['a path', { url: `/${'p'.repeat(1_000_000)}`, method: 'GET' }],
    ['a query', { url: `/reserved_addrs?filter=${'q'.repeat(1_000_000)}`, method: 'GET' }],
    ['numbers that are longer when they are written out', { body: `{"x":[${'1e20,'.repeat(20_000)}1]}` }],
    [
      'texts that are longer when they are escaped',
      { url: `/reserved_addrs?filter=${'\u0001'.repeat(200_000)}`, method: 'GET' },
    ],
    ['characters of three bytes', { body: JSON.stringify({ description: '東'.repeat(200_000) }) }],
  ] as [string, Partial<HttpRequest>][])('bounds an entry by %s', (_what, request) => {
    const gateway = open({ journalBytes: MIB })
    for (let i = 0; i < 20; i++) exchange(gateway, request)
    expect(gateway.requests.count()).toBeGreaterThan(0)
    expect(bytesOf(journalText(gateway))).toBeLessThanOrEqual(MIB)
  })

  it('is shown without the entries for which the text has no room, to the byte', () => {
    const request = { url: `/reserved_addrs?filter=${'\u0001'.repeat(5000)}`, method: 'GET' }
    const textWith = (journalBytes: number) => {
      const gateway = open({ journalBytes })
      for (let i = 0; i < 2; i++) exchange(gateway, request)
      return journalText(gateway)
    }
    const whole = textWith(MIB)
    expect(textWith(bytesOf(whole))).toBe(whole)
    expect(JSON.parse(textWith(bytesOf(whole) - 1))).toHaveLength(1)
  })

  it('has a long body and what it changed whole, with the secrets hidden, and counts the bytes of both', () => {
    const secret = 'hush-hush-hush'
    const body = { secret, provider: 'github', filler: `${secret}${'x'.repeat(100_000)}` }
    const gateway = open()
    exchange(gateway, { method: 'PUT', url: HOOK, body: JSON.stringify(body) })
    const expected = { secret: '[redacted]', provider: 'github', filler: `[redacted]${'x'.repeat(100_000)}` }
    expect(gateway.requests.last()?.request).toEqual(expected)
    const small = open({ journalBytes: 500_000 })
    const config = { list: Array(20_000).fill([]) }
    const policy = { inbound: [{ actions: [{ type: 'oauth', config }] }] }
    exchange(small, { method: 'GET' })
    exchange(small, { method: 'PUT', url: POLICY, body: JSON.stringify(policy) })
    expect(small.requests.all()).toEqual([])
    expect(small.requests.count()).toBe(2)
  })

  it('says of a path, a query and a method that they were cut', () => {
    const gateway = open()
    exchange(gateway, { method: 'M'.repeat(70_000), url: `/${'p'.repeat(80_000)}?${'q'.repeat(90_000)}` })
    expect(gateway.requests.last()).toMatchObject({
      method: expect.stringMatching(/^M{65536}… \[truncated: 65536 of 70000 characters\]$/),
      path: expect.stringMatching(/^\/p{65535}… \[truncated: 65536 of 80001 characters\]$/),
      query: expect.stringMatching(/^q{65536}… \[truncated: 65536 of 90000 characters\]$/),
    })
  })

  it('can be read after any request, such as JSON that is nested 5,000 levels deep', async () => {
    const gateway = open()
    const nestDeeply = (open: string, close: string) => `{"x":${open.repeat(5000)}1${close.repeat(5000)}}`
    exchange(gateway, { body: nestDeeply('[', ']') })
    exchange(gateway, { body: nestDeeply('{"x":', '}') })
    exchange(gateway, { method: 'GET', body: nestDeeply('[', ']') })
    exchange(gateway, { body: '[['.repeat(30_000) })
    const entries = JSON.parse(journalText(gateway))
    expect(entries).toHaveLength(4)
    expect(entries[0].status).toBe(400)
    expect(JSON.stringify(entries[0].request)).toContain('[nested more than 128 levels deep]')
    expect(entries[3].request).toBe('[60,000 characters of text that is not JSON]')
  })

  it('returns copies of entries: changing a copy does not change the journal', () => {
    const gateway = open()
    exchange(gateway, { body: '{"description":"mine"}' })
    const before = JSON.stringify(gateway.requests.all())
    const [entry] = gateway.requests.all() as unknown as [{ request: { description: string }; status: number }]
    entry.request.description = 'yours'
    entry.status = 0
    expect(JSON.stringify(gateway.requests.all())).toBe(before)
  })
})

describe('A process with little memory', () => {
  it('handles any number of requests with any content', async () => {
    const contents = `
      import { createGateway } from './src/index.ts'
      const gateway = createGateway({ seed: 'flood', clock: { now: () => 0 } })
      const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
      const ask = (method, url, body = '') => gateway.transport.exchange({ method, url, body, header: (name) => headers[name] ?? null }).status
      const policy = { inbound: [{ actions: [{ type: 'oauth', config: { x: Array(60_000).fill([]) } }] }] }
      const filler = (i) => String(i).padEnd(780_000, 'x')
      const statuses = new Set()
      for (let i = 0; i < 150; i++) {
        statuses.add(ask('POST', '/reserved_addrs', JSON.stringify({ region: filler(i) })))
        if (i % 50 > 0) continue
        statuses.add(ask('GET', '/' + filler(i)))
        statuses.add(ask('GET', '/reserved_addrs#' + filler(i)))
        statuses.add(ask('PUT', '${POLICY}', JSON.stringify(policy)))
        statuses.add(ask('DELETE', '${POLICY}'))
      }
      console.log(JSON.stringify({ statuses: [...statuses], kept: gateway.requests.count() > 10 }))`
    const file = join(newFolder(), 'flood.mjs')
    await bundle(contents, file)
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', file])
    expect(JSON.parse(stdout)).toEqual({ statuses: [400, 404, 200, 204], kept: true })
  })
})
