import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../src/service/resources/dialects.ts'
import { parseHar } from '../../src/verify/har-reader.ts'
import { hasPassed, replay, replayText } from '../../src/verify/replay.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { gatewayToVerify } from '../support/verify.ts'

// Programs differ in the parts of a request that they write into a HAR file.

const NOW = CLOCK_START

// biome-ignore lint/suspicious/noExplicitAny: HAR files of other programs have anything.
type Json = any

const toPairs = (headers: Headers): Json[] => [...headers].map(([name, value]) => ({ name, value }))

/** Sends three requests to a gateway. Returns entries of HAR 1.2, if `base64` with bodies like those of mitmproxy. */
async function createEntries(base64 = false): Promise<Json[]> {
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
    const responseText = await answer.text()
    const contentText = base64 ? btoa(responseText) : responseText
    all.push({
      startedDateTime: `${SHOWN_START.slice(0, 19)}+00:00`,
      time: 12.5,
      request: {
        method,
        url: gateway.url + path,
        httpVersion: 'HTTP/2.0',
        cookies: [],
        headers: [...toPairs(headers), { name: 'User-Agent', value: 'curl/8.5.0' }, { name: 'Origin', value: 'null' }],
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
        headers: toPairs(answer.headers),
        content: {
          size: responseText.length,
          compression: 0,
          mimeType: 'application/json',
          text: contentText,
          ...(base64 && { encoding: 'base64' }),
        },
        redirectURL: '',
        headersSize: 160,
        bodySize: responseText.length,
      },
      cache: {},
      timings: { connect: 1, ssl: 2, send: 1, receive: 1, wait: 7.5 },
      serverIPAddress: '203.0.113.7',
    })
    return responseText === '' ? undefined : JSON.parse(responseText)
  }
  const { id } = await send('POST', '/ip_policies', { description: 'first' })
  await send('GET', `/ip_policies/${id}`)
  await send('DELETE', `/ip_policies/${id}`)
  return all
}

const parse = (all: readonly Json[], creator: object = { name: 'mitmproxy', version: '11.0.2' }) =>
  parseHar(JSON.stringify({ log: { version: '1.2', creator, pages: [], entries: all } }), 'a.har')

describe('A HAR file that another program wrote is replayed', () => {
  test('by Playwright, with a page among the requests', async () => {
    const recording = parseHar(readFileSync('test/fixtures/har/playwright.har', 'utf8'), 'playwright.har')
    const { compared, differing, skipped, warnings } = await replay(recording, { now: Date.parse('2026-11-24') })
    expect([compared, differing, skipped]).toEqual([6, [], []])
    expect(warnings).toEqual([
      'Playwright 1.65.1 wrote the file: the client and its version are unknown; no secrets were replaced',
      '1 request left out, because they are not for this API',
    ])
  })

  test.each([false, true])('in the layout of mitmproxy, with bodies in base64: %s', async (base64) => {
    const recording = parse(await createEntries(base64))
    expect(recording.info).toMatchObject({ dialect: 'ngrok', url: 'https://api.ngrok.com', client: '', version: '' })
    const report = await replay(recording, { now: NOW })
    expect([report.compared, report.differing, report.skipped]).toEqual([3, [], []])
    expect(report.warnings).toEqual([expect.stringMatching(/^mitmproxy 11\.0\.2 wrote the file/)])
  })

  test('from a browser, which leaves out keys, and adds preflights, other hosts and headers of HTTP/2', async () => {
    const [create, get, remove] = await createEntries()
    for (const { request } of [create, get, remove]) {
      request.headers = request.headers.filter(({ name }: Json) => name !== 'authorization')
      request.headers.push({ name: ':authority', value: 'api.ngrok.com' })
    }
    const foreignEntry = structuredClone(get)
    foreignEntry.request.url = 'https://telemetry.example/ip_policies'
    const preflight = structuredClone(get)
    preflight.request.method = 'OPTIONS'
    const report = await replay(parse([preflight, create, foreignEntry, get, remove], {}), { now: NOW })
    expect([report.compared, hasPassed(report)]).toEqual([3, true])
    expect(report.warnings[1]).toBe('2 requests left out, because they are not for this API')
  })

  test('and a response that differs is a difference', async () => {
    const [create, get] = await createEntries()
    get.response.content.text = get.response.content.text.replace('first', 'second')
    const report = await replay(parse([create, get]), { now: NOW })
    expect(report.differing.map(({ differences }) => differences.map(({ at }) => at))).toEqual([['body.description']])
  })

  test('and the report names what has no text: a body that was left out, bytes, and a request that was cut off', async () => {
    const [create, get, remove] = await createEntries()
    const entryWithoutText = structuredClone(get)
    delete entryWithoutText.response.content.text
    const bytes = structuredClone(get)
    Object.assign(bytes.response.content, { text: btoa('\xff\xfe'), encoding: 'base64' })
    const failedEntry = structuredClone(get)
    Object.assign(failedEntry.response, { status: 0, bodySize: 0, content: { size: 0, mimeType: 'x-unknown' } })
    const entryWithoutBody = structuredClone(create)
    delete entryWithoutBody.request.postData
    const report = await replay(parse([create, entryWithoutText, bytes, failedEntry, entryWithoutBody, remove]), {
      now: NOW,
    })
    const noText = 'the text of a body is not in the recording'
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      noText,
      noText,
      'the 0 response contains no information',
      noText,
    ])
    expect([report.compared, hasPassed(report)]).toEqual([2, true])
  })
})

