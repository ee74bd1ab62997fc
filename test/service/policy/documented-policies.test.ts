import { expect, test } from 'vitest'
import { checkPolicy } from '../../../src/service/policy/index.ts'
import documented from '../../../tools/evidence/policies.json'

const reasons = Object.entries(documented.reasons)

test.each(reasons)(
  'A policy of the documentation is rejected because: %s (rules: traffic-policy#numbers)',
  (_, { number, example }) => {
    expect(checkPolicy(example)[0]).toMatchObject({ severity: 'error', number })
  },
)

test('Each rejected policy of the documentation has its page, its place, and a reason with the same number', () => {
  const numbers = new Map(reasons.map(([name, { number }]) => [name, number]))
  for (const { page, number, reason } of documented.refused) {
    expect(page).toMatch(/\.mdx?$/)
    expect(number, `${page}: ${reason}`).toBe(numbers.get(reason))
  }
  expect(documented.refused.length).toBeLessThan(documented.policies * 0.2)
})
