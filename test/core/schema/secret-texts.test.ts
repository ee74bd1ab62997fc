import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/core/schema/secret-texts.ts'

test('A redactor finds a secret in a text both verbatim and escaped as in JSON', () => {
  const secret = 'a "quoted\\" key\nof two lines'
  const redact = createRedactor([secret, 'short'])
  expect(redact(`It is ${secret}.`)).toBe('It is [redacted].')
  expect(redact(JSON.stringify({ secret, other: 'short' }))).toBe('{"secret":"[redacted]","other":"short"}')
  const difference = JSON.stringify({ received: JSON.stringify(secret) })
  expect(redact(JSON.parse(difference).received)).toBe('"[redacted]"')
})
