import { describe, expect, test } from 'vitest'
import { client, expectError, outcome } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'

/** Expects an error at the character after "¦". */
function expectRefusedAtMark(markedFilter: string, family: 'reservedDomains' | 'weightedBackends' | 'tlsCertificates') {
  const filter = markedFilter.replace('¦', '')
  const { key, message } = expectError(() => open()[family].list({ filter }))
  expect(key).toBe('filter_invalid')
  expect(message).toContain(`: at character ${[...markedFilter].indexOf('¦') + 1}: `)
  expect(message).toMatch(/: .+; expected .+\. Filters are a subset of CEL over obj: /s)
}

describe('A filter that can never match is rejected at the wrong part (rules: filters#types)', () => {
  test.each([
    'obj.domain < ¦5',
    '¦"x" == size(obj.domain)',
    'obj.created_at == ¦5',
    '  obj.domain\n  ==\n  ¦5',
    '[obj.id] == ¦obj.domain',
    'size(obj.domain) == ¦null',
    'obj.region < ¦null',
    '¦obj.certificate < "x"',
    '¦obj.domain',
    '¦obj',
    '¦size(obj.domain)',
    'true || ¦obj.domain || true',
    '5 in ¦obj.domain',
    '"x" in ¦5',
    '"id" in ¦obj.certificate',
    '¦5 in ["x"]',
    '¦obj.domain in [timestamp(time.now)]',
    '¦timestamp(time.now) in ["2025-09-04T12:11:14Z", "yesterday"]',
    'obj.domain in ["a", ¦5]',
    'obj.region in [null, 5, ¦"a"]',
    'obj.domain.startsWith(¦5)',
    '¦size(obj.domain).contains("1")',
    'size(¦5) == 1',
    '¦size() == 1',
    '¦obj.id.contains("a", "b")',
    '¦obj.id.matches("^a")',
    '¦has(obj.id)',
    '¦[1, 2].exists(x, x == 1)',
    '¦obj.created_at.add("2d")',
    'timestamp(time.now).add(¦"soon") == null',
    'timestamp(¦"yesterday") < timestamp(time.now)',
    'obj.domain < ¦timestamp(time.now)',
    '¦time.now == 1',
    'timestamp(¦time.then) == 1',
    '¦obj.certificate.foo == 1',
    '¦obj.certificate.id.length == 1',
    '¦obj.domain + "x" == "y"',
    '¦-size(obj.id) == 5',
    '¦true ? true : false',
    '¦obj["domain"] == "x"',
    '¦{"a": 1} == {}',
    '¦5u == 5',
    '¦b"x" == "x"',
    '¦9007199254740992 > 0',
  ])('%s, over reservedDomains', (markedFilter) => expectRefusedAtMark(markedFilter, 'reservedDomains'))

  test.each([
    '¦obj.backends == 5',
    'obj.backends.bkdhr_1 == ¦"5"',
    '¦obj.backends.bkdhr_1.x == 5',
    '¦obj == null',
    '¦obj.colour == "red"',
    '¦foo.bar == 1',
  ])('%s, over weightedBackends', (markedFilter) => expectRefusedAtMark(markedFilter, 'weightedBackends'))

  test.each([
    'obj.key_usages == ¦"x"',
    '¦obj.key_usages < "x"',
    '¦obj.key_usages.contains("x")',
    '¦obj.subject_alternative_names == null',
  ])('%s, over tlsCertificates', (markedFilter) => expectRefusedAtMark(markedFilter, 'tlsCertificates'))
})