// One odd entry must not end a replay: it is named with its number, and the rest is compared.
describe('An entry that cannot be compared is named with its number', () => {
  const CANNOT = 'it has a header that cannot be sent'
  const UNREAD = 'its response was not read to the end'
  const NO_TEXT = 'the text of a body is not in the recording'
  const OTHER_FILE = "its body is in another file: record with content: 'embed'"
  const TIME = 'its startedDateTime is not a time in the years 1970 to 9999'

  test.each<[string, (entry: Json) => void, string]>([
    [
      'a GET with a body',
      ({ request }) => (request.postData = { mimeType: 'text/plain', text: 'x' }),
      'a GET with a body cannot be sent',
    ],
    ['TRACE', ({ request }) => (request.method = 'TRACE'), 'requests with its method are not compared'],
    ['CONNECT', ({ request }) => (request.method = 'connect'), 'requests with its method are not compared'],
    [
      'a header that is not Latin-1',
      ({ request }) => request.headers.push({ name: 'x-name', value: 'planted-value-ł' }),
      CANNOT,
    ],
    [
      'a header with a line break',
      ({ request }) => request.headers.push({ name: 'x-name', value: 'a\r\nplanted-value: 1' }),
      CANNOT,
    ],
    ['the year 1969', (entry) => (entry.startedDateTime = '1969-12-31T23:59:59Z'), TIME],
    ['the year 10000', (entry) => (entry.startedDateTime = '+010000-01-01T00:00:00Z'), TIME],
    ['no time', (entry) => (entry.startedDateTime = null), TIME],
    ['no response', (entry) => delete entry.response.status, 'its response has no status'],
    ['the status "error"', ({ response }) => (response.status = 'error'), 'its response has no status'],
    [
      'a response that broke off',
      ({ response }) => Object.assign(response, { _error: 'net::ERR_ABORTED', content: { size: 0 } }),
      UNREAD,
    ],
    [
      'a response that nobody read',
      ({ response }) => Object.assign(response, { bodySize: -1, content: { size: 0, text: '' } }),
      UNREAD,
    ],
    [
      'an empty text and a length',
      ({ response }) =>
        Object.assign(response, {
          headers: [...response.headers, { name: 'Content-Length', value: '9' }],
          content: { size: -1 },
        }),
      UNREAD,
    ],
    ['a body in a file', ({ response }) => (response.content = { size: 9, _file: 'a.json' }), OTHER_FILE],
  ])('%s', async (_what, change, reason) => {
    const [create, get, remove] = await createEntries()
    change(get)
    const report = await replay(parse([create, get, remove]), { now: NOW })
    expect(report.skipped).toEqual([{ number: 2, request: expect.any(String), reason }])
    expect([report.compared, hasPassed(report)]).toEqual([2, true])
    const text = replayText(report)
    expect(text).toContain(`Not compared, 1 exchange (2): ${reason}`)
    expect(text).not.toContain('planted-value')
  })

  test.each<[string, (entry: Json) => void]>([
    [
      'without postData and with an unknown size',
      ({ request }) => Object.assign(request, { postData: undefined, bodySize: -1 }),
    ],
    [
      'with the fields of a form without text',
      ({ request }) => (request.postData = { mimeType: 'multipart/form-data', params: [{ name: 'a', value: 'b' }] }),
    ],
  ])('a POST %s', async (_what, change) => {
    const [create] = await createEntries()
    const second = structuredClone(create)
    change(second)
    const report = await replay(parse([create, second]), { now: NOW })
    expect(report.skipped.map(({ number, reason }) => [number, reason])).toEqual([[2, NO_TEXT]])
  })

  test('a body that is nested 50,000 deep', async () => {
    const [create, get] = await createEntries()
    const second = structuredClone(create)
    second.request.postData.text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const report = await replay(parse([create, get, second]), { now: NOW })
    expect(report.skipped.map(({ number, reason }) => [number, reason])).toEqual([[3, 'its body is nested too deeply']])
  })
})

