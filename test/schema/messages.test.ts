import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { client, outcome, refusalOf, thrownBy } from '../support/client.ts'
import { open, stateOf } from '../support/gateway.ts'
import { checkAsync } from '../support/property.ts'

const ADDRS = '/reserved_addrs'
const POLICY = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const JSON_TYPE = { 'content-type': 'application/json' }

async function saidOf(raw: string): Promise<string> {
  const answer = await client(open())('POST', ADDRS, { raw, headers: JSON_TYPE })
  expect(outcome(answer)).toBe('400 ERR_GATEWAY_213')
  return /^The body is not JSON: (.*)\. It must be one JSON object in UTF-8\.$/.exec(answer.body.msg)?.[1] ?? ''
}

describe('A body that is not JSON (rules: requests#body)', () => {
  test.each([
    ['{"a": 1,}', 'at line 1, column 9 (position 8) there is "}" instead of a name in double quotes'],
    ['{', 'at line 1, column 2 (position 1) there is the end instead of a name in double quotes or "}"'],
    ["{'a': 1}", 'at line 1, column 2 (position 1) there is "\'" instead of a name in double quotes or "}"'],
    ['{"a" 1}', 'at line 1, column 6 (position 5) there is "1" instead of ":"'],
    ['{"a":}', 'at line 1, column 6 (position 5) there is "}" instead of a value'],
    ['{"a": undefined}', 'at line 1, column 7 (position 6) there is "u" instead of a value'],
    ['{"a": 1 "b": 2}', 'at line 1, column 9 (position 8) there is "\\"" instead of "," or "}"'],
    ['{\n  "a": [1,\r\n 2 3]}', 'at line 3, column 4 (position 17) there is "3" instead of "," or "]"'],
    ['{"a": [,]}', 'at line 1, column 8 (position 7) there is "," instead of a value or "]"'],
    ['{"a": [1,]}', 'at line 1, column 10 (position 9) there is "]" instead of a value'],
    ['{"a": [1}', 'at line 1, column 9 (position 8) there is "}" instead of "," or "]"'],
    ['{} x', 'at line 1, column 4 (position 3) there is "x" instead of the end of the body'],
    ['{"a": 01}', 'at line 1, column 8 (position 7) there is "1" instead of "," or "}"'],
    ['{"a": -}', 'at line 1, column 8 (position 7) there is "}" instead of a digit'],
    ['{"a": 1.}', 'at line 1, column 9 (position 8) there is "}" instead of a digit'],
    ['{"a": - 1}', 'at line 1, column 8 (position 7) there is the character U+0020 instead of a digit'],
    ['{\t"a":\t12\tx}', 'at line 1, column 11 (position 10) there is "x" instead of "," or "}"'],
    ['{"a": .5}', 'at line 1, column 7 (position 6) there is "." instead of a value'],
    ['{"a": 1e+}', 'at line 1, column 10 (position 9) there is "}" instead of a digit'],
    ['{"a": 1E}', 'at line 1, column 9 (position 8) there is "}" instead of a digit'],
    [
      '{"a": 1.5e3, "b": -0.5E-2, c}',
      'at line 1, column 28 (position 27) there is "c" instead of a name in double quotes',
    ],
    ['{"a": nul}', 'at line 1, column 7 (position 6) there is "n" instead of a value'],
    [
      '{"a": true, "b": false, "c": null, }',
      'at line 1, column 36 (position 35) there is "}" instead of a name in double quotes',
    ],
    [
      '{"a": "x\ny"}',
      'at line 1, column 9 (position 8) there is the character U+000A instead of a text without control characters; write them as escapes',
    ],
    ['{"a": "x', 'at line 1, column 7 (position 6) a text begins that does not end'],
    ['{"a": "x\\"}', 'at line 1, column 7 (position 6) a text begins that does not end'],
    ['{"a": "\\x41"}', 'at line 1, column 8 (position 7) a text has an escape that JSON does not have'],
    ['{"a": "\\u12g4"}', 'at line 1, column 8 (position 7) a text has an escape that JSON does not have'],
    ['{"a": "\\u00e9\\n\\\\", "b": 1 1}', 'at line 1, column 28 (position 27) there is "1" instead of "," or "}"'],
    ['\ufeff{}', 'at line 1, column 1 (position 0) there is a byte order mark instead of a value'],
    ['{"a":\u00a01}', 'at line 1, column 6 (position 5) there is the character U+00A0 instead of a value'],
    ['{"a": 😀}', 'at line 1, column 7 (position 6) there is "😀" instead of a value'],
    [' ', 'at line 1, column 2 (position 1) there is the end instead of a value'],
  ])('%j: %s', async (raw, says) => {
    expect(await saidOf(raw)).toBe(says)
  })

  it.each(['null', '[]', '"a text"', '5', 'true'])('nor an object is told apart: %s', async (raw) => {
    const kinds: Record<string, string> = { null: 'null', '[]': 'an array', '5': 'a number', true: 'a boolean' }
    const answer = await client(open())('POST', ADDRS, { raw, headers: JSON_TYPE })
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_213')
    expect(answer.body.msg).toBe(`The body is ${kinds[raw] ?? 'a string'}. It must be one JSON object in UTF-8.`)
  })

  it('is said where it stops being JSON: what stands before can be completed, what stands there cannot', async () => {
    const texts = fc.tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\n', '1', '\\'),
    )
    await checkAsync(
      fc.asyncProperty(texts, async ([text, at, put]) => {
        const place = at % (text.length + 1)
        const raw = `{"a":${text.slice(0, place)}${put}${text.slice(place + 1)}}`
        fc.pre(!isJson(raw))
        const says = await saidOf(raw)
        const position = Number(/\(position (\d+)\)/.exec(says)?.[1])
        expect(says.length).toBeLessThan(150)
        expect(position).toBeLessThanOrEqual(raw.length)
        // A text that the parser gives up at a later place would have been refused there, not here.
        const [, line, column] = /^at line (\d+), column (\d+) /.exec(says) ?? []
        expect([line, column]).toEqual([
          String(raw.slice(0, position).split('\n').length),
          String(position - raw.lastIndexOf('\n', position - 1)),
        ])
        if (/there is/.test(says)) expect(canBeCompleted(raw.slice(0, position))).toBe(true)
      }),
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a beginning of JSON has a good end: one of a few that fit every place where a text can be cut. */
function canBeCompleted(text: string): boolean {
  const values = ['', '1', '"', '"":1', ':1', '":1', ',"":1', '0']
  const closings = closingsOf(text)
  return values.some((value) => closings.some((closing) => isJson(text + value + closing)))
}

function closingsOf(text: string): string[] {
  let open = ''
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (isText && char === '\\') i++
    else if (char === '"') isText = !isText
    else if (!isText && (char === '{' || char === '[')) open = (char === '{' ? '}' : ']') + open
    else if (!isText && (char === '}' || char === ']')) open = open.slice(1)
  }
  return [open, `"${open}`]
}

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
    ['/backends', /: it goes on, there can be weighted\.$/],
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
