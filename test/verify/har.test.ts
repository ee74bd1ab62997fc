import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../src/resources/dialects.ts'
import { parseHar } from '../../src/verify/har-reader.ts'
import { hasPassed, replay } from '../../src/verify/replay.ts'
import { NEW_YEAR } from '../support/provisioning.ts'
import { gatewayToVerify } from '../support/verify.ts'

// A HAR file shows a request as the program saw it. Programs differ in what they write, and in what they leave out.

const NOW = Date.parse(NEW_YEAR)

// biome-ignore lint/suspicious/noExplicitAny: HAR files of other programs have anything.
type Json = any

const pairs = (headers: Headers): Json[] => [...headers].map(([name, value]) => ({ name, value }))

/** Three requests to a gateway and its answers, as entries of HAR 1.2. `base64` writes bodies as mitmproxy does for bytes. */
async function entries(base64 = false): Promise<Json[]> {
  const gateway = gatewayToVerify()
  const all: Json[] = []
  const send = async (method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    const headers = new Headers({
      authorization: 'Bearer a-key',
      'ngrok-version': '2',
      'content-type': 'application/json',
    })
    const answer = await gateway.fetch(gateway.url + path, { method, headers, ...(text && { body: text }) })
    const received = await answer.text()
    const shown = base64 ? btoa(received) : received
    all.push({
      startedDateTime: `${NEW_YEAR.slice(0, 19)}+00:00`,
      time: 12.5,
      request: {
        method,
        url: gateway.url + path,
        httpVersion: 'HTTP/2.0',
        cookies: [],
        headers: [...pairs(headers), { name: 'User-Agent', value: 'curl/8.5.0' }, { name: 'Origin', value: 'null' }],
        queryString: [],
        headersSize: 210,
        bodySize: text?.length ?? 0,
        ...(text && { postData: { mimeType: 'application/json', text, params: [] } }),
      },
      response: {
        status: answer.status,
        statusText: '',
        httpVersion: 'HTTP/2.0',
        cookies: [],
        headers: pairs(answer.headers),
        content: {
          size: received.length,
          compression: 0,
          mimeType: 'application/json',
          text: shown,
          ...(base64 && { encoding: 'base64' }),
        },
        redirectURL: '',
        headersSize: 160,
        bodySize: received.length,
      },
      cache: {},
      timings: { connect: 1, ssl: 2, send: 1, receive: 1, wait: 7.5 },
      serverIPAddress: '203.0.113.7',
    })
    return received === '' ? undefined : JSON.parse(received)
  }
  const { id } = await send('POST', '/ip_policies', { description: 'first' })
  await send('GET', `/ip_policies/${id}`)
  await send('DELETE', `/ip_policies/${id}`)
  return all
}

const har = (all: readonly Json[], creator: object = { name: 'mitmproxy', version: '11.0.2' }) =>
  parseHar(JSON.stringify({ log: { version: '1.2', creator, pages: [], entries: all } }), 'a.har')

describe('A HAR file that another program wrote is replayed', () => {
  test('by Playwright, with a page among the requests', async () => {
    const recording = parseHar(readFileSync('test/fixtures/har/playwright.har', 'utf8'), 'playwright.har')
    const { compared, differing, skipped, warnings } = await replay(recording, { now: Date.parse('2026-11-24') })
    expect([compared, differing, skipped]).toEqual([6, [], []])
    expect(warnings).toEqual([
      'Playwright 1.65.1 wrote the file: the client is unknown, and so is its version; no secret was replaced',
      '1 request left out: not of this API',
    ])
  })

  test.each([false, true])('in the layout of mitmproxy, with bodies in base64: %s', async (base64) => {
    const recording = har(await entries(base64))
    expect(recording.info).toMatchObject({ dialect: 'ngrok', url: 'https://api.ngrok.com', client: '', version: '' })
    const report = await replay(recording, { now: NOW })
    expect([report.compared, report.differing, report.skipped]).toEqual([3, [], []])
    expect(report.warnings).toEqual([expect.stringMatching(/^mitmproxy 11\.0\.2 wrote the file/)])
  })

  test('from a browser, which leaves out keys, and adds preflights, other hosts and headers of HTTP/2', async () => {
    const [create, get, remove] = await entries()
    for (const { request } of [create, get, remove]) {
      request.headers = request.headers.filter(({ name }: Json) => name !== 'authorization')
      request.headers.push({ name: ':authority', value: 'api.ngrok.com' })
    }
    const elsewhere = structuredClone(get)
    elsewhere.request.url = 'https://telemetry.example/ip_policies'
    const preflight = structuredClone(get)
    preflight.request.method = 'OPTIONS'
    const report = await replay(har([preflight, create, elsewhere, get, remove], {}), { now: NOW })
    expect([report.compared, hasPassed(report)]).toEqual([3, true])
    expect(report.warnings[1]).toBe('2 requests left out: not of this API')
  })

  test('and an answer that is another is a difference', async () => {
    const [create, get] = await entries()
    get.response.content.text = get.response.content.text.replace('first', 'second')
    const report = await replay(har([create, get]), { now: NOW })
    expect(report.differing.map(({ differences }) => differences.map(({ at }) => at))).toEqual([['body.description']])
  })

  test('and names what has no text: a body that was left out, bytes, and a request that was cut off', async () => {
    const [create, get, remove] = await entries()
    const missing = structuredClone(get)
    delete missing.response.content.text
    const bytes = structuredClone(get)
    Object.assign(bytes.response.content, { text: btoa('\xff\xfe'), encoding: 'base64' })
    const failed = structuredClone(get)
    Object.assign(failed.response, { status: 0, bodySize: 0, content: { size: 0, mimeType: 'x-unknown' } })
    const unsent = structuredClone(create)
    delete unsent.request.postData
    const report = await replay(har([create, missing, bytes, failed, unsent, remove]), { now: NOW })
    const without = 'the text of a body is not in the recording'
    expect(report.skipped.map(({ reason }) => reason)).toEqual([without, without, 'the answer 0 says nothing', without])
    expect([report.compared, hasPassed(report)]).toEqual([2, true])
  })
})

test('A HAR file without requests to this API is refused with the headers that are missing, and its hosts', async () => {
  const [create] = await entries()
  create.request.url = 'https://example.org/'
  create.request.headers = []
  create.response.headers = []
  const headers = Object.values(dialects).flatMap((each) => [each.versionHeader, each.operationIdHeader])
  expect(headers.slice(0, 3)).toEqual(['Service-Version', 'Service-Operation-Id', 'Ngrok-Version'])
  expect(() => har([create])).toThrow(
    `a.har has no request to this API: none has a header ${headers.join(', ')}. Its hosts are example.org.`,
  )
})

test('A byte order mark before a HAR file is nothing', async () => {
  const text = `\ufeff${JSON.stringify({ log: { entries: await entries() } })}`
  expect(parseHar(text, 'a.har').exchanges).toHaveLength(3)
})
