import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createExpressions } from '../../../src/service/policy/cel/expression.ts'
import { type CelList, isCelError, isCelList, isCelUint, runCel } from '../../../tools/second-opinions.ts'
import { check, limitCases } from '../../support/property.ts'

const times = fc.constantFrom(
  "timestamp('2024-02-29T23:59:59.123456789Z')",
  "timestamp('1969-12-31T23:59:59.250000003Z')",
)
const time = fc.oneof(
  times,
  times.map((each) => `(${each} - duration('1.000000001s'))`),
)
const double = fc.constantFrom(
  '.5',
  '-1.5',
  '1e3',
  'dyn(2)',
  'dyn(3u)',
  "double('NaN')",
  '(-1.0 / 0.0)',
  'dyn(9223372036854775807)',
)
const bytes = fc.constantFrom("b''", "b'a'", "b'aé'", "br'\\n'", "bytes('aé')", "b'\\xff'")
const map = fc.constantFrom('{}', "{'a': 1}", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "{'a': 1.0}")

const { number, text, truth, list } = fc.letrec<{ number: string; text: string; truth: string; list: string }>(
  (tie) => {
    const [number, text, truth, list] = [tie('number'), tie('text'), tie('truth'), tie('list')]
    const join = (parts: fc.Arbitrary<string>[], write: (...texts: string[]) => string) =>
      fc.tuple(...parts).map((texts) => write(...texts))
    const operators = (...signs: string[]) => fc.constantFrom(...signs)
    const either = (of: fc.Arbitrary<string>) => join([truth, of, of], (test, yes, no) => `(${test} ? ${yes} : ${no})`)
    return {
      number: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.integer({ min: -9, max: 9 }).map((value) => `(${value})`),
        fc.constantFrom('9223372036854775807', '(-9223372036854775808)'),
        join([operators("duration('90m')", "duration('-1.5s')")], (a) => `${a}.getMinutes()`),
        join([time, operators('getFullYear', 'getDayOfYear', 'getHours')], (a, name) => `${a}.${name}()`),
        join([number, operators('+', '-', '*', '/', '%'), number], (a, sign, b) => `(${a} ${sign} ${b})`),
        join([text], (a) => `size(${a})`),
        join([list], (a) => `size(${a})`),
        join([map, operators("'a'", "'b'")], (a, key) => `${a}[${key}]`),
        join([list, number], (a, at) => `${a}[${at}]`),
        either(number),
      ),
      text: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom("''", "'a'", "'ab'", "'aé😀'", "'A b'", "'\\uffff'"),
        join([operators('1u', '1.5', 'true', "b'\\\\xff'", "duration('90s')")], (a) => `string(${a})`),
        join([time], (a) => `string(${a})`),
        join([text, text], (a, b) => `(${a} + ${b})`),
        join([number], (a) => `string(${a})`),
        either(text),
      ),
      truth: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('true', 'false'),
        join([truth, operators('&&', '||', '==', '!='), truth], (a, sign, b) => `(${a} ${sign} ${b})`),
        join([number, operators('<', '<=', '>', '>=', '==', '!='), number], (a, sign, b) => `(${a} ${sign} ${b})`),
        join([text, operators('<', '==', '!=', '>='), text], (a, sign, b) => `(${a} ${sign} ${b})`),
        join([text, operators('startsWith', 'endsWith', 'contains'), text], (a, name, b) => `${a}.${name}(${b})`),
        join([number, list], (a, all) => `(${a} in ${all})`),
        join([map, map, operators('==', '!=')], (a, b, sign) => `(${a} ${sign} ${b})`),
        join([time, time, operators('<', '==', '>=')], (a, b, sign) => `(${a} ${sign} ${b})`),
        join([bytes, bytes, operators('<', '==', '>=')], (a, b, sign) => `(${a} ${sign} ${b})`),
        join([double, operators('<', '==', '>='), double], (a, sign, b) => `(${a} ${sign} ${b})`),
        join([list, operators('all', 'exists', 'exists_one')], (all, name) => `${all}.${name}(e, e > 1)`),
        join([truth], (a) => `!${a}`),
        either(truth),
      ),
      list: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(', ')}]`),
        join([list, list], (a, b) => `(${a} + ${b})`),
        join([list, operators('filter(e, e > 0)', 'map(e, e * 2)')], (all, macro) => `${all}.${macro}`),
        either(list),
      ),
    }
  },
)

const expressions = createExpressions()
const FAILED = 'an error'

function ours(source: string): unknown {
  try {
    return expressions
      .compile(source, { phase: 'on_http_request', hasTls: true })
      .evaluate({ roots: new Map() } as never)
  } catch {
    return FAILED
  }
}

function theirs(source: string): unknown {
  try {
    return toPlain(runCel(source))
  } catch {
    return FAILED
  }
}

function toPlain(value: unknown): unknown {
  if (isCelError(value)) return FAILED
  if (isCelList(value)) return [...(value as CelList)].map(toPlain)
  return isCelUint(value) ? value.value : value
}

test('Random expressions have the values that another implementation of CEL gives (rules: traffic-policy#expressions)', () => {
  check(
    fc.property(fc.oneof(number, text, truth, list), (source) => {
      expect(ours(source)).toEqual(theirs(source))
    }),
    { numRuns: limitCases(2000) },
  )
})
