import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { client, outcome, type RequestParts } from '../../support/client.ts'
import { open, stateOf } from '../../support/gateway.ts'

const PATH = '/reserved_addrs'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const JSON_TYPE = { 'content-type': 'application/json' }
const MIB = 1024 * 1024

/** Returns a JSON object of this many bytes. */
function bodyOf(bytes: number, filler = 'x'): string {
  const size = new TextEncoder().encode(filler).length
  const room = bytes - '{"description":""}'.length
  return `{"description":"${filler.repeat(Math.floor(room / size))}${'x'.repeat(room % size)}"}`
}

describe('The checks of a request (rules: requests#order-of-checks): the first that fails answers', () => {
  /** From the last check to the first: each mistake, along with all mistakes of later checks. */
  const faults: readonly [name: string, expected: string, sending: RequestParts, path: string][] = [
    ['the rules of the resource', '409 ERR_GATEWAY_503', { json: {} }, PATH],
    ['a field', '400 ERR_GATEWAY_500', { json: { region: 'mars' } }, PATH],
    ['an unknown field', '400 ERR_GATEWAY_214', { json: { region: 'mars', colour: 'red' } }, PATH],
    ['the query', '400 ERR_GATEWAY_231', { json: { region: 'mars', colour: 'red' } }, `${PATH}?x=1`],
    ['the body', '400 ERR_GATEWAY_213', { raw: '[', headers: JSON_TYPE }, `${PATH}?x=1`],
    ['the content type', '415 ERR_GATEWAY_210', { raw: '[', headers: { 'content-type': 'text/csv' } }, `${PATH}?x=1`],
    [
      'the version',
      '400 ERR_GATEWAY_217',
      { raw: '[', headers: { 'content-type': 'text/csv', 'service-version': '1' } },
      `${PATH}?x=1`,
    ],
    [
      'the key',
      '401 ERR_GATEWAY_203',
      { raw: '[', headers: { 'content-type': 'text/csv', 'service-version': '1', authorization: 'Bearer other' } },
      `${PATH}?x=1`,
    ],
  ]

  test.each(faults)('%s before those that follow it', async (_name, expected, sending, path) => {
    const gateway = open({ keys: ['key'], addressesPerRegion: 1 })
    gateway.reservedAddrs.create()
    const before = stateOf(gateway)
    expect(outcome(await client(gateway)('POST', path, sending))).toBe(expected)
    expect(stateOf(gateway)).toBe(before)
  })

  test('end with whether the resource exists: its fields are checked before', async () => {
    const api = client(open())
    const sending = { json: { metadata: 7 } }
    expect(outcome(await api('PATCH', `${PATH}/ra_gone`, sending))).toBe('400 ERR_GATEWAY_215')
    expect(outcome(await api('PATCH', `${PATH}/ra_gone`, { json: {} }))).toBe('404 ERR_GATEWAY_90404')
  })
})