test('Odd entries of other hosts do not matter, and methods are read in any case', async () => {
  const [create, get, remove] = await createEntries()
  for (const { request } of [create, get, remove]) request.method = request.method.toLowerCase()
  const odd = [
    null,
    'text',
    { request: null },
    { startedDateTime: null, request: { method: 'CONNECT', url: 'example.org:443' } },
    { request: { method: 'GET', url: 'javascript:alert(1)', headers: [{ name: 'ngrok-version', value: '2' }] } },
  ]
  const report = await replay(parse([...odd, create, get, remove]), { now: NOW })
  expect([report.compared, report.skipped, hasPassed(report)]).toEqual([3, [], true])
  expect(report.warnings[1]).toBe('5 requests left out, because they are not for this API')
})

test('JSON that is marked as Base64 is read as text', async () => {
  const all = await createEntries()
  for (const { response } of all) response.content.encoding = 'base64'
  const report = await replay(parse(all.slice(0, 2)), { now: NOW })
  expect([report.compared, report.differing]).toEqual([2, []])
})

test('The fields of a form are a body', async () => {
  const [create] = await createEntries()
  create.request.postData = { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: 'b c' }] }
  expect(parse([create]).exchanges[0]?.request.body).toBe('a=b+c')
})

test('130,000 entries and a dialect named __proto__ end nothing', async () => {
  const [create] = await createEntries()
  const recording = parse([create])
  const exchanges = Array.from({ length: 130_000 }, () => ({ ...recording.exchanges[0], missing: 'planted' }) as Json)
  expect((await replay({ ...recording, exchanges }, { now: NOW })).skipped).toHaveLength(130_000)
  const wrong = { ...recording, info: { ...recording.info, dialect: '__proto__' } }
  await expect(replay(wrong, { now: NOW })).rejects.toThrow('Allowed: standard, ngrok')
})

test('A HAR file without requests to this API is rejected with the headers that are missing, and its hosts', async () => {
  const [create] = await createEntries()
  create.request.url = 'https://example.org/'
  create.request.headers = []
  create.response.headers = []
  const headers = Object.values(dialects).flatMap((each) => [each.versionHeader, each.operationIdHeader])
  expect(headers.slice(0, 3)).toEqual(['Service-Version', 'Service-Operation-Id', 'Ngrok-Version'])
  expect(() => parse([create])).toThrow(
    `a.har contains no request to this API: none includes the header ${headers.join(', ')}. The hosts are example.org.`,
  )
})

test('A byte order mark before a HAR file is ignored', async () => {
  const text = `\ufeff${JSON.stringify({ log: { entries: await createEntries() } })}`
  expect(parseHar(text, 'a.har').exchanges).toHaveLength(3)
})
