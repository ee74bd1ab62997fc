import { describe, expect, test } from 'vitest'
import { lazy } from '../../src/core/schema/values.ts'
import { readResponse } from '../../src/verify/exchange.ts'
import type { RecordedExchange, Recording } from '../../src/verify/har.ts'
import { parseHar } from '../../src/verify/har-reader.ts'
import { hasPassed, replay } from '../../src/verify/replay.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { formatRecording, gatewayToVerify, KEY, recordExchanges } from '../support/verify.ts'

const NOW = CLOCK_START

/** Records a run against fauxgate. Returns the recording. */
async function record(families: readonly string[]): Promise<Recording> {
  return parseHar(formatRecording(await recordExchanges({ families })), 'a.har')
}

const getField = (body: unknown, field: string): unknown => Reflect.get(Object(body), field)

describe('A recording', () => {
  test('keeps no planted secret, id, name or address, wherever it is', () => {
    const secrets = {
      key: 'ak_live_4f8Jq2ZpXw7Lr9Vt',
      token: '2AbCdEfGhIjKlMnOpQrStUvWxYz_0aB1cD2eF3gH4iJ5kL6mN',
      secret: 'correct horse battery staple',
      account: 'usr_2ZyXwVuTsRqPoNmLkJiHgFeDcB',
      name: 'Wilhelmina Quartermaine',
      domain: 'vault-of-wilhelmina.example',
      email: 'wilhelmina@quartermaine.example',
      ipv4: '84.201.17.9',
      ipv6: '2a01:4f8:c17:b8f::2',
    }
    const body = {
      id: 'cr_2BcDeFgHiJkLmNoPqRsTuVwXyZ0',
      token: secrets.token,
      owner_id: secrets.account,
      description: `of ${secrets.name}, ${secrets.email}`,
      metadata: JSON.stringify({ seen: secrets.ipv4, by: secrets.name }),
      acl: [`bind:${secrets.domain}`],
      client_secret: secrets.secret,
      ip: secrets.ipv6,
    }
    const responseBody = { ...body, msg: `${secrets.name} at ${secrets.domain} with ${secrets.key}` }
    const exchange: RecordedExchange = {
      at: NOW,
      request: {
        method: 'POST',
        path: `/credentials?filter=${encodeURIComponent(`obj.description == "${secrets.name}"`)}&token=${secrets.token}`,
        headers: { authorization: `Bearer ${secrets.key}` },
        body: JSON.stringify({ ...body, password: secrets.secret }),
      },
      response: {
        status: 201,
        text: JSON.stringify(responseBody),
        body: responseBody,
        headers: { 'content-type': 'application/json', 'set-cookie': `session=${secrets.token}`, via: secrets.ipv4 },
      },
    }
    const text = formatRecording([exchange], secrets.key)
    for (const value of Object.values(secrets)) {
      expect(text).not.toContain(value)
      for (const word of value.split(/[ @]/).filter((each) => each.length > 8))
        expect(decodeURIComponent(text)).not.toContain(word)
    }
    const { exchanges, info } = parseHar(text, 'a.har')
    const recordedBody = exchanges[0]?.response.body as typeof body // It is still JSON.
    for (const field of ['id', 'token', 'owner_id', 'description', 'client_secret'] as const) {
      expect([field, recordedBody[field].length]).toEqual([field, body[field].length])
      expect(recordedBody[field].replaceAll(/[a-z]/gi, 'a').replaceAll(/\d/g, 'a')).toBe(
        body[field].replaceAll(/[a-z]/gi, 'a').replaceAll(/\d/g, 'a'),
      )
    }
    // The same value has the same placeholder in the request.
    expect(JSON.parse(exchanges[0]?.request.body ?? '').owner_id).toBe(recordedBody.owner_id)
    expect(new Set(info.replaced.map(({ kind }) => kind))).toEqual(new Set(['secret', 'id', 'name', 'address']))
    expect(info.replaced.every(({ times }) => times > 0)).toBe(true)
  })

  test('of verify has no key, domain or token, and is HAR 1.2', async () => {
    const families = ['api_keys', 'reserved_domains']
    const exchanges = await recordExchanges({ families, domain: 'shop.acme-corp.com' })
    const text = formatRecording(exchanges)
    const tokens = exchanges.flatMap(({ response }) => /"token":"([^"]+)"/.exec(response.text)?.slice(1) ?? [])
    expect(tokens.length).toBeGreaterThan(1)
    for (const secret of [KEY, 'acme-corp', ...tokens]) expect(text).not.toContain(secret)
    const { log } = JSON.parse(text)
    expect([log.version, log.creator.name, log.entries.length]).toEqual(['1.2', 'fauxgate', exchanges.length])
    expect(Object.keys(log.entries[0])).toEqual(['startedDateTime', 'time', 'request', 'response', 'cache', 'timings'])
    expect(log.entries[0].startedDateTime).toBe(new Date(CLOCK_START).toISOString())
  })
})