describe('The API key (rules: requests#api-key)', () => {
  test.each(['Bearer key', 'bearer key', 'BEARER key', 'Bearer  key', 'Bearer a.b-c_d~e+f/g=', 'Bearer 1'])(
    'may be any non-empty one by default: %s',
    async (authorization) => {
      expect((await client(open())('GET', PATH, { headers: { authorization } })).status).toBe(200)
    },
  )

  test.each(['', 'Bearer', 'Bearer ', 'key', 'Basic a2V5', 'Bearerkey', 'Token Bearer key'])(
    'is rejected as unparsable unless it is Bearer and a key: %j',
    async (authorization) => {
      const answer = await client(open())('GET', PATH, { headers: { authorization } })
      expect(outcome(answer)).toBe('401 ERR_GATEWAY_201')
    },
  )

  test('must be in the list that the gateway was created with', async () => {
    const keys = ['first', 'second', 'füg']
    const api = client(open({ keys }))
    for (const key of ['first', 'second']) {
      expect((await api('GET', PATH, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
    }
    for (const key of ['First', 'firs', 'firstt', 'firstsecond', 'first,second', 'third', 'f', 'first\u00e9']) {
      const answer = await api('GET', PATH, { headers: { authorization: `Bearer ${key}` } })
      expect(outcome(answer)).toBe('401 ERR_GATEWAY_203')
    }
  })

  test('is rejected always when the list is empty', async () => {
    expect(outcome(await client(open({ keys: [] }))('GET', PATH))).toBe('401 ERR_GATEWAY_203')
  })
})

describe('The version header (rules: requests#version)', () => {
  test.each(['1', '3', '2.0', '02', '', 'two', '2, 2'])('cannot be %j', async (version) => {
    const answer = await client(open())('GET', PATH, { headers: { 'service-version': version } })
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_217')
  })

  test("must be the dialect's own: the other dialect's does not count", async () => {
    const headers = { 'service-version': null, 'ngrok-version': '2' }
    const answer = await client(open())('GET', PATH, { headers })
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_218')
    expect(answer.body.msg).toBe(
      'The Service-Version header is missing. Send "Service-Version: 2". The request has ngrok-version, as sent by clients of the ' +
        '"ngrok" dialect. For them, use "fauxgate serve --dialect ngrok" or createNgrok() from fauxgate/ngrok.',
    )
  })

  test.each([
    ['service-version', 'use "fauxgate serve --dialect standard" or createGateway() from fauxgate.'],
    ['acme-version', "does the gateway's `dialect` match the client's?"],
  ])('as %s tells how to get the dialect of the client', async (header, text) => {
    const headers = { 'service-version': null, 'ngrok-version': null, [header]: '2' }
    const { body } = await client(open({ dialect: ngrok }))('GET', PATH, { headers })
    expect(body.msg).toContain('The Ngrok-Version header is missing. ')
    expect(body.msg).toContain(text)
  })

  test('is reported as missing in one sentence if no other version header was sent', async () => {
    const headers = { 'service-version': null, 'x-app-version': '2' }
    const { body } = await client(open())('GET', PATH, { headers })
    expect(body.msg).toBe('The Service-Version header is missing. Send "Service-Version: 2".')
  })
})

describe('The body of a request (rules: requests#body)', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"; foo=bar',
  ])('may have the content type %s', async (type) => {
    const answer = await client(open())('POST', PATH, { raw: '{}', headers: { 'content-type': type } })
    expect(answer.status).toBe(201)
  })

  test.each([
    'text/plain',
    'application/jsonp',
    'application/json-patch+json',
    'application/x-www-form-urlencoded',
    'json',
  ])('cannot have the content type %s', async (type) => {
    const answer = await client(open())('POST', PATH, { raw: '{}', headers: { 'content-type': type } })
    expect(outcome(answer)).toBe('415 ERR_GATEWAY_210')
  })

  test('that fetch announces as text/plain, because it is a bare string, is rejected as such', async () => {
    const answer = await client(open())('POST', PATH, { raw: '{}' })
    expect(outcome(answer)).toBe('415 ERR_GATEWAY_210')
    expect(answer.body.msg).toContain('text/plain')
  })

  test.each(['POST', 'PUT', 'PATCH'])('counts as {} when a %s has none, whatever its content type', async (method) => {
    const gateway = open()
    const { id } = gateway.weightedBackends.create()
    const path = {
      POST: '/backends/weighted',
      PUT: '/edges/https/edghts_1/routes/edghtsrt_1/compression',
      PATCH: `/backends/weighted/${id}`,
    }[method] as string
    const api = client(gateway)
    expect((await api(method, path)).status).toBeLessThan(300)
    expect((await api(method, path, { headers: { 'content-type': 'text/csv' } })).status).toBeLessThan(300)
    expect((await api(method, path, { raw: '' })).status).toBeLessThan(300)
  })

  test.each([
    ...['null', '[]', '[{}]', '"text"', '7', 'true', 'nothing'],
    ...['{', '{}}', '{"a":1,}', "{'a':1}", ' ', '\ufeff{}'],
  ])('must be one JSON object: %j is not', async (raw) => {
    expect(outcome(await client(open())('POST', PATH, { raw, headers: JSON_TYPE }))).toBe('400 ERR_GATEWAY_213')
  })

  test('may have white space around', async () => {
    const raw = ' \r\n\t{"description": "d"}\n '
    expect((await client(open())('POST', PATH, { raw, headers: JSON_TYPE })).body.description).toBe('d')
  })

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a cut character', [0xe6, 0x9d]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
  ])('must be UTF-8: %s is not', async (_what, bytes) => {
    const raw = new Uint8Array([...new TextEncoder().encode('{"description":"'), ...bytes, 0x22, 0x7d])
    expect(outcome(await client(open())('POST', PATH, { raw, headers: JSON_TYPE }))).toBe('400 ERR_GATEWAY_213')
  })

  test.each([
    ['a text', (text: string) => text],
    ['bytes', (text: string) => new TextEncoder().encode(text)],
    ['a blob', (text: string) => new Blob([text])],
  ])('may have exactly 1 MiB and not one byte more: %s', async (_what, form) => {
    const api = client(open())
    for (const filler of ['x', '東']) {
      const exact = await api('POST', PATH, { raw: form(bodyOf(MIB, filler)) as BodyInit, headers: JSON_TYPE })
      expect(exact.status).toBe(201)
      const over = await api('POST', PATH, { raw: form(bodyOf(MIB + 1, filler)) as BodyInit, headers: JSON_TYPE })
      expect(outcome(over)).toBe('413 ERR_GATEWAY_90413')
    }
  })

  test('over the limit is rejected only after key and version were checked', async () => {
    const sending = { raw: bodyOf(MIB + 1), headers: { ...JSON_TYPE, authorization: null } }
    expect(outcome(await client(open())('POST', PATH, sending))).toBe('401 ERR_GATEWAY_200')
  })

  test.each(['{}', ' {} ', ''])('may be %j on DELETE, whatever the content type', async (raw) => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const sending = { raw, headers: { 'content-type': 'text/csv' } }
    expect((await client(gateway)('DELETE', `${PATH}/${id}`, sending)).status).toBe(204)
  })

  test.each(['{"a":1}', '[]', 'x', 'null', '{}{}'])(
    'cannot be %j on DELETE, which then deletes nothing',
    async (raw) => {
      const gateway = open()
      const { id } = gateway.reservedAddrs.create()
      const answer = await client(gateway)('DELETE', `${PATH}/${id}`, { raw, headers: JSON_TYPE })
      expect(outcome(answer)).toBe('400 ERR_GATEWAY_211')
      expect(gateway.reservedAddrs.get(id).id).toBe(id)
    },
  )

  test.each([
    ['', 200],
    ['{}', 200],
    ['{"a":1}', 400],
  ])('on GET, as other transports can send one, is %j: %d', (body, status) => {
    const gateway = open()
    const header = (name: string) => ({ authorization: 'Bearer key', 'service-version': '2' })[name] ?? null
    expect(gateway.transport.exchange({ method: 'GET', url: PATH, header, body }).status).toBe(status)
  })
})