describe('A filter that is not valid CEL is rejected at the wrong part (rules: filters#language)', () => {
  test.each([
    '(¦',
    'obj.domain ==¦',
    '¦#',
    'obj.domain ¦= "x"',
    'obj.domain ¦& 1',
    '(obj.domain == "x"¦',
    'size(obj.domain¦',
    '{"a" ¦1}',
    'obj. ¦== 1',
    '¦"abc',
    '"a¦\\q" == "x"',
    '¦if == 1',
    '¦1e999 == 1',
  ])('%s', (markedFilter) => expectRefusedAtMark(markedFilter, 'reservedDomains'))

  test.each([
    ['('.repeat(300), 'Exceeded maxDepth (250)'],
    [`size(${'1,'.repeat(40)})`, 'Exceeded maxCallArguments (32)'],
  ])('and so is one beyond the limits of the parser: %s', (filter, limit) => {
    expect(expectError(() => open().reservedDomains.list({ filter })).message).toContain(limit)
  })
})

describe('The size of a filter (rules: filters#language)', () => {
  const listDomains = (filter: string) => open().reservedDomains.list({ filter })

  test('is at most 2048 characters', () => {
    const padTo = (length: number) => 'true'.padEnd(length)
    expect(listDomains(padTo(2048)).reserved_domains).toEqual([])
    expect(expectError(() => listDomains(padTo(2049))).message).toContain(': it is 2049 characters long; ')
    expect(listDomains(`"${'😀'.repeat(2027)}" == obj.metadata`).reserved_domains).toEqual([])
  })

  test.each([
    ['!', (depth: number) => `${'!'.repeat(depth - 1)}true`, 250],
    ['-', (depth: number) => `${'-'.repeat(depth - 2)}1==1`, 250],
    ['==', (depth: number) => `true${'==true'.repeat(depth - 1)}`, 250],
  ])('is at most 250 levels of nesting: %s', (_operator, nest, maxDepth) => {
    expect(listDomains(nest(maxDepth)).reserved_domains).toEqual([])
    expect(expectError(() => listDomains(nest(maxDepth + 1))).message).toContain(
      'too complex for the parser: Exceeded maxDepth (250)',
    )
  })

  test.each(['&&', '||'])('allows a chain of %s as long as the filter', (operator) => {
    const filter = Array.from({ length: 340 }, () => 'true').join(operator)
    expect(filter).toHaveLength(2038)
    expect(listDomains(filter).reserved_domains).toEqual([])
  })

  test('is the same through HTTP, where the error names the parameter in its details', async () => {
    const { status, body } = await client(open())('GET', '/reserved_domains?filter=obj.domain%20%3C%205')
    expect([status, body.error_code]).toEqual([400, 'ERR_GATEWAY_250'])
    expect(body.msg).toContain('filter is "obj.domain < 5": at character 14: 5, a number; expected a string. ')
    expect(body.details['field:filter']).toBe(body.msg)
  })

  test('does not change the types that the parameter may have in the direct API', async () => {
    const gateway = open()
    const expectListError = (input: unknown) => expectError(() => gateway.reservedAddrs.list(input as never))
    expect(expectListError({ filter: {} }).message).toBe('filter is an object. Allowed: a string or a number.')
    expect(expectListError({ limit: ['1'] }).message).toBe(
      'limit is an array of 1 item. Allowed: a string or a number.',
    )
    expect(expectListError({ before_id: () => 'ra_1' }).key).toBe('field_invalid')
    expect(expectListError({ filter: Symbol('x') }).key).toBe('field_invalid')
    expect(expectListError({ filter: Object.create(null) }).key).toBe('field_invalid')
    for (const [input, description] of [
      ['obj.id == ""', '"obj.id == \\"\\""'],
      [5, '5'],
      [[], 'an array of 0 items'],
      [new Map(), 'a Map'],
      [Promise.resolve(), 'a Promise'],
      [new AbortController(), 'an AbortController'],
      [true, 'true'],
      [null, 'null'],
    ]) {
      const { key, message } = expectListError(input)
      const expected = `query is ${description}. Allowed: an object with limit, before_id, filter.`
      expect([key, message]).toEqual(['field_invalid', expected])
    }
    expect(gateway.reservedAddrs.list({ filter: true } as never).reserved_addrs).toEqual([])
    expect(outcome(await client(gateway)('GET', '/reserved_addrs?filter=true'))).toBe('200')
  })
})