describe('A replay', () => {
  /** A recording of one family, which no test changes. */
  const policies = lazy(() => record(['ip_policies']))
  /** Its first exchanges. */
  const beginning = async () => ({ ...(await policies()), exchanges: (await policies()).exchanges.slice(0, 4) })

  test('finds no difference in a recording of fauxgate itself', async () => {
    const recording = await record(['ip_policy_rules', 'credentials', 'reserved_addrs'])
    const report = await replay(recording, { now: NOW })
    expect(report.differing).toEqual([])
    expect([report.skipped, report.warnings, hasPassed(report)]).toEqual([[], [], true])
    expect(report.compared).toBeGreaterThan(250)
  })

  test('finds a response that differs', async () => {
    const recording = await policies()
    const at = recording.exchanges.findIndex(
      ({ request, response }) => request.method === 'PATCH' && response.status === 200,
    )
    const exchanges = recording.exchanges.map((each, index): RecordedExchange => {
      if (index !== at) return each
      const body = { ...(each.response.body as object), description: null }
      return { ...each, response: { ...each.response, body, text: JSON.stringify(body) } }
    })
    const other = { ...recording, exchanges }
    const report = await replay(other, { now: NOW })
    expect(report.differing.map(({ number }) => number)).toEqual([at + 1])
    expect(report.differing[0]?.differences.map((each) => each.at)).toEqual(['body.description'])
    expect(hasPassed(report)).toBe(false)
    const excuse = { request: 'PATCH /ip_policies/*', at: 'body.description', reason: 'for this test' }
    expect(hasPassed(await replay(other, { now: NOW, known: [excuse] }))).toBe(true)
    const unusedReport = await replay(recording, { now: NOW, known: [excuse] })
    expect([unusedReport.unused, hasPassed(unusedReport)]).toEqual([[excuse], false])
  })

  test('of nothing fails, and an old recording warns and does not fail', async () => {
    const recording = await beginning()
    const emptyReport = await replay({ ...recording, exchanges: [] }, { now: NOW })
    expect(hasPassed(emptyReport)).toBe(false)
    const laterReport = await replay(recording, { now: NOW + 181 * 86_400_000 })
    expect([laterReport.warnings.length, hasPassed(laterReport)]).toEqual([1, true])
    const soonReport = await replay(recording, { now: NOW + 180 * 86_400_000 })
    expect(soonReport.warnings).toEqual([])
  })

  test('has another placeholder for each address, which the replay accepts as the service did', async () => {
    const gateway = gatewayToVerify()
    const exchanges: RecordedExchange[] = []
    const create = async (path: string, body: object) => {
      const request = { method: 'POST', path, headers: {}, body: JSON.stringify(body) }
      const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
      const response = await readResponse(await gateway.fetch(gateway.url + path, { ...request, headers }))
      exchanges.push({ at: NOW, request, response })
      return getField(response.body, 'id')
    }
    const networks = [
      ...Array.from({ length: 5 }, (_, n) => `${n + 2}.0.0.0/8`),
      ...['1f14', '1f18', '1f19', '2a05'].map((part) => `2600:${part}::/32`),
    ]
    const policy = await create('/ip_policies', {})
    for (const cidr of networks) await create('/ip_policy_rules', { ip_policy_id: policy, cidr, action: 'allow' })
    const recording = formatRecording(exchanges)
    const [, ...rules] = parseHar(recording, 'a.har').exchanges
    const placeholders = rules.map(({ response }) => getField(response.body, 'cidr'))
    expect(placeholders.filter((cidr, index) => cidr === networks[index])).toEqual([])
    expect(new Set(placeholders).size).toBe(networks.length)
    expect(await replay(parseHar(recording, 'a.har'), { now: NOW })).toMatchObject({ compared: 10, differing: [] })
  })

  test('compares no response about the key, the limit of requests or a failure of the server', async () => {
    const recording = await beginning()
    const statuses = [401, 403, 429, 503]
    const exchanges = recording.exchanges.map((each, index): RecordedExchange => {
      return { ...each, response: { ...each.response, status: statuses[index] ?? 0 } }
    })
    const report = await replay({ ...recording, exchanges }, { now: NOW })
    expect([report.compared, report.skipped.length, hasPassed(report)]).toEqual([0, 4, false])
  })

  const formatHar = (...urls: string[]) => {
    const entries = urls.map((url) => ({ startedDateTime: SHOWN_START, request: { url }, response: {} }))
    return JSON.stringify({ log: { entries } })
  }

  test.each([
    ['no JSON', 'nonsense', 'a.har is not JSON. Allowed: a HAR 1.2 file.'],
    ['an array', '[]', 'a.har contains no log. Allowed: a HAR 1.2 file, such as'],
    ['no HAR', '{}', 'contains no log'],
    ['a HAR without requests', '{"log":{"entries":[]}}', 'contains no request to this API'],
    [
      'a HAR of another API',
      formatHar('https://example.com/a', 'data:,a', 'https://example.com/b', 'https://example.net/'),
      'Ngrok-Operation-Id. The hosts are example.com, example.net.',
    ],
    ['a HAR without hosts', formatHar('data:,a'), 'Ngrok-Operation-Id. No hosts are named.'],
    ['a HAR with half an entry', '{"log":{"entries":[{"request":{}}]}}', 'contains no request to this API'],
    [
      'a recording of another protocol',
      '{"log":{"_fauxgate":{"format":1,"url":"javascript:alert(1)"}}}',
      'Allowed: an http or https URL.',
    ],
    ['a later format', '{"log":{"_fauxgate":{"format":2}}}', 'has format version 2; only 1 is supported.'],
  ])('rejects a file that is %s', (_what, text, message) => {
    expect(() => parseHar(text, 'a.har')).toThrow(message)
  })
})
