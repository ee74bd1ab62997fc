import { describe, expect, test } from 'vitest'
import { createExpressions } from '../../../src/service/policy/cel/expression.ts'
import { checkExpression } from '../../../src/service/policy/expression.ts'
import conformance from '../../../tools/evidence/cel.json'

interface Expected {
  readonly int?: string
  readonly uint?: string
  readonly double?: string
  readonly bool?: boolean
  readonly string?: string
  readonly bytes?: string
  readonly null?: true
  readonly list?: readonly Expected[]
  readonly map?: readonly (readonly [Expected, Expected])[]
  readonly error?: true
}

/** Returns a value in the form of the expected ones. */
function describeValue(value: unknown): Expected {
  if (typeof value === 'bigint') return { int: String(value) }
  if (typeof value === 'number') return { double: String(value) }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'string') return { string: value }
  if (value === null) return { null: true }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { list: value.map(describeValue) }
  if (value instanceof Map) return { map: [...value].map(([key, each]) => [describeValue(key), describeValue(each)]) }
  if (typeof value === 'object' && 'value' in value) return { uint: String(value.value) }
  return { map: Object.entries(Object(value)).map(([key, each]) => [{ string: key }, describeValue(each)]) }
}

const normal = (each: Expected): Expected => {
  if (each.double !== undefined)
    return { double: String(Number(each.double.replace(/^(-?)inf(inity)?$/i, '$1Infinity'))) }
  if (each.list) return { list: each.list.map(normal) }
  if (each.map) {
    const entries = each.map.map(([key, value]) => [normal(key), normal(value)] as const)
    return { map: entries.sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) }
  }
  return each
}

const SCOPE = { phase: 'on_http_request', hasTls: true } as const
const expressions = createExpressions()

function evaluate(expression: string, by = expressions): Expected {
  try {
    const evaluated = by.compile(expression, SCOPE).evaluate({ roots: new Map() } as never)
    return describeValue(evaluated)
  } catch {
    return { error: true }
  }
}

/** A test that makes a message of protocol buffers, which no policy can. */
const OF_MESSAGES = 'parse/comments/new_line_terminated'
/** A test that fails because the page of the service about macros has another result: it leaves out what is beyond a limit. */
const DOCUMENTED_OTHERWISE = 'string_ext/split/one_limit'

const hasPassed = ({ expression, expected }: (typeof conformance.tests)[number]) =>
  JSON.stringify(normal(evaluate(expression))) === JSON.stringify(normal(expected as Expected))

describe("CEL's own conformance tests, as far as they need no protocol buffers (rules: traffic-policy#expressions)", () => {
  test('pass, except two', () => {
    expect(conformance.tests.filter((each) => !hasPassed(each)).map(({ name }) => name)).toEqual([
      OF_MESSAGES,
      DOCUMENTED_OTHERWISE,
    ])
  })

  test('have the same values if coverage counts the parts of expressions', () => {
    const counting = createExpressions(() => undefined)
    for (const { expression } of conformance.tests)
      expect(evaluate(expression, counting), expression).toEqual(evaluate(expression))
  })

  test('are expressions that a policy may have, if they have a value', () => {
    const refused = conformance.tests.filter(
      ({ expression, expected }) =>
        expected.error === undefined && checkExpression(expression, SCOPE).problem !== undefined,
    )
    expect(refused.map(({ name }) => name)).toEqual([OF_MESSAGES])
  })
})
