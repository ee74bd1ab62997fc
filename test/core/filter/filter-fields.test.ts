import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError, ngrok } from '../../../src/index.ts'
import { familyOf, listOperation } from '../../../src/service/kit/index.ts'

/** Fields of types that no family has yet. */
const item = v.object({
  on: v.boolean(),
  maybe: v.nullable(v.boolean()),
  name: v.pipe(v.string(), v.minLength(1)),
  tags: v.exactOptional(v.array(v.string())),
  numbers: v.array(v.nullable(v.number())),
  labels: v.nullable(v.record(v.string(), v.string())),
  refs: v.record(v.string(), v.object({ id: v.string() })),
  sets: v.array(v.record(v.string(), v.number())),
  grid: v.array(v.array(v.string())),
  opaque: v.unknown(),
})

const FULL = {
  on: true,
  maybe: true,
  name: 'a',
  tags: ['x'],
  numbers: [1, null],
  labels: { null: 'yes', a: 'b' },
  refs: { a: { id: '1' } },
  sets: [{}],
  grid: [['x'], []],
  opaque: 5,
}
const BARE = { ...FULL, on: false, maybe: null, tags: undefined, numbers: [], labels: null, refs: {} }
const { tags: _tags, ...WITHOUT_TAGS } = BARE

/** A family whose list tells whether its filter selects each of two items. */
const samples = familyOf({
  operations: {
    list: listOperation({
      name: 'samples.list',
      path: '/samples',
      summary: 'Which items a filter selects',
      prefix: 'sample',
      item,
      run: (_tx, { filter }) => ({
        matches: [FULL, WITHOUT_TAGS].map((obj) => (filter?.(obj, 0) ? 'yes' : 'no')).join(' '),
      }),
    }),
  },
  collections: [],
  errors: {},
})
const gateway = createGateway({ families: { samples } })

/** Returns for two items whether a filter selects them, or the problem with the filter. */
function findMatches(source: string): string {
  try {
    return gateway.samples.list({ filter: source }).matches
  } catch (error) {
    if (!(error instanceof GatewayError && error.key === 'filter_invalid')) throw error
    return error.message.replace(/^filter is ".*": (.*)\. Supported is .*$/, '$1')
  }
}

describe('A filter over fields of every type (rules: filters#types)', () => {
  test.each([
    ['obj.on', 'yes no'],
    ['!obj.on', 'no yes'],
    ['obj.maybe', 'yes no'],
    ['obj.maybe == null', 'no yes'],
    ['obj.on && obj.maybe || false', 'yes no'],
    ['"x" in obj.tags', 'yes no'],
    ['obj.tags == null', 'no yes'],
    ['obj.tags == ["x"]', 'yes no'],
    ['size(obj.tags) == 0', 'no yes'],
    ['obj.tags in [["y"], ["x"]]', 'yes no'],
    ['null in [["y"], obj.tags]', 'no yes'],
    ['null in obj.numbers', 'yes no'],
    ['obj.numbers == [1, null]', 'yes no'],
    ['["x"] in obj.grid', 'yes yes'],
    ['obj.grid == [["x"], []]', 'yes yes'],
    ['obj.sets == []', 'no no'],
    ['"null" in obj.labels', 'yes no'],
    ['obj.labels.none in obj.labels', 'no no'],
    ['obj.labels == null', 'no yes'],
    ['obj.refs.a.id == "1"', 'yes no'],
    ['obj.refs.a == null', 'no yes'],
    ['size(obj.refs) == 1', 'yes no'],
  ])('%s: %s', (filter, expected) => {
    expect(findMatches(filter)).toBe(expected)
  })

  test.each([
    'obj.on == ¦null',
    '¦obj.on < true',
    'obj.name == ¦5',
    '¦obj.name.add("1d") == null',
    '¦obj.labels == obj.refs',
    '"x" < ¦obj.refs',
    '¦obj.refs.a == "x"',
    'obj.sets == ¦obj.sets',
    'obj.grid == ¦["x"]',
    '¦obj.opaque.x == "x"',
  ])('%s is rejected at the mark', (markedFilter) => {
    expect(findMatches(markedFilter.replace('¦', ''))).toContain(`at character ${markedFilter.indexOf('¦') + 1}: `)
  })
})

describe('A filter names the fields that the dialect has (rules: filters#types)', () => {
  const filters = ['size(obj.resolves_to) == 0', 'obj.resolves_to == null', '"us" in obj.resolves_to']

  test.each(filters)('and rejects a field that only another dialect has: %s', (filter) => {
    const listFiltered = () => createGateway().reservedDomains.list({ filter })
    expect(listFiltered).toThrow(/: obj\.resolves_to, an unknown field; expected obj\.id, .*obj\.[a-z_]+\. /)
    expect(listFiltered).not.toThrow(/expected .*resolves_to/)
  })

  test('and accepts that field in the other dialect', () => {
    const gateway = createGateway({ dialect: { ...ngrok, filterFields: 'all' } })
    const listDomains = (filter: string) =>
      gateway.reservedDomains.list({ filter }).reserved_domains.map(({ domain }) => domain)
    gateway.reservedDomains.create({ domain: 'a.example.com', resolves_to: [{ value: 'us' }] })
    gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect(listDomains('size(obj.resolves_to) == 1')).toEqual(['a.example.com'])
    expect(listDomains('obj.resolves_to == null')).toEqual(['b.example.com'])
    expect(() => listDomains('obj.nope == 1')).toThrow(/expected .*, obj\.resolves_to\. /)
  })
})
