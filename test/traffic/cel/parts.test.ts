import { expect, test } from 'vitest'
import { createExpressions } from '../../../src/service/policy/cel/expression.ts'
import { listParts } from '../../../src/service/policy/cel/parts.ts'
import { checkExpression, sourceOf } from '../../../src/service/policy/expression.ts'

const SCOPE = { phase: 'on_http_request', hasTls: true } as const

test('An evaluation that counts the parts which decide draws each random number once', () => {
  let drawn = 0
  const randomInteger = () => drawn++ % 2
  const expressions = createExpressions(() => undefined)
  const source = 'rand.int() in [rand.int(), 3] || (rand.int() == 9 ? rand.int() == 8 : rand.int() == 7)'
  expressions.compile(source, SCOPE).evaluate({ roots: new Map(), randomInteger, secret: () => '' })
  expect(drawn).toBe(4)
})

test('The source of a part has both of its parentheses, and no more than those', () => {
  const { tree } = checkExpression("((true || false) && !((1 == 1))) || ('(' == ')' && true)", SCOPE)
  expect(tree && listParts(tree).map(({ of, node }) => `${of} ${sourceOf(node)}`)).toEqual([
    '|| (true || false) && !((1 == 1))',
    '&& true || false',
    '|| true',
    '|| false',
    '&& !((1 == 1))',
    "|| '(' == ')' && true",
    "&& '(' == ')'",
    '&& true',
  ])
})
