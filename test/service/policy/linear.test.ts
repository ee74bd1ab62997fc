import '../../support/steps.ts' // First: it counts what is loaded after it.

import { expect, test } from 'vitest'
import { checkPolicy } from '../../../src/gateway/ngrok.ts'
import { measureGrowth } from '../../support/steps.ts'

/** A policy whose rules all depend on values that a request may lack. */
function createPolicy(rules: number) {
  const expressionOf = (rule: number) =>
    Array.from({ length: 10 }, (_, at) => `getReqHeader('x-${rule}-${at}')[0] != 'a'`).join(' && ')
  const on_http_request = Array.from({ length: rules }, (_, rule) => ({
    expressions: [expressionOf(rule)],
    actions: [{ type: 'deny' }],
  }))
  return JSON.stringify({ on_http_request })
}

test('Twice the rules take at most twice the steps of a check, warnings included', async () => {
  const twice = await measureGrowth((rules) => checkPolicy(createPolicy(rules)), 300)
  expect(twice).toBeLessThan(2.3)
})