describe('Hostile JSON (rules: requests#keys-are-data)', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'cannot use the key %s as a field: it is unknown like any other',
    async (key) => {
      const raw = `{"${key}": {"description": "polluted", "region": "eu"}}`
      const answer = await client(open())('POST', PATH, { raw, headers: JSON_TYPE })
      expect(outcome(answer)).toBe('400 ERR_GATEWAY_214')
      expect(answer.body.msg).toContain(key)
      expect(answer.body.details[`field:${key}`]).toBe(answer.body.msg)
      expect(({} as Record<string, unknown>).description).toBeUndefined()
    },
  )

  test.each([
    ['a list of nothing', POLICY, '[', ']', '400 ERR_GATEWAY_213', ''],
    ['an unknown field', PATH, '{"a":', '}', '400 ERR_GATEWAY_214', '1'],
    ['a text field', PATH, '{"description":[', ']}', '400 ERR_GATEWAY_215', ''],
    ['weights', '/backends/weighted', '{"backends":{"bkdhr_1":', '}}', '400 ERR_GATEWAY_215', '1'],
    ['a config', POLICY, '{"inbound":[{"actions":[{"type":"oauth","config":', '}]}]}', '400 ERR_GATEWAY_215', '1'],
  ])('can nest 100,000 levels deep without harm: %s', async (_what, path, start, end, expected, core) => {
    const array = start.includes('[')
    const raw = array
      ? start + '['.repeat(100_000) + ']'.repeat(100_000) + end
      : start + '{"a":'.repeat(100_000) + core + '}'.repeat(100_000) + end
    const method = path.endsWith('policy') ? 'PUT' : 'POST'
    expect(outcome(await client(open())(method, path, { raw, headers: JSON_TYPE }))).toBe(expected)
  })

  test.each(['/__proto__', '/constructor', '/reserved_addrs/x/__proto__', '/edges/https/__proto__', '//', '/%2e%2e'])(
    'has no counterpart in paths: %s is not found',
    async (path) => {
      expect(outcome(await client(open())('GET', path))).toBe('404 ERR_GATEWAY_90400')
    },
  )

  test('has no counterpart in ids: __proto__ is none', async () => {
    expect(outcome(await client(open())('GET', `${PATH}/__proto__`))).toBe('400 ERR_GATEWAY_223')
  })
})

