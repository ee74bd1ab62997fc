import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError, ngrok } from '../../src/index.ts'
import { familyOf, listOperation } from '../../src/kit/index.ts'

const TIME = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'

/** Fields that no family has, so that they are reached by no request yet. */
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
const { tags: _absent, ...ABSENT } = BARE

/** A family whose list says which of the items its filter lets through. */
const samples = familyOf({
  operations: {
    list: listOperation({
      name: 'samples.list',
      path: '/samples',
      summary: 'Which items a filter lets through',
      prefix: 'sample',
      item,
      run: (_tx, { filter }) => ({ through: [FULL, ABSENT].map((obj) => (filter?.(obj, 0) ? 'yes' : 'no')).join(' ') }),
    }),
  },
  collections: [],
  errors: {},
})
const gateway = createGateway({ families: { samples } })

/** Which of the items a filter lets through, or what is wrong with it. */
function through(source: string): string {
  try {
    return gateway.samples.list({ filter: source }).through
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
    ['!obj.maybe', 'no yes'],
    ['obj.maybe == null', 'no yes'],
    ['obj.maybe == true', 'yes no'],
    ['obj.on && obj.maybe || false', 'yes no'],
    ['"x" in obj.tags', 'yes no'],
    ['obj.tags == null', 'no yes'],
    ['obj.tags == ["x"]', 'yes no'],
    ['obj.tags != []', 'yes yes'],
    ['size(obj.tags) == 0', 'no yes'],
    ['obj.tags in [["y"], ["x"]]', 'yes no'],
    ['null in [["y"], obj.tags]', 'no yes'],
    ['null in [obj.tags, ["y"]]', 'no yes'],
    ['null in obj.numbers', 'yes no'],
    ['obj.numbers == [1, null]', 'yes no'],
    ['1 in obj.numbers', 'yes no'],
    ['["x"] in obj.grid', 'yes yes'],
    ['[] in obj.grid', 'yes yes'],
    ['["y"] in obj.grid', 'no no'],
    ['obj.grid == [["x"], []]', 'yes yes'],
    ['obj.sets == []', 'no no'],
    ['"null" in obj.labels', 'yes no'],
    ['obj.labels.none in obj.labels', 'no no'],
    ['obj.labels.a == "b"', 'yes no'],
    ['obj.labels == null', 'no yes'],
    ['obj.refs.a.id == "1"', 'yes no'],
    ['obj.refs.a == null', 'no yes'],
    ['size(obj.refs) == 1', 'yes no'],
  ])('%s: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.on == null', 11, 'null', 'a condition'],
    ['obj.on < true', 1, 'obj.on, a condition', 'a text, a number or a time'],
    ['obj.maybe == 5', 14, '5, a number', 'a condition, or null'],
    ['obj.name == 5', 13, '5, a number', 'a text, or null'],
    ['obj.name.add("1d") == null', 1, 'obj.name, a text', TIME],
    ['obj.tags == 5', 13, '5, a number', 'a list of texts, or null'],
    ['obj.labels == "x"', 1, 'obj.labels, a map of texts', 'one of its values: obj.labels.…'],
    ['obj.labels == obj.refs', 1, 'obj.labels, a map of texts', 'one of its values: obj.labels.…'],
    ['"x" < obj.refs', 7, 'obj.refs, a map of objects', 'a text'],
    ['obj.refs.a == "x"', 1, 'obj.refs.a, an object', 'obj.refs.a.id'],
    ['obj.sets == obj.sets', 13, 'obj.sets, a list of maps', 'a list of maps'],
    ['"x" < obj.sets', 7, 'obj.sets, a list of maps', 'a text'],
    ['obj.grid == ["x"]', 13, '["x"], a list of texts', 'a list of lists'],
    ['obj.opaque.x == "x"', 1, 'obj.opaque.x, an unknown field', 'obj.opaque'],
  ])('%s is refused', (filter, character, stands, allowed) => {
    expect(through(filter)).toBe(`at character ${character} stands ${stands}; allowed there is ${allowed}`)
  })
})

describe('A filter names the fields that the dialect has (rules: filters#types)', () => {
  const filters = ['size(obj.resolves_to) == 0', 'obj.resolves_to == null', '"us" in obj.resolves_to']

  test.each(filters)('and one that only another dialect has is none: %s', (filter) => {
    const refused = () => createGateway().reservedDomains.list({ filter })
    expect(refused).toThrow(/ stands obj\.resolves_to, an unknown field; allowed there is obj\.id, .*obj\.[a-z_]+\. /)
    expect(refused).not.toThrow(/allowed there is .*resolves_to/)
  })

  test('of that dialect it is one', () => {
    const gateway = createGateway({ dialect: ngrok })
    const found = (filter: string) =>
      gateway.reservedDomains.list({ filter }).reserved_domains.map(({ domain }) => domain)
    gateway.reservedDomains.create({ domain: 'a.example.com', resolves_to: [{ value: 'us' }] })
    gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect(found('size(obj.resolves_to) == 1')).toEqual(['a.example.com'])
    expect(found('obj.resolves_to == null')).toEqual(['b.example.com'])
    expect(() => found('obj.nope == 1')).toThrow(/allowed there is .*, obj\.resolves_to\. /)
  })
})
