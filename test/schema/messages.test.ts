import { describe, expect, it, test } from 'vitest'
import { client, outcome, refusalOf, thrownBy } from '../support/client.ts'
import { open, stateOf } from '../support/gateway.ts'

const ADDRS = '/reserved_addrs'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const JSON_TYPE = { 'content-type': 'application/json' }

describe('A body that is not JSON (rules: requests#body)', () => {
  it.each(['null', '[]', '"a text"', '5', 'true'])('nor an object is told apart: %s', async (raw) => {
    const kinds: Record<string, string> = { null: 'null', '[]': 'an array', '5': 'a number', true: 'a boolean' }
    const answer = await client(open())('POST', ADDRS, { raw, headers: JSON_TYPE })
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_213')
    expect(answer.body.msg).toBe(`The body is ${kinds[raw] ?? 'a string'}. It must be one JSON object in UTF-8.`)
  })
})

describe('A path that is none (rules: answers#paths-and-methods)', () => {
  test.each([
    [
      '/reserved_addr',
      /: the segment "reserved_addr" is not known, there can be reserved_addrs, reserved_domains, backends, /,
    ],
    ['/reserved_addrs/ra_1/certificate', /: the segment "certificate" is not known, nothing follows there\.$/],
    [
      '/reserved_domains/rd_1/cert',
      /: the segment "cert" is not known, there can be certificate, certificate_management_policy\.$/,
    ],
    ['/backends', /: the path continues, there can be weighted\.$/],
    ['/reserved_addrs/', /: an empty segment is not known, there can be \{id\}\.$/],
    [`/${'x'.repeat(5000)}/y`, /: the segment "x{78,80}…"? is not known/],
  ])('%s', async (path, says) => {
    const answer = await client(open())('GET', path)
    expect(outcome(answer)).toBe('404 ERR_GATEWAY_90400')
    expect(answer.body.msg).toMatch(says)
    expect(answer.text.length).toBeLessThan(2000)
  })

  it('and a method that is none are quoted where they are no plain words, and cut', async () => {
    const answer = await client(open())('M'.repeat(3000), ADDRS)
    expect(outcome(answer)).toBe('405 ERR_GATEWAY_90405')
    expect(answer.text.length).toBeLessThan(600)
    expect(answer.body.msg).toMatch(/ is not allowed on \/reserved_addrs\. Allowed: POST, GET, HEAD\.$/)
  })
})

