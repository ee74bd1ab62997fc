import { describe, expect, it, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open, stateOf } from '../../support/gateway.ts'

const ADDRS = '/reserved_addrs'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const JSON_TYPE = { 'content-type': 'application/json' }

describe('An unknown path (rules: answers#paths-and-methods)', () => {
  test.each([
    ['/nowhere', /\. The segment "nowhere" is unknown\. Allowed there: reserved_addrs, reserved_domains, backends, /],
    ['/reserved_addr', /\. The segment "reserved_addr" is unknown\. Did you mean reserved_addrs\?$/],
    ['/reserved_addrs/ra_1/certificate', /\. The segment "certificate" is unknown\. There are no paths under it\.$/],
    ['/reserved_domains/rd_1/cert', /\. The segment "cert" is unknown\. Did you mean certificate\?$/],
    ['/backends', /\. The path is incomplete\. Allowed there: weighted\.$/],
    ['/reserved_addrs/', /\. An empty segment is unknown\. Allowed there: \{id\}\.$/],
    [`/${'x'.repeat(5000)}/y`, /\. The segment "x{78,80}…"? is unknown/],
  ])('%s', async (path, pattern) => {
    const answer = await client(open())('GET', path)
    expect(outcome(answer)).toBe('404 ERR_GATEWAY_90400')
    expect(answer.body.msg).toMatch(pattern)
    expect(answer.text.length).toBeLessThan(2000)
  })

  it('and an unknown method are quoted if they are not plain words, and cut if they are long', async () => {
    const answer = await client(open())('M'.repeat(3000), ADDRS)
    expect(outcome(answer)).toBe('405 ERR_GATEWAY_90405')
    expect(answer.text.length).toBeLessThan(600)
    expect(answer.body.msg).toMatch(/ is not allowed on \/reserved_addrs\. Allowed: POST, GET, HEAD\.$/)
  })
})

