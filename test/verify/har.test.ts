import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../src/service/resources/dialects.ts'
import { parseHar } from '../../src/verify/har-reader.ts'
import { hasPassed, replay } from '../../src/verify/replay.ts'
import { NEW_YEAR } from '../support/provisioning.ts'
import { gatewayToVerify } from '../support/verify.ts'

// Programs differ in the parts of a request that they write into a HAR file.

const NOW = Date.parse(NEW_YEAR)

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
      startedDateTime: `${NEW_YEAR.slice(0, 19)}+00:00`,
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
      'Playwright 1.65.1 wrote the file: the client is unknown, and so is its version; no secret was replaced',
      '1 request left out: not of this API',
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
    expect(report.warnings[1]).toBe('2 requests left out: not of this API')
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
    expect(report.skipped.map(({ reason }) => reason)).toEqual([noText, noText, 'the answer 0 says nothing', noText])
    expect([report.compared, hasPassed(report)]).toEqual([2, true])
  })
})

test('A HAR file without requests to this API is refused with the headers that are missing, and its hosts', async () => {
  const [create] = await createEntries()
  create.request.url = 'https://example.org/'
  create.request.headers = []
  create.response.headers = []
  const headers = Object.values(dialects).flatMap((each) => [each.versionHeader, each.operationIdHeader])
  expect(headers.slice(0, 3)).toEqual(['Service-Version', 'Service-Operation-Id', 'Ngrok-Version'])
  expect(() => parse([create])).toThrow(
    `a.har has no request to this API: none has a header ${headers.join(', ')}. Its hosts are example.org.`,
  )
})

test('A byte order mark before a HAR file is ignored', async () => {
  const text = `\ufeff${JSON.stringify({ log: { entries: await createEntries() } })}`
  expect(parseHar(text, 'a.har').exchanges).toHaveLength(3)
})
