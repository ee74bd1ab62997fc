import fc from 'fast-check'
import { START } from '../../support/gateway.ts'

/** A listed item, as a response shows it. */
export type Item = Readonly<Record<string, unknown>>

/** A part of a filter: its text, its precedence, and its value for an item at a time. */
export interface Part<T> {
  readonly text: string
  /** 0: `||`, 1: `&&`, 2: comparisons and `in`, 3: everything that needs no parentheses. */
  readonly precedence: number
  readonly value: (item: Item, now: number) => T
}

/** The fields of a family's items, by the type of their values, and some terms of their texts. */
export interface Fields {
  readonly texts: readonly string[]
  readonly times: readonly string[]
  readonly numbers: readonly string[]
  readonly lists: readonly string[]
  readonly maps: readonly string[]
  /** Objects that can be null. */
  readonly objects: readonly string[]
  readonly terms: readonly string[]
}

type Text = string | null
type Time = number | null

const DAY = 86_400_000
const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const
const EQUALITY = ['==', '!='] as const

/** Creates arbitraries of well-typed conditions and of ill-typed filters over the fields of a family. */
export function createFilters(fields: Fields) {
  const text = createTexts(fields)
  const time = createTimes(fields)
  const number = createNumbers(fields, text)
  const list = createLists(fields, text)
  const { condition } = fc.letrec<{ condition: Part<boolean> }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: createComparisons(fields, { text, time, number, list }), weight: 4 },
      { arbitrary: createMemberships(fields, { text, time, number, list }), weight: 2 },
      { arbitrary: createTextTests(text), weight: 2 },
      { arbitrary: fc.boolean().map((value) => createAtom(String(value), () => value)), weight: 1 },
      { arbitrary: tie('condition').map(negate), weight: 1 },
      { arbitrary: createChains(tie('condition')), weight: 4 },
      { arbitrary: compare(tie('condition'), tie('condition'), EQUALITY), weight: 1 },
    ),
  }))
  return { condition, generateIllTyped: createIllTyped(fields, { text, time, number, list, condition }) }
}

function createAtom<T>(text: string, value: Part<T>['value']): Part<T> {
  return { text, precedence: 3, value }
}

/** Formats a part as an operand, in parentheses if necessary. */
function formatOperand({ text, precedence }: Part<unknown>, minPrecedence: number): string {
  return precedence < minPrecedence ? `(${text})` : text
}

function createReader(path: string): (item: Item) => unknown {
  const names = path.split('.').slice(1)
  return (item) => names.reduce<unknown>((value, name) => (value as Item | null)?.[name] ?? null, item)
}

const createField = <T>(path: string) => createAtom(path, createReader(path) as (item: Item) => T)

const createFields = <T>(paths: readonly string[]) => fc.constantFrom(...paths).map((path) => createField<T>(path))

function oneOfChoices<T>(...choices: (fc.Arbitrary<Part<T>> | false)[]): fc.Arbitrary<Part<T>> {
  return fc.oneof(...choices.filter((choice) => choice !== false))
}

