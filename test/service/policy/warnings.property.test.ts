import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPolicy } from '../../../src/service/policy/index.ts'
import { check, limitCases } from '../../support/property.ts'

interface Traffic {
  readonly path: string
  readonly length: number
  readonly isBot: boolean
}

/** A condition, and what it is for traffic. */
interface Condition {
  readonly source: string
  readonly holds: (traffic: Traffic) => boolean
}

const TEXTS = ['/', '/a', '/ab', '/b']
const TRAFFIC = [...TEXTS, '/abc', '/ax', '/bx', '/x'].flatMap((path) =>
  [-2, -1, 0, 1, 2, 3, 4].flatMap((length) => [true, false].map((isBot): Traffic => ({ path, length, isBot }))),
)

const text = fc.constantFrom(...TEXTS)
const number = fc.constantFrom(-1, 1, 3)
const single = fc.oneof(
  text.map((each): Condition => ({ source: `req.url.path == '${each}'`, holds: ({ path }) => path === each })),
  text.map((each): Condition => ({ source: `'${each}' != req.url.path`, holds: ({ path }) => path !== each })),
  text.map(
    (each): Condition => ({ source: `req.url.path.startsWith('${each}')`, holds: ({ path }) => path.startsWith(each) }),
  ),
  fc.tuple(text, text).map(
    (each): Condition => ({
      source: `req.url.path in ['${each.join("', '")}']`,
      holds: ({ path }) => each.includes(path),
    }),
  ),
  number.map((each): Condition => ({ source: `req.content_length < ${each}`, holds: ({ length }) => length < each })),
  number.map((each): Condition => ({ source: `${each} <= req.content_length`, holds: ({ length }) => each <= length })),
  fc.constant<Condition>({ source: 'req.user_agent.is_bot', holds: ({ isBot }) => isBot }),
)
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    single,
    tie('condition').map(({ source, holds }) => ({ source: `!(${source})`, holds: (each: Traffic) => !holds(each) })),
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      source: `(${a.source}) && (${b.source})`,
      holds: (each: Traffic) => a.holds(each) && b.holds(each),
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      source: `(${a.source}) || (${b.source})`,
      holds: (each: Traffic) => a.holds(each) || b.holds(each),
    })),
  ),
}))

const deny = (...conditions: Condition[]) => ({
  expressions: conditions.map(({ source }) => source),
  actions: [{ type: 'deny' }],
})
const messagesOf = (...rules: object[]) =>
  checkPolicy(JSON.stringify({ on_http_request: rules }))
    .map(({ message }) => message)
    .join('\n')

test('What warnings say of conditions is so for all traffic (rules: traffic-policy#warnings)', () => {
  check(
    fc.property(condition, condition, (a, b) => {
      const [first, second] = [a, b].map(({ holds }) => TRAFFIC.map(holds))
      const alone = messagesOf(deny(a))
      expect(alone.includes('expressions[0] is never true') && first?.includes(true)).toBe(false)
      expect(alone.includes('expressions[0] is always true') && first?.includes(false)).toBe(false)
      const isBoth = first?.some((truth, at) => truth && second?.[at])
      expect(messagesOf(deny(a, b)).includes('can never all be true') && isBoth).toBe(false)
      const isMissed = second?.some((truth, at) => truth && !first?.[at])
      expect(messagesOf(deny(a), deny(b)).includes('is never reached') && isMissed).toBe(false)
    }),
    { numRuns: limitCases(900) },
  )
})
