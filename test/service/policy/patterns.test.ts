import { expect, test } from 'vitest'
import { checkPolicyValue } from '../../../src/service/policy/index.ts'
import { onRequest, when } from './mistakes.ts'

// The syntax is that of RE2: github.com/google/re2/wiki/Syntax.
test.each([
  'a|b|',
  '(|a)*',
  'a*?b+?c??d{2,3}?',
  'a{0}b{1000}c{2,}',
  'a{,2}',
  'a{40}(b{40})',
  '(a{10}){10}(?:b{10}){10}',
  '(?i)a(?i:b)(?s-m)c',
  '(?P<name>a)(?<other>b)',
  '[]a]',
  '[^]a]',
  '[a-]',
  '[-a]',
  '[a-z0-9_]',
  '[\\w-]',
  '[[:alpha:][:^digit:]]',
  '[\\x41-\\x{5A}]',
  '[\\n\\t\\-\\]]',
  '\\d\\D\\s\\S\\w\\W\\b\\B\\A\\z',
  '\\a\\f\\n\\r\\t\\v\\.\\/',
  '\\12\\077\\0',
  '\\x41\\x{1F600}\\x{10FFFF}',
  '\\pL\\p{Lu}\\P{Greek}\\p{^Latin}\\p{Any}',
  '\\Q*+(\\E*',
  '\\Qa(',
  '[\u{1f600}-\u{1f610}]',
  '^a$',
])('The pattern %s is one of RE2', (from) => {
  expect(checkPolicyValue(onRequest('redirect', { from, to: 'https://a.test' }))).toEqual([])
  expect(checkPolicyValue(when(`req.host.matches(${JSON.stringify(from)})`))).toEqual([])
})