function quoteInAnyWay(text: string): fc.Arbitrary<string> {
  const plain = JSON.stringify(text)
  const single = `'${plain.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  return fc.constantFrom(plain, single, `"""${plain.slice(1, -1)}"""`, ...(/["\\\n]/.test(text) ? [] : [`r"${text}"`]))
}

function createLiterals({ terms }: Fields): fc.Arbitrary<Part<Text>> {
  const pieces = fc
    .tuple(fc.constantFrom(...terms), fc.nat(30), fc.nat(30))
    .map(([word, from, to]) => [...word].slice(from, from + to).join(''))
  return fc
    .oneof(fc.constantFrom(...terms), pieces, fc.constantFrom('', 'a', 'z', '😀', '"', "'", '\\', '\n', 'é\t\u0001'))
    .chain((word) => quoteInAnyWay(word).map((literal) => createAtom(literal, () => word)))
}

function createTexts(fields: Fields): fc.Arbitrary<Part<Text>> {
  return fc.oneof(
    { arbitrary: createFields<Text>([...fields.texts, ...fields.times]), weight: 3 },
    createLiterals(fields),
  )
}

/** A time in RFC 3339 with any offset, near the times at which items were created. */
const rfc3339 = fc
  .record({
    ms: fc.integer({ min: -3 * DAY, max: 50 * DAY }).map((ms) => START - (START % 1000) + ms),
    snap: fc.constantFrom(1, 1000, DAY),
    offset: fc.integer({ min: -1439, max: 1439 }),
    utc: fc.boolean(),
  })
  .map(({ ms: raw, snap, offset, utc }) => {
    const ms = raw - (raw % snap)
    if (utc) return { ms, text: new Date(ms).toISOString().replace('.000', '') }
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
    const padToTwo = (part: number) => String(part).padStart(2, '0')
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    return { ms, text: `${local}${offset < 0 ? '-' : '+'}${padToTwo(hours)}:${padToTwo(minutes)}` }
  })

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY }

function createTimes(fields: Fields): fc.Arbitrary<Part<Time>> {
  const start = oneOfChoices<Time>(
    fc.constant(createAtom('timestamp(time.now)', (_item, now) => now)),
    rfc3339.map(({ ms, text }) => createAtom(`timestamp("${text}")`, () => ms)),
    createFields<Text>(fields.times).map(({ text, value }) => createAtom(`timestamp(${text})`, parseTimes(value))),
  )
  const moves = fc.array(
    fc.record({
      verb: fc.constantFrom('add', 'subtract'),
      count: fc.nat(40),
      unit: fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[])),
    }),
    { maxLength: 2 },
  )
  return fc.tuple(start, moves).map(([from, steps]) =>
    steps.reduce(
      (time, { verb, count, unit }) =>
        createAtom(`${time.text}.${verb}("${count}${unit}")`, (item, now) => {
          const ms = time.value(item, now)
          const span = count * UNITS[unit]
          return ms === null ? null : verb === 'add' ? ms + span : ms - span
        }),
      from,
    ),
  )
}

function parseTimes(text: (item: Item, now: number) => Text): (item: Item, now: number) => Time {
  return (item, now) => {
    const timestamp = text(item, now)
    return timestamp === null ? null : new Date(timestamp).getTime()
  }
}

function createNumbers(fields: Fields, text: fc.Arbitrary<Part<Text>>): fc.Arbitrary<Part<number | null>> {
  const literals = fc.constantFrom(
    ...Object.entries({
      '-1': -1,
      '0': 0,
      '1': 1,
      '2': 2,
      '5': 5,
      '0x10': 16,
      '5.0': 5,
      '1.5': 1.5,
      '1e2': 100,
      '--3': 3,
    }),
  )
  const withSize = oneOfChoices<unknown>(
    text as fc.Arbitrary<Part<unknown>>,
    fields.lists.length > 0 && createFields(fields.lists),
    fields.maps.length > 0 && createFields(fields.maps),
  )
  return oneOfChoices<number | null>(
    literals.map(([literal, value]) => createAtom(literal, () => value)),
    fc.tuple(withSize, fc.boolean()).map(([{ text: operand, value }, isMethod]) =>
      createAtom(isMethod ? `${operand}.size()` : `size(${operand})`, (item, now) => {
        const content = value(item, now)
        return typeof content === 'string' ? Array.from(content).length : Object.entries(content ?? {}).length
      }),
    ),
    fields.numbers.length > 0 && createFields(fields.numbers),
  )
}

function createList<T>(parts: readonly Part<T>[]): Part<readonly T[]> {
  return createAtom(`[${parts.map(({ text }) => text).join(', ')}]`, (item, now) =>
    parts.map(({ value }) => value(item, now)),
  )
}

function createLists(fields: Fields, text: fc.Arbitrary<Part<Text>>): fc.Arbitrary<Part<readonly Text[]>> {
  return oneOfChoices<readonly Text[]>(
    fields.lists.length > 0 && createFields<readonly Text[]>(fields.lists),
    fc.array(text, { maxLength: 4 }).map(createList<Text>),
  )
}

interface Operands {
  readonly text: fc.Arbitrary<Part<Text>>
  readonly time: fc.Arbitrary<Part<Time>>
  readonly number: fc.Arbitrary<Part<number | null>>
  readonly list: fc.Arbitrary<Part<readonly Text[]>>
}

/** Returns -1, 0 or 1, like a comparator; undefined for values without an order. Null and "" are equal. */
function compareValues(a: unknown, b: unknown): -1 | 0 | 1 | undefined {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => compareValues(each, b[index]) === 0) ? 0 : undefined
  }
  const [x, y] = [a === '' ? null : a, b === '' ? null : b]
  if (x === y) return 0
  if (a === null || b === null) return undefined
  return (a as string | number) > (b as string | number) ? 1 : -1
}

function compare(
  left: fc.Arbitrary<Part<unknown>>,
  right: fc.Arbitrary<Part<unknown>>,
  operators: readonly (typeof OPERATORS)[number][] = OPERATORS,
): fc.Arbitrary<Part<boolean>> {
  return fc.tuple(left, right, fc.constantFrom(...operators)).map(([a, b, operator]) => ({
    text: `${formatOperand(a, 3)} ${operator} ${formatOperand(b, 3)}`,
    precedence: 2,
    value(item, now) {
      const order = compareValues(a.value(item, now), b.value(item, now))
      if (operator === '==') return order === 0
      if (operator === '!=') return order !== 0
      if (operator === '<') return order === -1
      if (operator === '>') return order === 1
      return order === 0 || order === (operator === '<=' ? -1 : 1)
    },
  }))
}

/** Creates fields with a timestamp, which have a time as their value. */
function createTimeFields({ times: paths }: Fields): fc.Arbitrary<Part<Time>> {
  return createFields<Text>(paths).map(({ text: path, value }) => createAtom(path, parseTimes(value)))
}

const NULL = fc.constant(createAtom('null', () => null))

function createComparisons(fields: Fields, { text, time, number, list }: Operands): fc.Arbitrary<Part<boolean>> {
  return oneOfChoices<boolean>(
    compare(text, text),
    compare(time, time),
    compare(createTimeFields(fields), time),
    compare(time, createTimeFields(fields)),
    compare(number, number),
    compare(list, list, EQUALITY),
    compare(text, NULL, EQUALITY),
    compare(NULL, text, EQUALITY),
    fields.objects.length > 0 && compare(createFields(fields.objects), NULL, EQUALITY),
    fields.numbers.length > 0 && compare(NULL, createFields(fields.numbers), EQUALITY),
  )
}

function createMemberships(fields: Fields, { text, time, number, list }: Operands): fc.Arbitrary<Part<boolean>> {
  const createMembership = <T>(needle: fc.Arbitrary<Part<T>>, haystack: fc.Arbitrary<Part<readonly T[]>>) =>
    fc.tuple(needle, haystack).map(
      ([a, b]): Part<boolean> => ({
        text: `${a.text} in ${b.text}`,
        precedence: 2,
        value: (item, now) =>
          b.value(item, now).filter((each) => compareValues(a.value(item, now), each) === 0).length > 0,
      }),
    )
  const createFilledList = <T>(item: fc.Arbitrary<Part<T>>) =>
    fc.array(item, { minLength: 1, maxLength: 3 }).map(createList<T>)
  const createKeyTest = () =>
    fc.tuple(text, createFields<Record<string, number>>(fields.maps)).map(
      ([a, b]): Part<boolean> => ({
        text: `${a.text} in ${b.text}`,
        precedence: 2,
        value: (item, now) => Object.keys(b.value(item, now)).some((key) => key === a.value(item, now)),
      }),
    )
  return oneOfChoices<boolean>(
    createMembership(text, list),
    createMembership(number, createFilledList(number)),
    createMembership(time, createFilledList(time)),
    createMembership(time, createFilledList(createTimeFields(fields))),
    fields.maps.length > 0 && createKeyTest(),
  )
}

function createTextTests(text: fc.Arbitrary<Part<Text>>): fc.Arbitrary<Part<boolean>> {
  return fc.tuple(text, fc.constantFrom('startsWith', 'endsWith', 'contains'), text).map(([a, verb, b]) =>
    createAtom(`${a.text}.${verb}(${b.text})`, (item, now) => {
      const [whole, part] = [a.value(item, now), b.value(item, now)]
      if (whole === null || part === null) return false
      const positions = Array.from({ length: whole.length + 1 }, (_, at) => at).filter(
        (at) => whole.slice(at, at + part.length) === part,
      )
      if (verb === 'contains') return positions.length > 0
      return positions.includes(verb === 'startsWith' ? 0 : whole.length - part.length)
    }),
  )
}

function negate(part: Part<boolean>): Part<boolean> {
  return createAtom(`!${formatOperand(part, 3)}`, (item, now) => !part.value(item, now))
}

function createChains(condition: fc.Arbitrary<Part<boolean>>): fc.Arbitrary<Part<boolean>> {
  return fc
    .tuple(
      fc.constantFrom('||', '&&'),
      fc.array(condition, { minLength: 2, maxLength: 4 }),
      fc.constantFrom(' ', '', '\n'),
    )
    .map(([operator, parts, space]) => {
      const precedence = operator === '||' ? 0 : 1
      return {
        text: parts.map((part) => formatOperand(part, precedence)).join(`${space}${operator}${space}`),
        precedence,
        value(item, now) {
          const count = parts.filter((part) => part.value(item, now)).length
          return operator === '||' ? count > 0 : count === parts.length
        },
      }
    })
}

/** Creates filters with a type error at any place of a filter that is otherwise well-typed. */
function createIllTyped(
  fields: Fields,
  { text, time, number, list, condition }: Operands & { condition: fc.Arbitrary<Part<boolean>> },
): fc.Arbitrary<string> {
  const plain = createFields<Text>(fields.texts)
  const bool = condition.map((part) => createAtom(`(${part.text})`, part.value))
  const nullValue = NULL as fc.Arbitrary<Part<unknown>>
  const kinds = { plain, number, list, bool, time }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const twoKinds = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...names))
    .filter(([a, b]) => a !== b)
    .chain(([a, b]) => fc.tuple(kinds[a] as fc.Arbitrary<Part<unknown>>, kinds[b] as fc.Arbitrary<Part<unknown>>))
  const withoutSize = fc.oneof(bool, time, number, nullValue) as fc.Arbitrary<Part<unknown>>
  const nonText = fc.oneof(number, list, bool, time, nullValue) as fc.Arbitrary<Part<unknown>>
  const withoutOrder = fc.oneof(list, bool, nullValue) as fc.Arbitrary<Part<unknown>>
  const nonCondition = fc.oneof(text, number, list, time, nullValue) as fc.Arbitrary<Part<unknown>>
  const order = fc.constantFrom('<', '<=', '>', '>=')
  const wrongPart = fc.oneof(
    fc.tuple(twoKinds, fc.constantFrom(...OPERATORS)).map(([[a, b], operator]) => `${a.text} ${operator} ${b.text}`),
    fc.tuple(withoutOrder, order, withoutOrder).map(([a, operator, b]) => `${a.text} ${operator} ${b.text}`),
    fc.tuple(text, order).map(([a, operator]) => `${a.text} ${operator} null`),
    fc
      .tuple(number, fc.constantFrom(...EQUALITY))
      .map(([a, operator]) => `size(${JSON.stringify(a.text)}) ${operator} null`),
    fc
      .tuple(nonText, text, fc.constantFrom('startsWith', 'endsWith', 'contains'))
      .map(([a, b, v]) => `${a.text}.${v}(${b.text})`),
    fc
      .tuple(nonText, text, fc.constantFrom('startsWith', 'endsWith', 'contains'))
      .map(([a, b, v]) => `${b.text}.${v}(${a.text})`),
    fc.tuple(text, fc.oneof(text, number, bool, time)).map(([a, b]) => `${a.text} in ${b.text}`),
    fc
      .tuple(fc.oneof(number, bool, time), fc.array(text), plain)
      .map(([a, b, c]) => `${a.text} in ${createList([...b, c]).text}`),
    fc.tuple(plain, fc.array(time, { minLength: 1 })).map(([a, b]) => `${a.text} in ${createList(b).text}`),
    fc.tuple(text, number).map(([a, b]) => `size([${a.text}, ${b.text}]) == 2`),
    withoutSize.map((a) => `size(${a.text}) == 1`),
    withoutSize.map((a) => `${a.text}.size() == 1`),
    nonCondition.map((a) => a.text),
    nonCondition.map((a) => `!${a.text}`),
    fc.tuple(text, fc.constantFrom('add', 'subtract')).map(([a, verb]) => `${a.text}.${verb}("1d") != null`),
    fc
      .tuple(time, fc.constantFrom('1', 'd', '1.5h', '-1s', '1w', ''))
      .map(([a, span]) => `${a.text}.add("${span}") != null`),
    fc.tuple(time, nonText).map(([a, b]) => `${a.text}.subtract(${b.text}) != null`),
    fc
      .oneof(plain, number, list, bool, nullValue as fc.Arbitrary<Part<unknown>>)
      .map((a) => `timestamp(${a.text}) != null`),
    rfc3339.map(({ text: timestamp }) => `timestamp("${timestamp.slice(0, 19)}") < timestamp(time.now)`),
    rfc3339.map(({ text: timestamp }) => `"${timestamp.slice(0, 10)}" < timestamp(time.now)`),
    fc.constantFrom(...fields.texts).map((path) => `${path}.id == ""`),
    fc.constantFrom('obj', ...fields.objects).map((path) => `${path}.nothing == ""`),
    fc.constantFrom('obj', ...fields.objects, ...fields.maps).map((path) => `${path} == "x"`),
  )
  const frame = fc.constantFrom('?', '!(?)', '(?) && true', 'false || ?', 'true && (false || !(?))', '(?) == true')
  return fc.tuple(wrongPart, frame, condition, fc.boolean()).map(([part, frameText, other, isFirst]) => {
    const framed = frameText.replace('?', () => `(${part})`)
    return isFirst ? `(${framed}) && (${other.text})` : `(${other.text}) || ${framed}`
  })
}