describe('An id in a message', () => {
  test.each([
    [`${ADDRS}/rd_1`, 'id is "rd_1". Allowed: an id that starts with "ra_".'],
    [`${ADDRS}/1`, 'id is "1". Allowed: an id: "ra_" and 1 to 64 letters or digits.'],
    [`${ADDRS}?before_id=rd_1`, 'before_id is "rd_1". Allowed: an id that starts with "ra_".'],
    [`${ADDRS}?before_id=1`, 'before_id is "1". Allowed: an id: "ra_" and 1 to 64 letters or digits.'],
  ])('shows its prefix once: %s', async (path, says) => {
    expect((await client(open())('GET', path)).body.msg).toBe(says)
  })

  it('is not so long that the message suffers', async () => {
    const gateway = open()
    expect((await client(gateway)('GET', `${ADDRS}/ra_${'a'.repeat(64)}`)).status).toBe(404)
    const answer = await client(gateway)('GET', `${ADDRS}/ra_${'a'.repeat(65)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_223')
  })
})

describe('No error answer is over 16 KiB (rules: errors#size)', () => {
  const many = (name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [name(i), 1.5]))

  test.each<[string, string, string, object, number]>([
    ['unknown fields', 'POST', ADDRS, many((i) => `k${i}`), 39_980],
    [
      'unknown fields with long and odd names',
      'POST',
      ADDRS,
      { ['\u0001"'.repeat(5000)]: 1, ['é'.repeat(9000)]: 1 },
      0,
    ],
    ['bad weights', 'POST', '/backends/weighted', { backends: many((i) => `bkdhr_${i}`) }, 39_980],
    ['bad children with bad weights', 'POST', '/backends/weighted', { backends: many((i) => `k${i}`) }, 79_980],
    [
      'bad children with long names',
      'POST',
      '/backends/weighted',
      { backends: many((i) => `${i}${'"'.repeat(5)}`) },
      79_980,
    ],
    ['rules without action', 'PUT', POLICY, { inbound: Array.from({ length: 5000 }, () => ({})) }, 4980],
    ['rules that are numbers', 'PUT', POLICY, { inbound: Array.from({ length: 60_000 }, () => 1) }, 59_980],
    [
      'unknown actions',
      'PUT',
      POLICY,
      { inbound: [{ actions: Array.from({ length: 900 }, () => ({ type: 'x' })) }] },
      880,
    ],
  ])('with %s, and the rest is counted', async (_name, method, path, json, further) => {
    const gateway = open()
    const before = stateOf(gateway)
    const answer = await client(gateway)(method, path, { json })
    expect(answer.status).toBe(400)
    expect(new TextEncoder().encode(answer.text).length).toBeLessThanOrEqual(16 * 1024)
    const { operation_id: _, further_problems = '0', ...fields } = answer.body.details
    expect(Object.keys(fields).every((name) => name.startsWith('field:'))).toBe(true)
    expect(Object.keys(fields).length).toBeLessThanOrEqual(20)
    expect(Number(further_problems)).toBeGreaterThanOrEqual(further)
    expect(Number(further_problems)).toBeLessThanOrEqual(further + 20)
    expect(stateOf(gateway)).toBe(before)
  })

  it('says so where it has not counted to the end, because a rule is slow', async () => {
    const expressions = Array.from({ length: 30_000 }, () => '1 +')
    const answer = await client(open())('PUT', POLICY, {
      json: { inbound: [{ expressions, actions: [{ type: 'deny' }] }] },
    })
    expect(answer.body.details.further_problems).toBe('9980 or more')
  })

  it('shows as many problems as 12 KiB hold, each as JSON, and counts the others', async () => {
    const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length
    for (let length = 30; length <= 61; length++) {
      const names = Array.from({ length: 20 }, (_, i) => `${String.fromCharCode(97 + i)}${'\u0001'.repeat(length)}`)
      const json = Object.fromEntries(names.map((name) => [name, 1]))
      const {
        operation_id: _,
        further_problems = '0',
        ...fields
      } = (await client(open())('POST', ADDRS, { json })).body.details
      const sizes = Object.entries<string>(fields).map(([name, message]) => bytesOf(name) + bytesOf(message))
      const most = Math.floor((12 * 1024) / (sizes[0] as number))
      expect([length, sizes.length]).toEqual([length, Math.min(20, most)])
      expect(Number(further_problems)).toBe(20 - sizes.length)
    }
  })

  it('keeps twenty problems of ordinary length whole', async () => {
    const json = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`field_${i}`, 1]))
    const { details } = (await client(open())('POST', ADDRS, { json })).body
    expect(details['field:field_19']).toBe(
      'field_19 is not a field of this operation. Supported: description, metadata, region.',
    )
    expect(details['field:field_20']).toBeUndefined()
    expect(details.further_problems).toBe('1')
  })

  it('names a field by the first segments of its path, quoted where they are no names', async () => {
    const json = { inbound: [{ actions: [{ type: 'x', 'a b': 1, ['y'.repeat(70)]: 1, __proto__x: 1 }] }] }
    const { details } = (await client(open())('PUT', POLICY, { json })).body
    expect(Object.keys(details)).toEqual([
      'operation_id',
      'field:inbound.0.actions.0."a b"',
      `field:inbound.0.actions.0.${'y'.repeat(64)}…`,
      'field:inbound.0.actions.0.__proto__x',
      'field:inbound.0.actions.0.type',
    ])
  })
})

describe('A value that nests too deep', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const policy = (config: string) => `{"inbound":[{"actions":[{"type":"rate-limit","config":${config}}]}]}`

  it('is allowed to 64 levels, and named by its field beyond', async () => {
    const put = (raw: string) => client(open())('PUT', POLICY, { raw, headers: JSON_TYPE })
    expect((await put(policy(nested(64)))).status).toBe(200)
    const answer = await put(policy(nested(65)))
    expect(answer.body.msg).toBe(
      'inbound.0.actions.0.config is an object. Allowed: at most 64 levels of nesting, and a.a.a.a.a.a.a.a.a.a.a.a.… goes deeper.',
    )
    expect(Object.keys(answer.body.details)).toEqual(['operation_id', 'field:inbound.0.actions.0.config'])
    expect(outcome(await put(policy(nested(50_000))))).toBe('400 ERR_GATEWAY_215')
  })

  it('is named by the branch that is too deep', async () => {
    const raw = policy(`{"fine":{"a":1},"deep":[0,${nested(64)}]}`)
    const answer = await client(open())('PUT', POLICY, { raw, headers: JSON_TYPE })
    expect(answer.body.msg).toContain('and deep.1.a.a.a.a.a.a.a.a.a.a.… goes deeper')
    expect(Object.keys(answer.body.details)).toHaveLength(2)
  })
})

describe('A body of the direct API (rules: requests#the-direct-api)', () => {
  const calls = {
    create: (body: unknown) => open().reservedAddrs.create(body as never),
    list: (query: unknown) => open().reservedAddrs.list(query as never),
    replace: (body: unknown) => open().compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, body as never),
  }

  test.each(['create', 'replace'] as const)('is refused as over HTTP where it is no object: %s', (name) => {
    const bodies: [unknown, string][] = [
      [null, 'null'],
      [[], 'an array'],
      ['{}', 'a string'],
      [5, 'a number'],
      [new Map(), 'an object of another kind'],
    ]
    for (const [body, called] of bodies) {
      const error = thrownBy(() => calls[name](body))
      expect([error.key, error.status, error.message]).toEqual([
        'body_unparsable',
        400,
        `The body is ${called}. It must be one JSON object in UTF-8.`,
      ])
    }
    expect(refusalOf(() => calls[name](undefined))).toBe('ok')
  })

  test('nor is a query that is no object one', () => {
    for (const query of [null, [], 'x', 5]) expect(refusalOf(() => calls.list(query))).toBe('field_invalid')
    expect(thrownBy(() => calls.list([])).message).toBe(
      'query is an array of 0. Allowed: an object of limit, before_id, filter.',
    )
    expect(refusalOf(() => calls.list(undefined))).toBe('ok')
  })

  test('ids that are none are refused by name, whatever they are', () => {
    for (const ids of [null, 5, 'x', {}]) {
      const error = thrownBy(() => open().compression.get(ids as never))
      expect([error.key, Object.keys(error.details)]).toEqual(['id_unparsable', ['field:edge_id', 'field:id']])
    }
    expect(refusalOf(() => open().reservedAddrs.get(null as never))).toBe('id_unparsable')
  })
})