describe('An id in a path', () => {
  it('has at most 64 letters and digits after its prefix, or it is rejected', async () => {
    const gateway = open()
    expect((await client(gateway)('GET', `${ADDRS}/ra_${'a'.repeat(64)}`)).status).toBe(404)
    const answer = await client(gateway)('GET', `${ADDRS}/ra_${'a'.repeat(65)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_223')
  })
})

test('A long value in a message is not cut inside of a character', () => {
  for (const length of [77, 78, 79, 80]) {
    const { message } = expectError(() => open().reservedAddrs.create({ region: `${'x'.repeat(length)}😀y` as 'us' }))
    expect(message).toMatch(/^region is "x{77,80}(?:😀y?)?…?"\. Allowed: /u)
  }
})

describe('No error answer is over 16 KiB (rules: errors#size)', () => {
  const createMany = (name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [name(i), 1.5]))

  test.each<[string, string, string, object, number]>([
    ['unknown fields', 'POST', ADDRS, createMany((i) => `k${i}`), 39_980],
    [
      'unknown fields with long and odd names',
      'POST',
      ADDRS,
      { ['\u0001"'.repeat(5000)]: 1, ['é'.repeat(9000)]: 1 },
      0,
    ],
    ['bad weights', 'POST', '/backends/weighted', { backends: createMany((i) => `bkdhr_${i}`) }, 39_980],
    ['bad children with bad weights', 'POST', '/backends/weighted', { backends: createMany((i) => `k${i}`) }, 79_980],
    ['rules without action', 'PUT', POLICY, { inbound: Array.from({ length: 5000 }, () => ({})) }, 4980],
    ['rules that are numbers', 'PUT', POLICY, { inbound: Array.from({ length: 60_000 }, () => 1) }, 59_980],
  ])('with %s, and the rest is counted', async (_name, method, path, json, further) => {
    const gateway = open()
    const before = stateOf(gateway)
    const answer = await client(gateway)(method, path, { json })
    expect(answer.status).toBe(400)
    expect(new TextEncoder().encode(answer.text).length).toBeLessThanOrEqual(16 * 1024)
    const { operation_id: _, further_problems = '0', ...fields } = withoutFacts(answer.body.details)
    expect(Object.keys(fields).every((name) => name.startsWith('field:'))).toBe(true)
    expect(Object.keys(fields).length).toBeLessThanOrEqual(20)
    expect(Number(further_problems)).toBeGreaterThanOrEqual(further)
    expect(Number(further_problems)).toBeLessThanOrEqual(further + 20)
    expect(stateOf(gateway)).toBe(before)
  })

  it('counts further problems as "… or more" if counting stopped early, because a rule is slow', async () => {
    const expressions = Array.from({ length: 30_000 }, () => '1 +')
    const answer = await client(open())('PUT', POLICY, {
      json: { inbound: [{ expressions, actions: [{ type: 'deny' }] }] },
    })
    expect(answer.body.details.further_problems).toBe('9980 or more')
  })

  it('names a field by the first segments of its path, and quotes a segment that is not a plain name', async () => {
    const json = { inbound: [{ actions: [{ type: 'x', 'a b': 1, ['y'.repeat(70)]: 1, __proto__x: 1 }] }] }
    const { details } = (await client(open())('PUT', POLICY, { json })).body
    expect(Object.keys(withoutFacts(details))).toEqual([
      'operation_id',
      'field:inbound.0.actions.0."a b"',
      `field:inbound.0.actions.0.${'y'.repeat(64)}…`,
      'field:inbound.0.actions.0.__proto__x',
      'field:inbound.0.actions.0.type',
    ])
  })
})

describe('A value that nests too deep', () => {
  const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const policy = (config: string) => `{"inbound":[{"actions":[{"type":"rate-limit","config":${config}}]}]}`

  it('is allowed up to 64 levels; a deeper value is rejected by the name of its field', async () => {
    const put = (raw: string) => client(open())('PUT', POLICY, { raw, headers: JSON_TYPE })
    expect((await put(policy(nest(64)))).status).toBe(200)
    const answer = await put(policy(nest(65)))
    expect(answer.body.msg).toBe(
      'inbound.0.actions.0.config is an object. Allowed: at most 64 levels of nesting; a.a.a.a.a.a.a.a.a.a.a.a.… is deeper.',
    )
    expect(Object.keys(withoutFacts(answer.body.details))).toEqual(['operation_id', 'field:inbound.0.actions.0.config'])
    expect(outcome(await put(policy(nest(50_000))))).toBe('400 ERR_GATEWAY_215')
  })
})

describe('A body of the direct API (rules: requests#the-direct-api)', () => {
  const calls = {
    create: (body: unknown) => open().reservedAddrs.create(body as never),
    replace: (body: unknown) => open().compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, body as never),
  }

  test.each(['create', 'replace'] as const)('is rejected as over HTTP if it is not an object: %s', (name) => {
    const bodies: [unknown, string][] = [
      [null, 'null'],
      [[], 'an array'],
      ['x', 'a string'],
      ['{}', 'a string that contains a JSON object, not the object itself'],
      [5, 'a number'],
      [new Map(), 'a Map'],
      [Promise.resolve({}), 'a Promise'],
    ]
    for (const [body, typeName] of bodies) {
      const error = expectError(() => calls[name](body))
      expect([error.key, error.status, error.message]).toEqual([
        'body_unparsable',
        400,
        `The body is ${typeName}. It must be a single JSON object in UTF-8.`,
      ])
    }
    expect(refusalKey(() => calls[name](undefined))).toBe('ok')
  })

  test('is checked before the ids, as over HTTP (rules: requests#order-of-checks)', async () => {
    const gateway = open()
    const directKey = refusalKey(() => gateway.reservedAddrs.update('nonsense', [] as never))
    const answer = await client(gateway)('PATCH', `${ADDRS}/nonsense`, { json: [] })
    expect([directKey, outcome(answer)]).toEqual(['body_unparsable', '400 ERR_GATEWAY_213'])
  })

  test('an invalid id of any type is rejected by the name of its field', () => {
    for (const ids of [null, 5, 'x', {}]) {
      const error = expectError(() => open().compression.get(ids as never))
      expect([error.key, Object.keys(withoutFacts(error.details))]).toEqual([
        'id_unparsable',
        ['field:edge_id', 'field:id'],
      ])
    }
    expect(refusalKey(() => open().reservedAddrs.get(null as never))).toBe('id_unparsable')
  })
})

test('A message about a missing id says that it is undefined', () => {
  // @ts-expect-error JavaScript code may pass the field of another object, which is undefined.
  expect(() => createNgrok().endpoints.get(undefined)).toThrow('There is no resource with the ID undefined: such an ID')
})
