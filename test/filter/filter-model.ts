import fc from 'fast-check'
import { START } from '../support/gateway.ts'

/** A listed item, as a response shows it. */
export type Item = Readonly<Record<string, unknown>>

/** A part of a filter: as it is written, how tightly it binds, and what it is for an item at a time. */
export interface Written<T> {
  readonly text: string
  /** 0: `||`, 1: `&&`, 2: comparisons and `in`, 3: what stands alone. */
  readonly binds: number
  readonly value: (item: Item, now: number) => T
}

/** The fields of a family's items, by what they hold, and some texts that occur in them. */
export interface Vocabulary {
  readonly texts: readonly string[]
  readonly times: readonly string[]
  readonly numbers: readonly string[]
  readonly lists: readonly string[]
  readonly maps: readonly string[]
  /** Objects that can be null. */
  readonly objects: readonly string[]
  readonly words: readonly string[]
}

type Text = string | null
type Time = number | null

const DAY = 86_400_000
const ORDER = ['==', '!=', '<', '<=', '>', '>='] as const
const EQUALITY = ['==', '!='] as const

/** Well-typed parts of filters, and ill-typed filters, over the fields of a family. */
export function filtersOver(words: Vocabulary) {
  const text = texts(words)
  const time = times(words)
  const number = numbers(words, text)
  const list = lists(words, text)
  const { condition } = fc.letrec<{ condition: Written<boolean> }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: comparisons(words, { text, time, number, list }), weight: 4 },
      { arbitrary: memberships(words, { text, time, number, list }), weight: 2 },
      { arbitrary: textTests(text), weight: 2 },
      { arbitrary: fc.boolean().map((value) => atom(String(value), () => value)), weight: 1 },
      { arbitrary: tie('condition').map(negate), weight: 1 },
      { arbitrary: chain(tie('condition')), weight: 4 },
      { arbitrary: compare(tie('condition'), tie('condition'), EQUALITY), weight: 1 },
    ),
  }))
  return { condition, generateIllTyped: illTyped(words, { text, time, number, list, condition }) }
}

function atom<T>(text: string, value: Written<T>['value']): Written<T> {
  return { text, binds: 3, value }
}

/** A part in the place of an operand: in parentheses where it must be. */
function operand({ text, binds }: Written<unknown>, least: number): string {
  return binds < least ? `(${text})` : text
}

function read(path: string): (item: Item) => unknown {
  const names = path.split('.').slice(1)
  return (item) => names.reduce<unknown>((value, name) => (value as Item | null)?.[name] ?? null, item)
}

const field = <T>(path: string) => atom(path, read(path) as (item: Item) => T)

const fields = <T>(paths: readonly string[]) => fc.constantFrom(...paths).map((path) => field<T>(path))

function anyOf<T>(...choices: (fc.Arbitrary<Written<T>> | false)[]): fc.Arbitrary<Written<T>> {
  return fc.oneof(...choices.filter((choice) => choice !== false))
}

