import { expect, test } from 'vitest'
import { createRedactor } from '../../src/schema/secret-texts.ts'

test('A secret is found in a text both verbatim and escaped as in JSON', () => {
  const secret = 'a "quoted\\" key\nof two lines'
  const found = createRedactor([secret, 'short'])
  expect(found(`It is ${secret}.`)).toBe('It is [redacted].')
  expect(found(JSON.stringify({ secret, other: 'short' }))).toBe('{"secret":"[redacted]","other":"short"}')
  const difference = JSON.stringify({ received: JSON.stringify(secret) })
  expect(found(JSON.parse(difference).received)).toBe('"[redacted]"')
})
