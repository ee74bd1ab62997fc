import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Gateway, HttpRequest, JournalEntry } from '../../src/index.ts'
import { bundle } from '../support/bundle.ts'
import { client } from '../support/client.ts'
import { newFolder } from '../support/folder.ts'
import { open } from '../support/gateway.ts'

const HOOK = '/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const MIB = 1024 * 1024
const KEPT = 65_536

function ask(gateway: Gateway, { method = 'POST', url = '/reserved_addrs', body = '' }: Partial<HttpRequest>) {
  const headers: Record<string, string> = {
    authorization: 'Bearer key',
    'service-version': '2',
    'content-type': 'application/json',
  }
  const rawHeaders = Object.entries(headers).flat()
  return gateway.transport.exchange({ method, url, body, header: (name) => headers[name] ?? null, rawHeaders })
}

function shownJournal(gateway: Gateway): string {
  const headers: Record<string, string> = { host: 'localhost' }
  const url = '/_fauxgate/requests'
  return gateway.transport.exchange({ method: 'GET', url, body: '', header: (name) => headers[name] ?? null })
    .body as string
}

const bytesOf = (text: string) => Buffer.byteLength(text)

describe('The journal in bytes', () => {
  it('has at most 16 MiB, or as many as it is told to, and drops the oldest', () => {
    const gateway = open()
    for (let i = 0; i < 400; i++)
      ask(gateway, { body: JSON.stringify({ region: 'x'.repeat(60_000), metadata: `${i}` }) })
    const kept = gateway.requests.all()
    expect(kept.length).toBeLessThan(400)
    expect(kept.length).toBeGreaterThan(100)
    expect(kept.at(-1)?.request).toMatchObject({ metadata: '399' })
    expect(bytesOf(shownJournal(gateway))).toBeLessThanOrEqual(16 * MIB)

    const small = open({ journalBytes: 10_000 })
    for (let i = 0; i < 50; i++)
      ask(small, { body: JSON.stringify({ metadata: 'x'.repeat(100), description: `${i}` }) })
    expect(small.requests.count()).toBeGreaterThan(3)
    expect(bytesOf(shownJournal(small))).toBeLessThanOrEqual(10_000)
    expect(small.requests.last()?.request).toMatchObject({ description: '49' })
  })

  it('keeps the beginning of an answer that is longer than 64 KiB, however short the request', () => {
    const gateway = open()
    for (let i = 0; i < 70; i++) gateway.reservedAddrs.create({ metadata: 'x'.repeat(1000) })
    const answer = ask(gateway, { method: 'GET' })
    const length = (answer.body as string).length
    expect(length).toBeGreaterThan(KEPT)
    const shown = gateway.requests.last()?.response as string
    expect(shown).toMatch(new RegExp(` \\[cut: ${KEPT} of ${length} characters\\]$`))
    expect(shown.length).toBeLessThan(KEPT + 100)
  })

  it('keeps 65,536 characters of headers, in memory of their own, and says how many there were', () => {
    const gateway = open()
    const rawHeaders = Array.from({ length: 10 }, (_, at) => [`x-${at}`, 'v'.repeat(20_000)]).flat()
    gateway.transport.exchange({ method: 'GET', url: '/tunnels', body: '', header: () => null, rawHeaders })
    const shown = gateway.requests.last()?.requestHeaders ?? {}
    expect(Object.keys(shown)).toEqual(['x-0', 'x-1', 'x-2', '…'])
    expect(shown['…']).toBe('[cut: 3 of 10 headers]')
    const small = open({ journalBytes: 100_000 })
    small.transport.exchange({ method: 'GET', url: '/tunnels', body: '', header: () => null, rawHeaders })
    expect(small.requests.all()).toEqual([])
  })

  it('has nothing where it may have no bytes, or fewer than one entry needs', () => {
    for (const journalBytes of [0, 100]) {
      const gateway = open({ journalBytes })
      ask(gateway, {})
      expect(gateway.requests.all()).toEqual([])
      expect(shownJournal(gateway)).toBe('[]')
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
    for (let i = 0; i < 20; i++) ask(gateway, request)
    expect(gateway.requests.count()).toBeGreaterThan(0)
    expect(bytesOf(shownJournal(gateway))).toBeLessThanOrEqual(MIB)
  })

  it('says of a body that is over 64 KiB that it was cut, and shows its beginning', () => {
    const gateway = open()
    const body = JSON.stringify({ description: 'short', region: 'x'.repeat(100_000) })
    ask(gateway, { body })
    const shown = gateway.requests.last()?.request as string
    expect(shown.startsWith('{"description":"short","region":"xxxx')).toBe(true)
    expect(shown.endsWith(` [cut: ${KEPT} of ${body.length} characters]`)).toBe(true)
    expect(shown.length).toBeLessThan(KEPT + 100)
    ask(gateway, { body: JSON.stringify({ region: 'x'.repeat(30_000) }) })
    expect(gateway.requests.last()?.request).toEqual({ region: 'x'.repeat(30_000) })
  })

  it('shows no more of it where what stands for its secrets is longer than they are', () => {
    const gateway = open()
    const body = JSON.stringify({ filler: Array(6000).fill({ secret: 'hush' }) })
    ask(gateway, { method: 'PUT', url: HOOK, body })
    const note = ` [cut: ${KEPT} of ${body.length} characters]`
    const shown = gateway.requests.last()?.request as string
    expect([shown.endsWith(note), shown.length]).toEqual([true, KEPT + note.length])
    expect(shown).not.toContain('hush')
  })

  it('says of a path, a query and a method that they were cut', () => {
    const gateway = open()
    ask(gateway, { method: 'M'.repeat(70_000), url: `/${'p'.repeat(80_000)}?${'q'.repeat(90_000)}` })
    expect(gateway.requests.last()).toMatchObject({
      method: expect.stringMatching(/^M{65536}… \[cut: 65536 of 70000 characters\]$/),
      path: expect.stringMatching(/^\/p{65535}… \[cut: 65536 of 80001 characters\]$/),
      query: expect.stringMatching(/^q{65536}… \[cut: 65536 of 90000 characters\]$/),
    })
  })

  it('hides the secrets in the beginning of a long body too', () => {
    const gateway = open()
    const filler = 'x'.repeat(100_000)
    ask(gateway, {
      method: 'PUT',
      url: HOOK,
      body: JSON.stringify({ secret: 'hush-hush-hush', provider: 'github', filler }),
    })
    ask(gateway, { method: 'PUT', url: HOOK, body: JSON.stringify({ module: { secret: `hush-hush-hush${filler}` } }) })
    ask(gateway, { method: 'PUT', url: HOOK, body: `{"secret" "hush-hush-hush", "filler": "${filler}` })
    const shown = gateway.requests.all().map(({ request }) => request as string)
    expect(shown[0]).toContain('{"secret":"[redacted]","provider":"github","filler":"xxx')
    expect(shown[1]).toMatch(/^\{"module":\{"secret":"\[redacted\]"\}\} \[cut/)
    expect(JSON.stringify(shown)).not.toContain('hush-hush')
  })

  describe('leaves records out of a commit that are too heavy to keep, and says so', () => {
    const heavy = { cut: 'a record of more than 65536 bytes' }
    const small = expect.objectContaining({ module: expect.anything() })
    const put = (gateway: Gateway, config: object) => {
      const policy = { inbound: [{ actions: [{ type: 'oauth', config }] }] }
      ask(gateway, { method: 'PUT', url: POLICY, body: JSON.stringify(policy) })
      return gateway.requests.last()?.commit?.changes.map(({ before, after }) => [before, after])[0]
    }

    it.each([
      ['a text', { text: 'x'.repeat(70_000) }],
      ['lists', { list: Array(20_000).fill([]) }],
      ['a name', { ['x'.repeat(70_000)]: 1 }],
      ['numbers', { list: Array(10_000).fill(1) }],
      ['what is beside null', { inner: { list: [{ text: 'x'.repeat(70_000) }, null] }, none: null }],
    ])('by %s', (_what, config) => {
      const gateway = open()
      expect(put(gateway, { small: 1 })).toEqual([undefined, small])
      expect(put(gateway, config)).toEqual([small, heavy])
      expect(put(gateway, { small: 2 })).toEqual([heavy, small])
      put(gateway, config)
      ask(gateway, { method: 'DELETE', url: POLICY })
      const { commit } = gateway.requests.last() as JournalEntry
      expect(commit?.changes.map(({ before, after }) => [before, after])).toEqual([[heavy, undefined]])
      expect(commit).toMatchObject({ operation: 'traffic_policy.delete', at: '2025-09-04T10:11:14Z' })
    })
  })

  it('is shown from the newest entry back, as far as the bytes go', () => {
    const journalBytes = 20_000
    const gateway = open({ journalBytes })
    for (let i = 0; i < 9; i++) ask(gateway, { method: 'GET', url: `/${'\u0001'.repeat(500 + i)}` })
    const texts = gateway.requests
      .all()
      .map((entry) => JSON.stringify(entry))
      .reverse()
    const fitting = texts.filter(
      (_, index) => texts.slice(0, index + 1).reduce((sum, text) => sum + bytesOf(text) + 1, 0) <= journalBytes,
    )
    expect(fitting.length).toBeLessThan(texts.length)
    expect(shownJournal(gateway)).toBe(`[${fitting.reverse().join()}]`)
  })

  it('is shown whatever was sent, also JSON that is nested 5,000 levels deep', async () => {
    const gateway = open()
    const deep = (open: string, close: string) => `{"x":${open.repeat(5000)}1${close.repeat(5000)}}`
    ask(gateway, { body: deep('[', ']') })
    ask(gateway, { body: deep('{"x":', '}') })
    ask(gateway, { method: 'GET', body: deep('[', ']') })
    ask(gateway, { body: '[['.repeat(30_000) })
    const shown = JSON.parse(shownJournal(gateway))
    expect(shown).toHaveLength(4)
    expect(shown[0].status).toBe(400)
    expect(JSON.stringify(shown[0].request)).toContain('[nested more than 128 levels deep]')
    expect(shown[3].request).toBe('[a text of 60000 characters that is not JSON]')
  })

  it('is what GET /_fauxgate/requests shows (rules: control-api#calls)', async () => {
    const gateway = open()
    await client(gateway)('POST', '/reserved_addrs', { json: { description: 'ü' } })
    await client(gateway)('GET', '/tunnels')
    expect(JSON.parse(shownJournal(gateway))).toEqual(JSON.parse(JSON.stringify(gateway.requests.all())))
  })

  it('gives entries of the caller own: changing them changes nothing', () => {
    const gateway = open()
    ask(gateway, { body: '{"description":"mine"}' })
    const before = JSON.stringify(gateway.requests.all())
    const [entry] = gateway.requests.all() as unknown as [{ request: { description: string }; status: number }]
    entry.request.description = 'yours'
    entry.status = 0
    expect(JSON.stringify(gateway.requests.all())).toBe(before)
  })
})

describe('A process with little memory', () => {
  it('outlives any number of requests, whatever is in them', async () => {
    // Without copies, what is kept of 150 bodies would keep 117 MB.
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
