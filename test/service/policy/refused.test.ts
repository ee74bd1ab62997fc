import { expect, test } from 'vitest'
import { checkPolicyValue } from '../../../src/service/policy/index.ts'
import { MISTAKES } from './mistakes.ts'

test.each(MISTAKES)('%i at %s (rules: traffic-policy#numbers)', (number, place, policy, options) => {
  const problems = checkPolicyValue(policy, options)
  expect(problems.map((problem) => [problem.number, problem.path.join('.')])).toEqual([[number, place]])
  expect(problems[0]?.message).toMatch(/policy/)
})

test('Every documented number of the contract has a policy above', () => {
  const documented = [
    2200, 2201, 2202, 2203, 2204, 2205, 2206, 2207, 2208, 2209, 2210, 2211, 2212, 2213, 2214, 2215, 2216, 2217, 2218,
    2219, 2221, 2222, 2223, 2224, 2225, 2226, 2228, 2229, 2230, 2231, 2234, 2235, 2236, 2237, 2239, 2240, 2242, 2243,
    2244, 2245, 2246, 2248, 2250, 2252, 2256, 2257, 2258, 2261, 2262, 2263, 2264, 2265, 2266, 2267,
  ]
  expect([...new Set(MISTAKES.map(([number]) => number))].sort()).toEqual(documented)
})
