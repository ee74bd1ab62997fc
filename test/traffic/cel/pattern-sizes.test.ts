import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { createPatterns } from '../../../src/service/policy/cel/pattern.ts'
import { sizeOfPattern } from '../../../src/service/policy/pattern.ts'

test.each([
  'abc',
  'a{0,900}b{0,900}',
  'a{1000}',
  'a{2,}',
  '(a|aa|aaa)*(a?){50}a{50}$',
  '((ab{0,2}){0,30}c){0,15}',
  '(?i)[a-z\\]]{300}',
  '\\pL{100}\\p{Greek}{50,60}',
  '[^a]]{3}',
  '[[:alpha:]]{10,20}',
  '(?P<name>x{3}){4}|(?:y)+?',
  '\\Qa.literal.text\\E{3}',
])('The size of a pattern is estimated from its text, and is at most twice as much: %s', (source) => {
  const size = RE2JS.compile(source).programSize()
  const estimated = sizeOfPattern(source) ?? 0
  expect(estimated + 8).toBeGreaterThanOrEqual(size)
  expect(estimated).toBeLessThanOrEqual(2 * size + 12)
})

test('An invalid pattern has no size', () => {
  expect(sizeOfPattern('a{0,900}[')).toBeUndefined()
})

test('The patterns that are kept have at most 100,000 instructions in total', () => {
  const pattern = createPatterns()
  const first = pattern('a{1000}')
  const compile = (count: number, start: number) => {
    for (let at = start; at < start + count; at++) pattern(`${at}a{1000}`)
  }
  compile(50, 0)
  expect(pattern('a{1000}')).toBe(first)
  compile(50, 50)
  expect(pattern('a{1000}')).not.toBe(first)
  expect(pattern('99a{1000}')).toBe(pattern('99a{1000}'))
})
