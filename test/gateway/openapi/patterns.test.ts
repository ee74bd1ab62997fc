import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { createGateway, GatewayError, standard } from '../../../src/index.ts'
import { check } from '../../support/property.ts'

interface Schema {
  readonly pattern?: string
  readonly maxLength?: number
  readonly properties: Readonly<Record<string, Schema>>
  readonly description?: string
}

const schemas = openApi(standard).components.schemas as unknown as Readonly<Record<string, Schema>>

/** Returns the key of the error that a call throws, or undefined if it succeeds. */
function findErrorKey(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error.key
    throw error
  }
}

/** Labels that are valid, or wrong in one way. */
const label = fc.oneof(
  fc.constantFrom(
    'com',
    'a',
    'ab--c',
    'xn--bcher-kva',
    '-a',
    'a-',
    '*',
    'a*',
    'a_b',
    '',
    '123',
    'localhost',
    'é',
    'XN--0',
  ),
  fc.stringMatching(/^[a-zA-Z0-9-]{1,6}$/),
  fc.constantFrom('a'.repeat(61), 'a'.repeat(63), 'a'.repeat(64)),
)

/** Labels of which four are about as long as the longest name. */
const longLabel = fc.integer({ min: 61, max: 63 }).map((length) => 'a'.repeat(length))

test('the schema of a domain allows exactly the domains that the service accepts, except for Punycode and localhost', () => {
  const { pattern = '', maxLength = 0 } = schemas.ReservedDomainCreate?.properties.domain ?? ({} as Schema)
  const isAllowed = (domain: string) => domain.length <= maxLength && new RegExp(pattern).test(domain)
  const gateway = createGateway()
  check(
    fc.property(
      fc.oneof(fc.array(label, { minLength: 1, maxLength: 4 }), fc.array(longLabel, { minLength: 4, maxLength: 4 })),
      (labels) => {
        const domain = labels.join('.')
        gateway.reset()
        const refusal = findErrorKey(() => gateway.reservedDomains.create({ domain }))
        if (refusal === 'domain_punycode_invalid') return
        expect(isAllowed(domain), domain).toBe(refusal === undefined)
      },
    ),
    { numRuns: 300 },
  )
})

test('the schema of a webhook provider allows each provider in either case, and no other name in lower case', () => {
  const { pattern = '', description = '' } = schemas.WebhookVerificationBody?.properties.provider ?? ({} as Schema)
  // The pattern lists the providers, so the description does not.
  expect(description).not.toContain('stripe')
  const isAllowed = (text: string) => new RegExp(pattern).test(text)
  const names = pattern.split(/[(|]/).filter((name) => /^\w+$/.test(name))
  expect(names).toContain('stripe')
  for (const name of names) expect([name, name.toUpperCase()].map(isAllowed)).toEqual([true, true])
  expect(['github', 'GitHub', 'other', '', 'git hub', '0'].map(isAllowed)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