describe('The URL of a request', () => {
  const api = (url: string) => {
    const headers: Record<string, string> = { authorization: 'Bearer k', 'service-version': '2' }
    const answer = open().transport.exchange({ method: 'GET', url, header: (name) => headers[name] ?? null, body: '' })
    return [answer.status, JSON.parse(answer.body ?? 'null')?.msg] as const
  }

  test.each([
    '/reserved_addrs?filter=obj.metadata=="https://elsewhere.test/x"',
    '/reserved_addrs#://',
    '/reserved_addrs?#?limit=nope',
    'https://api.gateway.test/reserved_addrs?filter=obj.metadata=="a://b"',
    'https://elsewhere.test/reserved_addrs',
    'https://elsewhere.test:8080/reserved_addrs?limit=1#?x',
  ])('may be absolute or a path, with a query and a fragment: %s', (url) => {
    expect(api(url)).toEqual([200, undefined])
  })

  test.each([
    ['https://api.gateway.test', '"/"'],
    ['https://api.gateway.test?limit=1', '"/"'],
    ['https://api.gateway.test#x', '"/"'],
    ['/', '"/"'],
    ['', '"/"'],
    ['/reserved_addr', '"/reserved_addr"'],
    ['https://api.gateway.test/reserved_addr?x=://y/z', '"/reserved_addr"'],
  ])('is rejected by its path where that is none of the API: %s', (url, path) => {
    const [status, msg] = api(url)
    expect([status, msg]).toEqual([404, expect.stringContaining(`GET ${path} is not part of this API`)])
  })

  test.each([
    ['/api/reserved_addrs', '"/reserved_addrs" is a path of this API. Remove "/api" in front of it.'],
    ['//reserved_addrs/ra_1', '"/reserved_addrs/ra_1" is a path of this API. Remove "/" in front of it.'],
    ['/api/reserved_addr', 'The segment "api" is unknown.'],
  ])('is explained where a part of the base URL is in front of it: %s', (url, problem) => {
    expect(api(url)).toEqual([404, expect.stringContaining(problem)])
  })

  test.each([
    ['/api_keys', '/api_keys'],
    ['/vaults/vault_1/secrets', '/vaults'],
    ['/edges/https', '/edges/https'],
  ])("names createNgrok where only a gateway with ngrok's families has the path: %s", (path, start) => {
    expect(api(path)).toEqual([404, expect.stringContaining(`${start} exists in createNgrok from fauxgate/ngrok`)])
    const served = '"fauxgate serve --dialect ngrok".'
    expect(api(path)[1]).toContain(served)
  })

  test.each(['/api_keys_of_mine', '/edges', '/edges/https/edghts_1/routes/edghtsrt_1/complession'])(
    'names only the unknown segment where ngrok lacks the path too: %s',
    (path) => {
      expect(api(path)).toEqual([404, expect.not.stringContaining('createNgrok')])
    },
  )

  test('of a gateway in the dialect ngrok without its families shows createNgrok in the report', async () => {
    const gateway = open({ dialect: ngrok })
    const answer = await client(gateway)('GET', '/api_keys')
    expect(answer.body.msg).toBe('Not Found')
    expect(gateway.report()).toContain('/api_keys exists in createNgrok from fauxgate/ngrok')
  })

  test('of a gateway with some families of ngrok names createNgrok for the others alone', async () => {
    const gateway = createGateway({ dialect: ngrok, families: { apiKeys: ngrokFamilies.apiKeys } })
    expect((await client(gateway, { apiKeys: ngrokFamilies.apiKeys })('GET', '/api_keys')).status).toBe(200)
    await client(gateway)('GET', '/api_keys/a/b')
    expect(gateway.report()).not.toContain('createNgrok')
    await client(gateway)('GET', '/vaults')
    expect(gateway.report()).toContain('/vaults exists in createNgrok')
  })

  test('is under the base URL, or a path alone', () => {
    const gateway = open({ baseUrl: 'https://gateway.test/api/v2' })
    const ask = (url: string) => gateway.transport.exchange({ method: 'GET', url, header: () => null, body: '' }).status
    // 401: the path is known.
    expect(
      ['https://gateway.test/api/v2/reserved_addrs', '/api/v2/reserved_addrs', '/reserved_addrs'].map(ask),
    ).toEqual([401, 401, 401])
    expect(['/api/v2reserved_addrs', '/api/reserved_addrs', '/api/v2', '/v2/reserved_addrs'].map(ask)).toEqual([
      404, 404, 404, 404,
    ])
    expect(ask('https://gateway.test/api/v2')).toBe(404)
    expect(gateway.requests.last()?.path).toBe('/')
  })
})