function quoteInAnyWay(text: string): fc.Arbitrary<string> {
  const plain = JSON.stringify(text)
  const single = `'${plain.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  return fc.constantFrom(plain, single, `"""${plain.slice(1, -1)}"""`, ...(/["\\\n]/.test(text) ? [] : [`r"${text}"`]))
}

function literals({ words }: Vocabulary): fc.Arbitrary<Written<Text>> {
  const pieces = fc
    .tuple(fc.constantFrom(...words), fc.nat(30), fc.nat(30))
    .map(([word, from, to]) => [...word].slice(from, from + to).join(''))
  return fc
    .oneof(fc.constantFrom(...words), pieces, fc.constantFrom('', 'a', 'z', '😀', '"', "'", '\\', '\n', 'é\t\u0001'))
    .chain((word) => quoteInAnyWay(word).map((written) => atom(written, () => word)))
}

function texts(words: Vocabulary): fc.Arbitrary<Written<Text>> {
  return fc.oneof({ arbitrary: fields<Text>([...words.texts, ...words.times]), weight: 3 }, literals(words))
}

/** A time in RFC 3339, near those at which items were created, with any offset. */
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
    const two = (part: number) => String(part).padStart(2, '0')
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    return { ms, text: `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}` }
  })

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY }

function times(words: Vocabulary): fc.Arbitrary<Written<Time>> {
  const start = anyOf<Time>(
    fc.constant(atom('timestamp(time.now)', (_item, now) => now)),
    rfc3339.map(({ ms, text }) => atom(`timestamp("${text}")`, () => ms)),
    fields<Text>(words.times).map(({ text, value }) => atom(`timestamp(${text})`, timeOf(value))),
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
        atom(`${time.text}.${verb}("${count}${unit}")`, (item, now) => {
          const ms = time.value(item, now)
          const span = count * UNITS[unit]
          return ms === null ? null : verb === 'add' ? ms + span : ms - span
        }),
      from,
    ),
  )
}

function timeOf(text: (item: Item, now: number) => Text): (item: Item, now: number) => Time {
  return (item, now) => {
    const shown = text(item, now)
    return shown === null ? null : new Date(shown).getTime()
  }
}

function numbers(words: Vocabulary, text: fc.Arbitrary<Written<Text>>): fc.Arbitrary<Written<number | null>> {
  const written = fc.constantFrom(
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
  const sized = anyOf<unknown>(
    text as fc.Arbitrary<Written<unknown>>,
    words.lists.length > 0 && fields(words.lists),
    words.maps.length > 0 && fields(words.maps),
  )
  return anyOf<number | null>(
    written.map(([shown, value]) => atom(shown, () => value)),
    fc.tuple(sized, fc.boolean()).map(([{ text: of, value }, isMethod]) =>
      atom(isMethod ? `${of}.size()` : `size(${of})`, (item, now) => {
        const counted = value(item, now)
        return typeof counted === 'string' ? Array.from(counted).length : Object.entries(counted ?? {}).length
      }),
    ),
    words.numbers.length > 0 && fields(words.numbers),
  )
}

function written<T>(parts: readonly Written<T>[]): Written<readonly T[]> {
  return atom(`[${parts.map(({ text }) => text).join(', ')}]`, (item, now) =>
    parts.map(({ value }) => value(item, now)),
  )
}

function lists(words: Vocabulary, text: fc.Arbitrary<Written<Text>>): fc.Arbitrary<Written<readonly Text[]>> {
  return anyOf<readonly Text[]>(
    words.lists.length > 0 && fields<readonly Text[]>(words.lists),
    fc.array(text, { maxLength: 4 }).map(written<Text>),
  )
}

interface Parts {
  readonly text: fc.Arbitrary<Written<Text>>
  readonly time: fc.Arbitrary<Written<Time>>
  readonly number: fc.Arbitrary<Written<number | null>>
  readonly list: fc.Arbitrary<Written<readonly Text[]>>
}

/** -1, 0 or 1, as `a` stands to `b`; undefined where they have no order. What is absent equals null and "". */
function rank(a: unknown, b: unknown): -1 | 0 | 1 | undefined {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => rank(each, b[index]) === 0) ? 0 : undefined
  }
  const [x, y] = [a === '' ? null : a, b === '' ? null : b]
  if (x === y) return 0
  if (a === null || b === null) return undefined
  return (a as string | number) > (b as string | number) ? 1 : -1
}

function compare(
  left: fc.Arbitrary<Written<unknown>>,
  right: fc.Arbitrary<Written<unknown>>,
  operators: readonly (typeof ORDER)[number][] = ORDER,
): fc.Arbitrary<Written<boolean>> {
  return fc.tuple(left, right, fc.constantFrom(...operators)).map(([a, b, operator]) => ({
    text: `${operand(a, 3)} ${operator} ${operand(b, 3)}`,
    binds: 2,
    value(item, now) {
      const place = rank(a.value(item, now), b.value(item, now))
      if (operator === '==') return place === 0
      if (operator === '!=') return place !== 0
      if (operator === '<') return place === -1
      if (operator === '>') return place === 1
      return place === 0 || place === (operator === '<=' ? -1 : 1)
    },
  }))
}

/** A field with a time, as a time reads it. */
function timeField({ times: paths }: Vocabulary): fc.Arbitrary<Written<Time>> {
  return fields<Text>(paths).map(({ text: path, value }) => atom(path, timeOf(value)))
}

const NOTHING = fc.constant(atom('null', () => null))

function comparisons(words: Vocabulary, { text, time, number, list }: Parts): fc.Arbitrary<Written<boolean>> {
  return anyOf<boolean>(
    compare(text, text),
    compare(time, time),
    compare(timeField(words), time),
    compare(time, timeField(words)),
    compare(number, number),
    compare(list, list, EQUALITY),
    compare(text, NOTHING, EQUALITY),
    compare(NOTHING, text, EQUALITY),
    words.objects.length > 0 && compare(fields(words.objects), NOTHING, EQUALITY),
    words.numbers.length > 0 && compare(NOTHING, fields(words.numbers), EQUALITY),
  )
}

function memberships(words: Vocabulary, { text, time, number, list }: Parts): fc.Arbitrary<Written<boolean>> {
  const within = <T>(needle: fc.Arbitrary<Written<T>>, haystack: fc.Arbitrary<Written<readonly T[]>>) =>
    fc.tuple(needle, haystack).map(
      ([a, b]): Written<boolean> => ({
        text: `${a.text} in ${b.text}`,
        binds: 2,
        value: (item, now) => b.value(item, now).filter((each) => rank(a.value(item, now), each) === 0).length > 0,
      }),
    )
  const some = <T>(item: fc.Arbitrary<Written<T>>) => fc.array(item, { minLength: 1, maxLength: 3 }).map(written<T>)
  const keys = () =>
    fc.tuple(text, fields<Record<string, number>>(words.maps)).map(
      ([a, b]): Written<boolean> => ({
        text: `${a.text} in ${b.text}`,
        binds: 2,
        value: (item, now) => Object.keys(b.value(item, now)).some((key) => key === a.value(item, now)),
      }),
    )
  return anyOf<boolean>(
    within(text, list),
    within(number, some(number)),
    within(time, some(time)),
    within(time, some(timeField(words))),
    words.maps.length > 0 && keys(),
  )
}

function textTests(text: fc.Arbitrary<Written<Text>>): fc.Arbitrary<Written<boolean>> {
  return fc.tuple(text, fc.constantFrom('startsWith', 'endsWith', 'contains'), text).map(([a, verb, b]) =>
    atom(`${a.text}.${verb}(${b.text})`, (item, now) => {
      const [whole, part] = [a.value(item, now), b.value(item, now)]
      if (whole === null || part === null) return false
      const places = Array.from({ length: whole.length + 1 }, (_, at) => at).filter(
        (at) => whole.slice(at, at + part.length) === part,
      )
      if (verb === 'contains') return places.length > 0
      return places.includes(verb === 'startsWith' ? 0 : whole.length - part.length)
    }),
  )
}

function negate(part: Written<boolean>): Written<boolean> {
  return atom(`!${operand(part, 3)}`, (item, now) => !part.value(item, now))
}

function chain(condition: fc.Arbitrary<Written<boolean>>): fc.Arbitrary<Written<boolean>> {
  return fc
    .tuple(
      fc.constantFrom('||', '&&'),
      fc.array(condition, { minLength: 2, maxLength: 4 }),
      fc.constantFrom(' ', '', '\n'),
    )
    .map(([operator, parts, space]) => {
      const binds = operator === '||' ? 0 : 1
      return {
        text: parts.map((part) => operand(part, binds)).join(`${space}${operator}${space}`),
        binds,
        value(item, now) {
          const wanted = parts.filter((part) => part.value(item, now)).length
          return operator === '||' ? wanted > 0 : wanted === parts.length
        },
      }
    })
}

/** Filters with one part that can never be what it should be, anywhere in a filter that is else well-typed. */
function illTyped(
  words: Vocabulary,
  { text, time, number, list, condition }: Parts & { condition: fc.Arbitrary<Written<boolean>> },
): fc.Arbitrary<string> {
  const plain = fields<Text>(words.texts)
  const bool = condition.map((part) => atom(`(${part.text})`, part.value))
  const nothing = NOTHING as fc.Arbitrary<Written<unknown>>
  const kinds = { plain, number, list, bool, time }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const two = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...names))
    .filter(([a, b]) => a !== b)
    .chain(([a, b]) => fc.tuple(kinds[a] as fc.Arbitrary<Written<unknown>>, kinds[b] as fc.Arbitrary<Written<unknown>>))
  const unsized = fc.oneof(bool, time, number, nothing) as fc.Arbitrary<Written<unknown>>
  const noText = fc.oneof(number, list, bool, time, nothing) as fc.Arbitrary<Written<unknown>>
  const unordered = fc.oneof(list, bool, nothing) as fc.Arbitrary<Written<unknown>>
  const noCondition = fc.oneof(text, number, list, time, nothing) as fc.Arbitrary<Written<unknown>>
  const order = fc.constantFrom('<', '<=', '>', '>=')
  const wrong = fc.oneof(
    fc.tuple(two, fc.constantFrom(...ORDER)).map(([[a, b], operator]) => `${a.text} ${operator} ${b.text}`),
    fc.tuple(unordered, order, unordered).map(([a, operator, b]) => `${a.text} ${operator} ${b.text}`),
    fc.tuple(text, order).map(([a, operator]) => `${a.text} ${operator} null`),
    fc
      .tuple(number, fc.constantFrom(...EQUALITY))
      .map(([a, operator]) => `size(${JSON.stringify(a.text)}) ${operator} null`),
    fc
      .tuple(noText, text, fc.constantFrom('startsWith', 'endsWith', 'contains'))
      .map(([a, b, v]) => `${a.text}.${v}(${b.text})`),
    fc
      .tuple(noText, text, fc.constantFrom('startsWith', 'endsWith', 'contains'))
      .map(([a, b, v]) => `${b.text}.${v}(${a.text})`),
    fc.tuple(text, fc.oneof(text, number, bool, time)).map(([a, b]) => `${a.text} in ${b.text}`),
    fc
      .tuple(fc.oneof(number, bool, time), fc.array(text), plain)
      .map(([a, b, c]) => `${a.text} in ${written([...b, c]).text}`),
    fc.tuple(plain, fc.array(time, { minLength: 1 })).map(([a, b]) => `${a.text} in ${written(b).text}`),
    fc.tuple(text, number).map(([a, b]) => `size([${a.text}, ${b.text}]) == 2`),
    unsized.map((a) => `size(${a.text}) == 1`),
    unsized.map((a) => `${a.text}.size() == 1`),
    noCondition.map((a) => a.text),
    noCondition.map((a) => `!${a.text}`),
    fc.tuple(text, fc.constantFrom('add', 'subtract')).map(([a, verb]) => `${a.text}.${verb}("1d") != null`),
    fc
      .tuple(time, fc.constantFrom('1', 'd', '1.5h', '-1s', '1w', ''))
      .map(([a, span]) => `${a.text}.add("${span}") != null`),
    fc.tuple(time, noText).map(([a, b]) => `${a.text}.subtract(${b.text}) != null`),
    fc
      .oneof(plain, number, list, bool, nothing as fc.Arbitrary<Written<unknown>>)
      .map((a) => `timestamp(${a.text}) != null`),
    rfc3339.map(({ text: shown }) => `timestamp("${shown.slice(0, 19)}") < timestamp(time.now)`),
    rfc3339.map(({ text: shown }) => `"${shown.slice(0, 10)}" < timestamp(time.now)`),
    fc.constantFrom(...words.texts).map((path) => `${path}.id == ""`),
    fc.constantFrom('obj', ...words.objects).map((path) => `${path}.nothing == ""`),
    fc.constantFrom('obj', ...words.objects, ...words.maps).map((path) => `${path} == "x"`),
  )
  const place = fc.constantFrom('?', '!(?)', '(?) && true', 'false || ?', 'true && (false || !(?))', '(?) == true')
  return fc.tuple(wrong, place, condition, fc.boolean()).map(([part, around, other, isFirst]) => {
    const placed = around.replace('?', () => `(${part})`)
    return isFirst ? `(${placed}) && (${other.text})` : `(${other.text}) || ${placed}`
  })
}
